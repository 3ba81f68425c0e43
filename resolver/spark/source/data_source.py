"""`format("deltaresolver")`: the data source as PySpark calls it."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar

from pyspark.sql.datasource import DataSource

from deltaresolver.spark.source.batch.reader import BatchReader, FilteringDeltaReader
from deltaresolver.spark.source.batch.snapshot_read import SnapshotRead
from deltaresolver.spark.source.batch.writer import BatchWriter
from deltaresolver.spark.source.settings import SourceSettings
from deltaresolver.spark.source.source_options import SourceOptions, parse_source_options
from deltaresolver.spark.source.spark_abilities import LIMITED_BATCHES
from deltaresolver.spark.source.stream.options import LATEST, parse_stream_options
from deltaresolver.spark.source.stream.reader import StreamReader
from deltaresolver.spark.source.stream.tracked_read import TrackedRead, is_tracked
from deltaresolver.spark.source.stream.whole_batches import WholeBatchStreamReader
from deltaresolver.spark.source.stream.writer import StreamWriter
from deltaresolver.spark.source.told_errors import told

if TYPE_CHECKING:
    from pyspark.sql.datasource import (
        DataSourceReader,
        DataSourceStreamReader,
        DataSourceStreamWriter,
        DataSourceWriter,
    )
    from pyspark.sql.types import StructType

NAME = "deltaresolver"


class DeltaSource(DataSource):
    """Delta tables for DataFrameReader, DataFrameWriter, SQL views and streams.

    `settings` are the session's, noted by `register`.
    """

    settings: ClassVar[SourceSettings] = SourceSettings()

    @classmethod
    def name(cls) -> str:
        """What `format` takes."""
        return NAME

    @told()
    def schema(self) -> StructType:
        """The columns of the table version or changes that the options ask for."""
        asked = parse_source_options(self.options)
        if is_tracked(asked.others):
            return TrackedRead.of(asked, parse_stream_options(asked.others), self.settings).read.schema()
        return SnapshotRead(asked, self.settings, _streams_changes(asked)).schema()

    @told()
    def reader(self, schema: StructType) -> DataSourceReader:
        """A batch read."""
        kind = FilteringDeltaReader if self.settings.pushes_filters else BatchReader
        return kind(parse_source_options(self.options), self.settings, schema)

    @told()
    def writer(self, schema: StructType, overwrite: bool) -> DataSourceWriter:
        """A batch write."""
        return BatchWriter(parse_source_options(self.options), self.settings, schema, overwrite=overwrite)

    @told()
    def streamReader(self, schema: StructType) -> DataSourceStreamReader:
        """A stream read."""
        asked = parse_source_options(self.options)
        kind = StreamReader if LIMITED_BATCHES.is_here() else WholeBatchStreamReader
        return kind(asked, parse_stream_options(asked.others), self.settings, schema)

    @told()
    def streamWriter(
        self,
        schema: StructType,
        overwrite: bool,
    ) -> DataSourceStreamWriter:
        """A stream write; Spark asks for `overwrite` in output mode complete."""
        return StreamWriter(parse_source_options(self.options), self.settings, schema, overwrite=overwrite)


def _streams_changes(asked: SourceOptions) -> bool | None:
    """Spark asks for the schema without saying for what: changes without a start can only be of a stream."""
    lowered = {key.lower(): value.lower() for key, value in asked.others.items()}
    wants = "true" in (lowered.get("readchangefeed"), lowered.get("readchangedata"))
    starts = lowered.keys() & {"startingversion", "startingtimestamp"}
    if wants and (not starts or lowered.get("startingversion") == LATEST):
        return True
    return None
