"""A minimal Python data source, which only returns what pyarrow reads: every other one costs at least as much."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from types import ModuleType

import pyarrow as pa
import pyarrow.parquet as pq
from pyspark import cloudpickle
from pyspark.sql import SparkSession
from pyspark.sql.datasource import DataSource, DataSourceReader, InputPartition
from pyspark.sql.types import StructType

NAME = "bare_arrow"


class BareReader(DataSourceReader):
    """Reads with one task for each file."""

    def __init__(self, folder: str) -> None:
        self._folder = folder

    def partitions(self) -> list[InputPartition]:
        """The files."""
        return [InputPartition(str(file)) for file in sorted(Path(self._folder).rglob("*.parquet"))]

    def read(self, partition: InputPartition) -> Iterator[pa.RecordBatch]:
        """The batches of a file, in the order in which pyarrow reads them."""
        for batch in pq.ParquetFile(partition.value, memory_map=True).iter_batches():
            # Spark requires every column to be nullable, as in the schema.
            yield pa.RecordBatch.from_arrays(batch.columns, names=batch.schema.names)


class BareSource(DataSource):
    """`format("bare_arrow").schema(...).load(folder)`."""

    @classmethod
    def name(cls) -> str:
        """The name for `format`."""
        return NAME

    def reader(self, schema: StructType) -> DataSourceReader:
        """Reads all columns: `schema` is that of the files."""
        return BareReader(self.options["path"])


def register(spark: SparkSession) -> None:
    """Register the format; the classes are pickled by value, because workers cannot import this module."""
    by_value: Callable[[ModuleType], None] = cloudpickle.register_pickle_by_value
    by_value(sys.modules[__name__])
    spark.dataSource.register(BareSource)
