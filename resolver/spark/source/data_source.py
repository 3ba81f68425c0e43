"""`format("deltaresolver")`: the data source as PySpark calls it."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar

from pyspark.sql.datasource import DataSource

from deltaresolver.spark.source.batch_reader import DeltaReader, FilteringDeltaReader
from deltaresolver.spark.source.batch_writer import DeltaWriter
from deltaresolver.spark.source.settings import SourceSettings
from deltaresolver.spark.source.snapshot_read import SnapshotRead
from deltaresolver.spark.source.source_options import parse_source_options

if TYPE_CHECKING:
    from pyspark.sql.datasource import DataSourceReader, DataSourceWriter
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

    def schema(self) -> StructType:
        """The columns of the table version or changes that the options ask for."""
        return SnapshotRead(parse_source_options(self.options), self.settings).schema()

    def reader(self, schema: StructType) -> DataSourceReader:
        """A batch read."""
        kind = FilteringDeltaReader if self.settings.pushes_filters else DeltaReader
        return kind(parse_source_options(self.options), self.settings, schema)

    def writer(self, schema: StructType, overwrite: bool) -> DataSourceWriter:
        """A batch write."""
        return DeltaWriter(parse_source_options(self.options), self.settings, schema, overwrite=overwrite)
