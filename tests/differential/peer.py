"""delta-spark carries out the same program on a twin table, and both must come to the same."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tests.differential.evaluation import Evaluation
from tests.differential.program import (
    DDL,
    DELETE,
    INSERT,
    NOT_MATCHED,
    AddCheck,
    AddColumn,
    Append,
    Clause,
    Create,
    Delete,
    DropColumn,
    Merge,
    Optimize,
    Overwrite,
    OverwritePartitions,
    RenameColumn,
    ReplaceWhere,
    Restore,
    Rows,
    SetProperties,
    Step,
    Update,
    Vacuum,
    WidenColumn,
    quoted,
)
from tests.differential.subject import definition, write_options
from tests.differential.values import arrow_table

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

VIEW = "differential_source"


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

    def carry_out(self, step: Step, restored: int = 0) -> None:
        """One step; `restored` is the version of a RESTORE. Raises whatever delta-spark raises."""
        match step:
            case Create():
                self._create(step)
            case Append() | Overwrite() | ReplaceWhere() | OverwritePartitions():
                mode = "append" if isinstance(step, Append) else "overwrite"
                writer = self.frame(step.rows).write.format("delta").mode(mode)
                writer.options(**write_options(step)).save(self.path)
            case Delete():
                self.spark.sql(f"DELETE FROM {self.table}{where(step.condition)}")
            case Update():
                self.spark.sql(f"UPDATE {self.table} SET {assigned(step.values)}{where(step.condition)}")
            case Merge():
                self._merge(step)
            case Optimize():
                self.spark.sql(f"OPTIMIZE {self.table}{where(step.condition)}")
            case Vacuum():
                self.spark.sql(f"VACUUM {self.table}{'' if step.retains else ' RETAIN 0 HOURS'}")
            case Restore():
                self.spark.sql(f"RESTORE TABLE {self.table} TO VERSION AS OF {restored}")
            case _:
                statement = self._alteration(step)
                if statement is not None:
                    self.spark.sql(f"ALTER TABLE {self.table} {statement}")

    def _create(self, step: Create) -> None:
        if step.way == DDL:
            columns = ", ".join(definition(each.name, each.type, each.generated) for each in step.columns)
            parts = ", ".join(map(quoted, step.partition_by))
            parted = f" PARTITIONED BY ({parts})" if parts else ""
            properties = f" TBLPROPERTIES ({listed(step.properties)})" if step.properties else ""
            self.spark.sql(f"CREATE TABLE {self.table} ({columns}) USING delta{parted}{properties}")
            return
        writer = self.frame(step.rows).write.format("delta").options(**dict(step.properties))
        (writer.partitionBy(*step.partition_by) if step.partition_by else writer).save(self.path)

    def _merge(self, step: Merge) -> None:
        self.frame(step.source).createOrReplaceTempView(VIEW)
        evolution = "WITH SCHEMA EVOLUTION " if step.evolves else ""
        clauses = "\n".join(map(clause_text, step.clauses))
        self.spark.sql(
            f"MERGE {evolution}INTO {self.table} AS target USING {VIEW} AS source ON {step.condition}\n{clauses}"
        )

    @staticmethod
    def _alteration(step: Step) -> str | None:
        match step:
            case AddColumn():
                return f"ADD COLUMNS ({definition(step.column.name, step.column.type, None)})"
            case RenameColumn():
                return f"RENAME COLUMN {quoted(step.name)} TO {quoted(step.to)}"
            case DropColumn():
                return f"DROP COLUMNS ({quoted(step.name)})"
            case WidenColumn():
                return f"ALTER COLUMN {quoted(step.name)} TYPE {step.type}"
            case SetProperties():
                return f"SET TBLPROPERTIES ({listed(step.properties)})"
            case AddCheck():
                return f"ADD CONSTRAINT {step.name} CHECK ({step.condition})"
            case _:
                return None

    def rows(self, version: int | None = None) -> DataFrame:
        """The table, newest or at a version."""
        reader = self.spark.read.format("delta")
        return (reader if version is None else reader.option("versionAsOf", version)).load(self.path)

    def feed(self, version: int) -> DataFrame:
        """The changes of a version."""
        reader = self.spark.read.format("delta").option("readChangeFeed", "true")
        return reader.option("startingVersion", version).option("endingVersion", version).load(self.path)


def where(condition: str | None) -> str:
    """The clause of a condition."""
    return "" if condition is None else f" WHERE {condition}"


def assigned(values: tuple[tuple[str, str], ...]) -> str:
    """What follows SET."""
    return ", ".join(f"{name} = {value}" for name, value in values)


def listed(properties: tuple[tuple[str, str], ...]) -> str:
    """Properties in SQL."""
    return ", ".join(f"'{key}' = '{value}'" for key, value in properties)


def clause_text(clause: Clause) -> str:
    """A clause of MERGE in SQL."""
    condition = "" if clause.condition is None else f" AND {clause.condition}"
    kind = "not matched" if clause.rows == NOT_MATCHED else clause.rows
    if clause.act == DELETE:
        act = "DELETE"
    elif clause.act == INSERT:
        values = clause.values or ()
        names = ", ".join(name for name, _ in values)
        act = f"INSERT ({names}) VALUES ({', '.join(value for _, value in values)})" if clause.values else "INSERT *"
    else:
        act = "UPDATE SET *" if clause.values is None else f"UPDATE SET {assigned(clause.values)}"
    return f"WHEN {kind.upper()}{condition} THEN {act}"
