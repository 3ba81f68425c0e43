"""Optimized writes: rows are moved between tasks before they are written, so that they come into few, even files."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from deltaresolver.model.metadata import Metadata
from deltaresolver.model.rules import read_boolean
from deltaresolver.model.schema import quoted

if TYPE_CHECKING:
    from pyspark.sql import DataFrame

ENABLED = "spark.databricks.delta.optimizeWrite.enabled"
PROPERTY = "delta.autoOptimize.optimizeWrite"
BIN_SIZE = "spark.databricks.delta.optimizeWrite.binSize"
SIZE_OF_TASKS = "spark.sql.adaptive.advisoryPartitionSizeInBytes"


def is_wanted(option: bool | None, metadata: Metadata, session: Mapping[str, str]) -> bool:
    """Whether the write wants it, else the session, else the table. Raises `PropertyInvalidError`."""
    if option is not None:
        return option
    asked = session.get(ENABLED)
    if asked is not None:
        return read_boolean(ENABLED, asked)
    return read_boolean(PROPERTY, metadata.configuration.get(PROPERTY, "false"))


def gathered(rows: DataFrame, partition_columns: Sequence[str]) -> DataFrame:
    """The rows in as few tasks as their size takes, those of a partition together, as Spark counts them."""
    from pyspark.sql import functions as f

    return rows.hint("rebalance", *(f.col(quoted(name)) for name in partition_columns))


def task_settings(session: Mapping[str, str]) -> Mapping[str, str]:
    """The settings that Spark needs for it: mebibytes for a task, 512 unless the session has others."""
    text = session.get(BIN_SIZE, "512").strip().lower()
    return {SIZE_OF_TASKS: f"{text}m" if text.isdecimal() else text}
