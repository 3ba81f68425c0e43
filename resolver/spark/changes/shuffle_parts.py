"""Into how many parts rows are shuffled where it is known about how many rows there are."""

from __future__ import annotations

from contextlib import AbstractContextManager
from typing import TYPE_CHECKING

from deltaresolver.spark.session import find_setting, session_settings

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

_PARTITIONS = "spark.sql.shuffle.partitions"
_ROWS_A_PART = 1 << 14
_MAX_PARTS = 200
"""What Spark takes by itself, whatever there is to shuffle: each task then writes a file for each of them."""


def parts_for(rows: int) -> int:
    """So many parts that none is large; Spark joins small ones afterwards."""
    return min(rows // _ROWS_A_PART + 1, _MAX_PARTS)


def shuffled_as(spark: SparkSession, rows: int) -> AbstractContextManager[None]:
    """Inside, queries shuffle into no more parts than so many rows need, nor than the session says."""
    own = find_setting(spark, _PARTITIONS) or ""
    parts = parts_for(rows)
    fewer = own.isdecimal() and parts < int(own)
    return session_settings(spark, {_PARTITIONS: str(parts)} if fewer else {})
