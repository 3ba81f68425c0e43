"""One UPDATE or MERGE in two forms: as calls of this library, and as SQL for delta-spark."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import attrs

import deltaresolver.spark as ds

if TYPE_CHECKING:
    from pathlib import Path

    from pyspark.sql import DataFrame, SparkSession


@attrs.frozen
class Clause:
    """One clause: which rows it is for, what it does; `values` None are all columns."""

    rows: str
    act: str
    condition: str | None = None
    values: Mapping[str, str] | None = None

    def sql(self) -> str:
        """In a MERGE statement."""
        when = {"matched": "MATCHED", "new": "NOT MATCHED", "lone": "NOT MATCHED BY SOURCE"}[self.rows]
        condition = "" if self.condition is None else f" AND {self.condition}"
        values = self.values or {}
        if self.act == "delete":
            act = "DELETE"
        elif self.act == "update":
            act = "UPDATE SET " + (", ".join(f"{name} = {value}" for name, value in values.items()) or "*")
        elif self.values is None:
            act = "INSERT *"
        else:
            act = f"INSERT ({', '.join(values)}) VALUES ({', '.join(values.values())})"
        return f"WHEN {when}{condition} THEN {act}"

    def add_to(self, builder: Any) -> Any:
        """To a DeltaMergeBuilder."""
        name = {"matched": "whenMatched", "new": "whenNotMatched", "lone": "whenNotMatchedBySource"}[self.rows]
        method = name + self.act.capitalize() + ("All" if self.act != "delete" and self.values is None else "")
        if self.values is None:
            return getattr(builder, method)(self.condition)
        return getattr(builder, method)(self.condition, self.values)


@attrs.frozen
class Merge:
    """A MERGE of a source `s` into a table `t`."""

    condition: str
    clauses: tuple[Clause, ...]
    evolves: bool = False

    def run_here(self, spark: SparkSession, path: Path, source: DataFrame) -> Any:
        """By this library."""
        builder = ds.DeltaTable.forPath(spark, path).alias("t").merge(source.alias("s"), self.condition)
        for clause in self.clauses:
            builder = clause.add_to(builder)
        return (builder.withSchemaEvolution() if self.evolves else builder).execute()

    def run_there(self, spark: SparkSession, path: Path, source: DataFrame) -> None:
        """By delta-spark."""
        source.createOrReplaceTempView("merge_source")
        clauses = " ".join(clause.sql() for clause in self.clauses)
        evolution = "WITH SCHEMA EVOLUTION " if self.evolves else ""
        spark.sql(f"MERGE {evolution}INTO delta.`{path}` t USING merge_source s ON {self.condition} {clauses}")


@attrs.frozen
class Update:
    """An UPDATE."""

    values: Mapping[str, str]
    condition: str | None = None

    def run_here(self, spark: SparkSession, path: Path, _: DataFrame) -> Any:
        """By this library."""
        given = () if self.condition is None else (self.condition,)
        return ds.update(spark, path, self.values, *given)

    def run_there(self, spark: SparkSession, path: Path, _: DataFrame) -> None:
        """By delta-spark."""
        values = ", ".join(f"{name} = {value}" for name, value in self.values.items())
        where = "" if self.condition is None else f" WHERE {self.condition}"
        spark.sql(f"UPDATE delta.`{path}` SET {values}{where}")
