"""Many paths handed to Spark's reader at once: PySpark hands over a list with a call of the JVM for each element."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from deltaresolver.spark.session import is_connect

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, DataFrameReader, SparkSession

_FEW = 16
"""So many are handed over in PySpark's own way, which takes as long then."""
_SEPARATOR = "\0"
"""No path holds it."""


def read_paths(spark: SparkSession, reader: DataFrameReader, paths: Sequence[str]) -> DataFrame:
    """The Parquet files at these paths, as `reader` is set to read them."""
    if len(paths) <= _FEW or is_connect(spark):
        return reader.parquet(*paths)  # Connect sends one message
    classic: Any = spark
    pattern = classic._jvm.java.util.regex.Pattern.compile(_SEPARATOR)
    own: Any = reader
    rows: DataFrame = own._df(own._jreader.parquet(pattern.split(_SEPARATOR.join(paths))))
    return rows
