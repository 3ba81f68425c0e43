"""The library at work: carries out the steps of a program on a table, and reads it in every way."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import deltaresolver.spark as ds
from deltaresolver.table import Table
from tests.differential.evaluation import Evaluation
from tests.differential.program import (
    BY_SOURCE,
    DDL,
    DELETE,
    IDENTITY,
    MATCHED,
    SOURCE,
    SQL,
    UNSTABLE,
    AddCheck,
    AddColumn,
    Append,
    Clause,
    Convert,
    Create,
    Delete,
    DropColumn,
    Merge,
    Move,
    Optimize,
    Overwrite,
    OverwritePartitions,
    Probe,
    RenameColumn,
    Reorg,
    ReplaceWhere,
    Restart,
    Restore,
    Rows,
    SetProperties,
    Settings,
    Step,
    Update,
    Upkeep,
    Vacuum,
    WidenColumn,
    Write,
    quoted,
)
from tests.differential.statements import VIEW, definition, definitions, statement
from tests.differential.values import arrow_table

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession


ANOTHER_EACH_TIME = "reflect('java.util.UUID', 'randomUUID')"
"""What `UNSTABLE` is. `uuid()` has its seed in the plan, and so comes to the same in every evaluation of a frame."""
UNCHECKED = {"spark.databricks.delta.retentionDurationCheck.enabled": "false"}


class Subject:
    """The library on the table at a path."""

    name = "the library"

    def __init__(self, spark: SparkSession, path: str, *, is_steady: bool = False) -> None:
        """With `is_steady`, `UNSTABLE` is a text like any other."""
        self.spark = spark
        self.path = path
        self._is_steady = is_steady
        self._evaluation = Evaluation(spark)
        self._handle: ds.DeltaTable | None = None

    @property
    def handle(self) -> ds.DeltaTable:
        """One handle from restart to restart."""
        if self._handle is None:
            self._handle = ds.DeltaTable.forPath(self.spark, self.path)
        return self._handle

    def frame(self, rows: Rows) -> DataFrame:
        """The rows of a step, in as many tasks as it wants."""
        from pyspark.sql import functions

        found = self._evaluation.frame(arrow_table(rows), rows.columns)
        for place, column in enumerate(rows.columns):
            if not self._is_steady and any(row[place] == UNSTABLE for row in rows.values):
                old = functions.col(quoted(column.name))
                new = functions.when(old == UNSTABLE, functions.expr(ANOTHER_EACH_TIME)).otherwise(old)
                found = found.withColumn(column.name, new)
        return found.coalesce(1) if rows.files == 1 else found

    def carry_out(self, step: Step, latest: int = 0) -> None:
        """One step; `latest` is what steps back are counted from. Raises whatever the library raises."""
        if getattr(step, "way", "") == SQL:
            self._say(step, latest)
        elif isinstance(step, Optimize | Reorg | Vacuum | Restore):
            self._see_to(step, latest)
        else:
            self._call(step)

    def _call(self, step: Step) -> None:
        match step:
            case Create():
                self._create(step)
            case Append() | Overwrite() | ReplaceWhere() | OverwritePartitions():
                self._write(step)
            case Delete():
                self.handle.delete(given(step.condition, typed=step.typed))
            case Update():
                self.handle.update(given(step.condition, typed=step.typed), dict(step.values))
            case Merge():
                self._merge(step)
            case Restart():
                self._handle = None
                self.spark.catalog.clearCache()
            case Settings():
                ds.register(self.spark)
            case Probe():
                pass
            case _:
                self._alter(step)

    def _say(self, step: Step, latest: int) -> None:
        """The step as SQL."""
        rows = given_rows(step)
        if rows is not None:
            self.frame(rows).createOrReplaceTempView(VIEW)
        version = max(0, latest - step.back) if isinstance(step, Restore) else 0
        columns = self.rows().columns if isinstance(step, ReplaceWhere) else ()
        text = statement(step, f"delta.`{self.path}`", columns=columns, version=version)
        assert text is not None, step
        ds.sql(self.spark, text)

    def _see_to(self, step: Upkeep, latest: int) -> None:
        match step:
            case Optimize():
                self._optimize(step)
            case Reorg():
                ds.reorg_purge(self.spark, self.path)
            case Vacuum(is_lite=True):
                Table(self.path, session=UNCHECKED).vacuum(None if step.retains else 0, kind="LITE")
            case Vacuum():
                self.handle.vacuum(None if step.retains else 0)
            case Restore():
                self.handle.restoreToVersion(max(0, latest - step.back))

    def _optimize(self, step: Optimize) -> None:
        optimize = self.handle.optimize()
        optimize = optimize if step.condition is None else optimize.where(step.condition)
        if step.order_by:
            optimize.executeZOrderBy(*map(quoted, step.order_by))
        else:
            optimize.executeCompaction()

    def moved(self, step: Move, into: str, version: int = 0) -> Subject:
        """The table that a CLONE of `version` or a CONVERT makes. Raises whatever the library raises."""
        if isinstance(step, Convert):
            parquet_copy(self.rows(), into, step.partition_by)
        if step.way == SQL:
            text = statement(step, f"delta.`{self.path}`", version=version, into=into)
            assert text is not None
            ds.sql(self.spark, text)
        elif isinstance(step, Convert):
            parts = ", ".join(step.partition_by)
            ds.convert_to_delta(self.spark, f"parquet.`{into}`", parts or None)
        else:
            Table(self.path).clone(into, version=version)
        return Subject(self.spark, into, is_steady=self._is_steady)

    def _create(self, step: Create) -> None:
        if step.way == DDL:
            Table.create(
                self.path, definitions(step), partition_columns=step.partition_by, properties=dict(step.properties)
            )
        elif step.way == SOURCE:
            options = {"saveMode": "error", "partitionBy": json.dumps(step.partition_by), **dict(step.properties)}
            self._save(step.rows, "append", options)
        else:
            rows, properties = self.frame(step.rows), dict(step.properties)
            ds.write(rows, self.path, partition_by=step.partition_by, properties=properties)

    def _write(self, step: Write) -> None:
        mode = "append" if isinstance(step, Append) else "overwrite"
        options = write_options(step)
        if step.way == SOURCE:
            self._save(step.rows, mode, options)
        else:
            ds.write(self.frame(step.rows), self.path, mode=mode, options=options)

    def _save(self, rows: Rows, mode: str, options: dict[str, str]) -> None:
        self.frame(rows).write.format("deltaresolver").mode(mode).options(**options).save(self.path)

    def _merge(self, step: Merge) -> None:
        target = self.handle.alias("target")
        builder = target.merge(self.frame(step.source).alias("source"), step.condition)
        for clause in step.clauses:
            builder = with_clause(builder, clause)
        (builder.withSchemaEvolution() if step.evolves else builder).execute()

    def _alter(self, step: Step) -> None:
        table = Table(self.path) if self._handle is None else self.handle.table
        match step:
            case AddColumn():
                table.sql(f"ALTER TABLE t ADD COLUMNS ({definition(step.column)})")
            case RenameColumn():
                table.rename_column(quoted(step.name), step.to)
            case DropColumn():
                table.drop_columns(quoted(step.name))
            case WidenColumn():
                table.change_column(quoted(step.name), type=step.type)
            case SetProperties():
                table.alter(dict(step.properties))
            case AddCheck():
                table.add_constraint(step.name, step.condition, row_check=ds.row_check(self.spark, self.path))

    # --- reading ---------------------------------------------------------------------------------

    def rows(self, where: str | None = None, *, version: int | None = None) -> DataFrame:
        """The table by `ds.read`."""
        return ds.read(self.spark, self.path, where=where, version=version).drop(IDENTITY)

    def source_rows(self, where: str | None = None, *, version: int | None = None) -> DataFrame:
        """The table by the data source."""
        reader = self.spark.read.format("deltaresolver")
        if version is not None:
            reader = reader.option("versionAsOf", version)
        rows = reader.load(self.path).drop(IDENTITY)
        return rows if where is None else rows.where(where)

    def feed(self, version: int) -> DataFrame:
        """The changes of a version."""
        feed = ds.ChangeFeed(starting_version=version, ending_version=version)
        return ds.read(self.spark, self.path, change_feed=feed).drop(IDENTITY)

    def numbered(self) -> DataFrame:
        """The rows with the numbers of `IDENTITY`."""
        return ds.read(self.spark, self.path)

    def ids(self) -> DataFrame:
        """The rows with their ids."""
        return ds.read(self.spark, self.path, row_tracking=True)


def given(condition: str | None, *, typed: bool) -> Any:
    """A condition as a text or as a Column."""
    from pyspark.sql import functions

    return functions.expr(condition) if typed and condition is not None else condition


def given_rows(step: Step) -> Rows | None:
    """The rows that a step brings along."""
    found = getattr(step, "source", None) or getattr(step, "rows", None)
    return found if isinstance(found, Rows) else None


def parquet_copy(rows: DataFrame, path: str, partition_by: Sequence[str]) -> None:
    """Rows as plain Parquet files; `partition_by` are columns as a definition has them, each with its type."""
    names = [each.rpartition(" ")[0].strip("`").replace("``", "`") for each in partition_by]
    writer = rows.write
    (writer.partitionBy(*names) if names else writer).parquet(path)


def write_options(step: Write) -> dict[str, str]:
    """The options of a write, which delta-spark's writer takes as well."""
    match step:
        case Append(merge_schema=True):
            return {"mergeSchema": "true"}
        case ReplaceWhere():
            return {"replaceWhere": step.condition}
        case OverwritePartitions():
            return {"partitionOverwriteMode": "dynamic"}
        case _:
            return {}


def with_clause(builder: Any, clause: Clause) -> Any:
    """A MERGE with one more clause, by the methods of `delta.tables`."""
    values = None if clause.values is None else dict(clause.values)
    if clause.rows == BY_SOURCE:
        if clause.act == DELETE:
            return builder.whenNotMatchedBySourceDelete(clause.condition)
        return builder.whenNotMatchedBySourceUpdate(clause.condition, values)
    if clause.rows == MATCHED:
        if clause.act == DELETE:
            return builder.whenMatchedDelete(clause.condition)
        if values is None:
            return builder.whenMatchedUpdateAll(clause.condition)
        return builder.whenMatchedUpdate(clause.condition, values)
    if values is None:
        return builder.whenNotMatchedInsertAll(clause.condition)
    return builder.whenNotMatchedInsert(clause.condition, values)


def names(steps: Sequence[Step]) -> list[str]:
    """The kinds of steps, for records."""
    return [type(step).__name__ for step in steps]
