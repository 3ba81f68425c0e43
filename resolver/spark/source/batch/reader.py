"""Batch reads of `format("deltaresolver")`: planned in one process, read by Spark's Python workers."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import TYPE_CHECKING

import pyarrow as pa
from pyspark.sql.datasource import DataSourceReader, InputPartition

from deltaresolver.spark.source.batch.file_tasks import FileTask, plan_tasks
from deltaresolver.spark.source.batch.pushed_filters import as_expression, as_sql, reliable
from deltaresolver.spark.source.batch.snapshot_read import SnapshotRead
from deltaresolver.spark.source.settings import SourceSettings
from deltaresolver.spark.source.source_options import SourceOptions
from deltaresolver.spark.source.told_errors import told

if TYPE_CHECKING:
    from pyspark.sql.datasource import Filter
    from pyspark.sql.types import StructType


class BatchReader(DataSourceReader):
    """Reads without filters of Spark: for sessions that push none down."""

    def __init__(self, asked: SourceOptions, settings: SourceSettings, schema: StructType) -> None:
        self._asked = asked
        self._settings = settings
        read = SnapshotRead(asked, settings)
        self._source = read.row_source(schema)
        # Whatever is planned later is of the version whose schema was just read.
        self._read: SnapshotRead | None = read
        self._filters: list[Filter] = []

    @told()
    def partitions(self) -> Sequence[InputPartition]:
        """One for each task; the log is read here."""
        read = self._read or SnapshotRead(self._asked, self._settings)
        parts = read.parts(as_sql(self._filters))
        return [InputPartition(task) for task in plan_tasks(parts, self._settings.values)] or [InputPartition(_EMPTY)]

    @told()
    def read(self, partition: InputPartition) -> Iterator[pa.RecordBatch]:
        """The rows of one task. Raises as `RowSource.rows`."""
        return self._source.rows(partition.value, as_expression(self._filters, self._source.target))

    def __getstate__(self) -> dict[str, object]:
        # A snapshot is large, and tasks have no use for it.
        return {**self.__dict__, "_read": None}


class FilteringDeltaReader(BatchReader):
    """Reads with the filters that Spark pushes down. Spark refuses this class in sessions that push none."""

    @told()
    def pushFilters(self, filters: list[Filter]) -> Iterable[Filter]:
        """Takes note of the filters; Spark applies all of them again, so that none need be exact."""
        self._filters = reliable(filters)
        return filters


_EMPTY = FileTask(())
