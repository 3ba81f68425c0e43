"""delta-spark carries out the same program on a twin table, and both must leave the same rows."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tests.differential.evaluation import Evaluation
from tests.differential.program import (
    IDENTITY,
    SOURCE,
    WRITE,
    Append,
    Convert,
    Create,
    Move,
    Overwrite,
    OverwritePartitions,
    ReplaceWhere,
    Rows,
    Step,
)
from tests.differential.statements import VIEW, statement
from tests.differential.subject import given_rows, parquet_copy, write_options
from tests.differential.values import arrow_table

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

CALLED = (WRITE, SOURCE)
"""The ways of the library that are a DataFrameWriter here."""


class Twin:
    """delta-spark on the table at a path, by SQL and its DataFrameWriter."""

    def __init__(self, spark: SparkSession, path: str) -> None:
        self.spark = spark
        self.path = path
        self._evaluation = Evaluation(spark)

    @property
    def table(self) -> str:
        """The table's name in SQL."""
        return f"delta.`{self.path}`"

    def frame(self, rows: Rows) -> DataFrame:
        """The rows of a step, in as many tasks as it wants."""
        found = self._evaluation.frame(arrow_table(rows), rows.columns)
        return found.coalesce(1) if rows.files == 1 else found

    def carry_out(self, step: Step, version: int = 0) -> None:
        """One step; `version` is that of a RESTORE. Raises whatever delta-spark raises."""
        if isinstance(step, Create | Append | Overwrite | ReplaceWhere | OverwritePartitions) and step.way in CALLED:
            self._write(step)
            return
        rows = given_rows(step)
        if rows is not None:
            self.frame(rows).createOrReplaceTempView(VIEW)
        columns = self.rows().columns if isinstance(step, ReplaceWhere) else ()
        text = statement(step, self.table, columns=columns, version=version)
        if text is not None:
            self.spark.sql(text)

    def moved(self, step: Move, into: str, version: int = 0) -> Twin:
        """The table that a CLONE of `version` or a CONVERT makes."""
        if isinstance(step, Convert):
            parquet_copy(self.rows(), into, step.partition_by)
        text = statement(step, self.table, version=version, into=into)
        assert text is not None
        self.spark.sql(text)
        return Twin(self.spark, into)

    def _write(self, step: Create | Append | Overwrite | ReplaceWhere | OverwritePartitions) -> None:
        writer = self.frame(step.rows).write.format("delta")
        if isinstance(step, Create):
            writer = writer.options(**dict(step.properties))
            (writer.partitionBy(*step.partition_by) if step.partition_by else writer).save(self.path)
            return
        mode = "append" if isinstance(step, Append) else "overwrite"
        writer.mode(mode).options(**write_options(step)).save(self.path)

    def rows(self, version: int | None = None) -> DataFrame:
        """The table, newest or at a version."""
        reader = self.spark.read.format("delta")
        return (reader if version is None else reader.option("versionAsOf", version)).load(self.path).drop(IDENTITY)

    def feed(self, version: int) -> DataFrame:
        """The changes of a version."""
        reader = self.spark.read.format("delta").option("readChangeFeed", "true")
        return reader.option("startingVersion", version).option("endingVersion", version).load(self.path).drop(IDENTITY)
