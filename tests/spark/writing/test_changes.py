"""UPDATE and MERGE by the DataFrame API: against an oracle, refusals, conflicts, and what is left after a failure."""

from __future__ import annotations

import random
import threading
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from pyspark.sql import functions

import deltaresolver.spark as ds
from deltaresolver.errors import (
    AppendOnlyTableError,
    AssignmentInvalidError,
    ColumnNotWritableError,
    ConcurrentDeleteReadError,
    ConcurrentModificationError,
    DeltaResolverError,
    MergeAmbiguousError,
    MergeClauseError,
    ReadOptionInvalidError,
    RowViolationError,
    TableNotFoundError,
    UnknownColumnError,
    ValueNotAssignableError,
)
from deltaresolver.model.actions import RemoveFile
from deltaresolver.spark.held_settings import session_settings
from deltaresolver.table import Table
from deltaresolver.transaction.transaction import OptimisticTransaction
from tests.spark.writing.test_write import RULES, rows_of

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

pytestmark = pytest.mark.spark

Row = tuple[int, int | None]
"""A key and a number."""
VECTORS, FEED = "delta.enableDeletionVectors", "delta.enableChangeDataFeed"
FOR_FEW_ROWS = {"spark.sql.codegen.wholeStage": "false", "spark.sql.codegen.factoryMode": "NO_CODEGEN"}
CONDITIONS: list[tuple[str | None, Callable[[int], bool]]] = [
    (None, lambda _: True),
    ("{}.k % 2 = 0", lambda key: key % 2 == 0),
    ("{}.k > 6", lambda key: key > 6),
    ("{}.k <> 3", lambda key: key != 3),
]
SCHEMA = {
    "type": "struct",
    "fields": [
        RULES["fields"][0],
        {"name": "k", "type": "long", "nullable": False, "metadata": {}},
        {"name": "v", "type": "integer", "nullable": True, "metadata": {}},
        {"name": "s", "type": "string", "nullable": True, "metadata": {"__CHAR_VARCHAR_TYPE_STRING": "varchar(3)"}},
    ],
}


def on_disk(path: Path) -> set[str]:
    return {str(file.relative_to(path)) for file in path.rglob("*") if file.is_file()}


# --- the oracle ------------------------------------------------------------------------------------


def merged(table: list[Row], source: list[Row], clauses: list[tuple[str, str, int]]) -> list[Row]:
    """The rows of a table after a MERGE on equal keys, worked out one row at a time."""
    given = dict(source)

    def first(rows: str, key: int) -> str | None:
        found = (act for kind, act, condition in clauses if kind == rows and CONDITIONS[condition][1](key))
        return next(found, None)

    after: list[Row] = []
    for key, value in table:
        act = first("matched" if key in given else "lone", key)
        if act == "update":
            after.append((key, (given[key] or 0) + 100 if key in given else -1))
        elif act is None:
            after.append((key, value))
    known = {key for key, _ in table}
    after += [row for row in source if row[0] not in known and first("new", row[0]) == "insert"]
    return sorted(after, key=str)


def random_clauses(chance: random.Random) -> list[tuple[str, str, int]]:
    """Up to two clauses for each kind of rows, at least one; only the last of a kind is without a condition."""
    found = []
    for rows, acts in (("matched", ["update", "delete"]), ("new", ["insert"]), ("lone", ["update", "delete"])):
        count = chance.randint(0, 2)
        for place in range(count):
            condition = chance.randrange(0 if place == count - 1 else 1, len(CONDITIONS))
            found.append((rows, chance.choice(acts), condition))
    return found or [("matched", "delete", 0)]


def run_merge(table: ds.DeltaTable, source: DataFrame, clauses: list[tuple[str, str, int]]) -> None:
    builder = table.alias("t").merge(source.alias("s"), "t.k = s.k")
    for rows, act, number in clauses:
        text = CONDITIONS[number][0]
        condition = None if text is None else text.format("s" if rows == "new" else "t")
        if rows == "new":
            builder = builder.whenNotMatchedInsert(condition, {"k": "s.k", "v": "s.v"})
        elif rows == "matched" and act == "update":
            builder = builder.whenMatchedUpdate(condition, {"v": "coalesce(s.v, 0) + 100"})
        elif rows == "matched":
            builder = builder.whenMatchedDelete(condition)
        elif act == "update":
            builder = builder.whenNotMatchedBySourceUpdate(condition, {"v": functions.lit(-1)})
        else:
            builder = builder.whenNotMatchedBySourceDelete(condition)
    builder.execute()


@pytest.mark.parametrize("seed", range(5))
def test_merges_do_what_the_oracle_says(spark: SparkSession, tmp_path: Path, seed: int) -> None:
    with session_settings(spark, FOR_FEW_ROWS):
        chance = random.Random(seed)
        path = tmp_path / "t"
        table: list[Row] = [(key, chance.choice([None, key])) for key in range(12) if chance.random() < 0.7]
        properties = {VECTORS: chance.choice(["true", "false"]), FEED: chance.choice(["true", "false"])}
        ds.write(spark.createDataFrame(table, "k long, v int").repartition(2), path, properties=properties)
        for _ in range(2):
            source: list[Row] = [(key, chance.choice([None, key])) for key in range(15) if chance.random() < 0.5]
            clauses = random_clauses(chance)
            run_merge(ds.DeltaTable.forPath(spark, path), spark.createDataFrame(source, "k long, v int"), clauses)
            table = merged(table, source, clauses)
            assert rows_of(spark, path) == table, (seed, source, clauses)


# --- what is refused -------------------------------------------------------------------------------


def test_what_is_refused_leaves_nothing(spark: SparkSession, tmp_path: Path) -> None:
    path = tmp_path / "t"
    Table.create(path, SCHEMA, properties={"delta.constraints.small": "v < 100", VECTORS: "true"})
    ds.write(spark.sql("select id k, cast(id as int) v, 'a' s from range(6)").coalesce(1), path, mode="append")
    table = ds.DeltaTable.forPath(spark, path).alias("t")
    source = spark.sql("select 2L k, 5 v union all select 9, 9").alias("s")

    def merge(condition: str = "t.k = s.k") -> Any:
        return table.merge(source, condition)

    twice = table.merge(spark.sql("select 1L k from range(2)").alias("s"), "t.k = s.k")
    refused: list[tuple[Callable[[], object], type[DeltaResolverError], str | None]] = [
        (lambda: table.update("k = 1", {"zz": "1"}), AssignmentInvalidError, "DELTA_MISSING_SET_COLUMN"),
        (lambda: table.update(None, {"v": "1", "t.V": "2"}), AssignmentInvalidError, "DELTA_CONFLICT_SET_COLUMN"),
        (lambda: table.update(None, {"s.x": "1"}), AssignmentInvalidError, "DELTA_UNSUPPORTED_FIELD_UPDATE_NON_STRUCT"),
        (
            lambda: table.update(None, {"id": "1"}),
            ColumnNotWritableError,
            "DELTA_IDENTITY_COLUMNS_UPDATE_NOT_SUPPORTED",
        ),
        (lambda: table.update("k = 1", {}), AssignmentInvalidError, "DELTA_MISSING_SET_COLUMN"),
        (lambda: table.update("k = 1", {"v": "array(1)"}), ValueNotAssignableError, None),
        (lambda: table.update("k = 1", {"v": "5000000000"}), RowViolationError, "DELTA_CAST_OVERFLOW_IN_TABLE_WRITE"),
        (lambda: table.update("k = 1", {"k": "null"}), RowViolationError, "DELTA_NOT_NULL_CONSTRAINT_VIOLATED"),
        (lambda: table.update("k = 1", {"s": "'abcd'"}), RowViolationError, "DELTA_EXCEED_CHAR_VARCHAR_LIMIT"),
        (lambda: table.update("k = 1", {"v": "200"}), RowViolationError, "DELTA_VIOLATE_CONSTRAINT_WITH_VALUES"),
        (lambda: merge().execute(), MergeClauseError, "DELTA_MERGE_MISSING_WHEN"),
        (
            lambda: merge().whenMatchedDelete().whenMatchedUpdate(set={"v": "1"}).execute(),
            MergeClauseError,
            "DELTA_NON_LAST_MATCHED_CLAUSE_OMIT_CONDITION",
        ),
        (lambda: merge().whenMatchedUpdateAll().execute(), UnknownColumnError, "DELTA_MERGE_UNRESOLVED_EXPRESSION"),
        (
            lambda: merge().whenNotMatchedInsert(values={"id": "s.k", "k": "s.k"}).execute(),
            ColumnNotWritableError,
            "DELTA_IDENTITY_COLUMNS_EXPLICIT_INSERT_NOT_SUPPORTED",
        ),
        (
            lambda: merge().whenNotMatchedInsert(values={"k": "s.k", "K": "s.k"}).execute(),
            AssignmentInvalidError,
            "DELTA_DUPLICATE_COLUMNS_ON_INSERT",
        ),
        (
            lambda: merge().whenMatchedUpdate(set={"v": "s.v"}).whenNotMatchedInsert(values={"v": "s.v"}).execute(),
            RowViolationError,
            "DELTA_NOT_NULL_CONSTRAINT_VIOLATED",
        ),
        (
            lambda: twice.whenMatchedUpdate(set={"v": "7"}).execute(),
            MergeAmbiguousError,
            "DELTA_MULTIPLE_SOURCE_ROW_MATCHING_TARGET_ROW_IN_MERGE",
        ),
    ]
    before, rows = on_disk(path), rows_of(spark, path)
    for number, (act, kind, condition) in enumerate(refused):
        with pytest.raises(kind) as error:
            act()
        assert condition is None or error.value.delta_condition == condition, number
        assert on_disk(path) == before, number
    assert rows_of(spark, path) == rows
    with pytest.raises(TableNotFoundError):
        ds.update(spark, tmp_path / "none", {"v": "1"})
    table.setProperties({"delta.appendOnly": "true"})
    before = on_disk(path)
    with pytest.raises(AppendOnlyTableError):
        table.update("k = 1", {"v": "1"})
    assert on_disk(path) == before
    merge().whenNotMatchedInsert(values={"k": "s.k", "v": "s.v"}).execute()
    assert len({row.id for row in ds.read(spark, path).collect()}) == 7


# --- what is changed -------------------------------------------------------------------------------


def test_conditions_may_be_spark_columns(spark: SparkSession, tmp_path: Path) -> None:
    path = tmp_path / "t"
    ds.write(spark.range(6).selectExpr("id", "id % 2 p"), path, partition_by="p")
    table = ds.DeltaTable.forPath(spark, path).alias("t")
    source = spark.range(4, 8).withColumn("p", functions.lit(5))
    table.update(functions.col("t.id") == 1, {"t.p": functions.col("p") + 7})
    table.delete(functions.col("t.id") == 0)
    builder = table.merge(source, functions.col("t.id") == source["id"])
    builder = builder.whenMatchedUpdate(source["id"] == 5, {"p": source["p"]}).whenMatchedDelete()
    assert builder.whenNotMatchedInsertAll().execute().collect() == [(4, 1, 1, 2)]
    committed = table.last_commit
    assert rows_of(spark, path) == [(1, 8), (2, 0), (3, 1), (5, 5), (6, 5), (7, 5)]
    assert committed is not None
    parameters = committed.commit_info.fields["operationParameters"]
    assert parameters["notMatchedPredicates"] == '[{"actionType":"insert"}]'
    table.update("t.id > 100", {"p": "1"})
    assert table.last_commit is None
    assert table.merge(source, "false").whenMatchedDelete().execute().collect() == [(0, 0, 0, 0)]
    assert table.last_commit is None


@pytest.mark.parametrize("vectors", ["true", "false"])
def test_a_table_may_call_a_column_as_row_ids_are_called(spark: SparkSession, tmp_path: Path, vectors: str) -> None:
    path = tmp_path / "t"
    properties = {VECTORS: vectors, "delta.enableRowTracking": "true"}
    ds.write(
        spark.range(6).selectExpr("id AS row_id", "0 AS row_commit_version").coalesce(1), path, properties=properties
    )
    table = ds.DeltaTable.forPath(spark, path)
    table.update("row_id = 1", {"row_commit_version": "row_id + 10"})
    source = spark.createDataFrame([(2, 20), (7, 70)], "row_id long, row_commit_version int").alias("s")
    merge = table.alias("t").merge(source, "t.row_id = s.row_id")
    merge.whenMatchedUpdateAll().whenNotMatchedInsertAll().execute()
    table.delete("row_id = 3")
    assert rows_of(spark, path) == [(0, 0), (1, 11), (2, 20), (4, 0), (5, 0), (7, 70)]
    with pytest.raises(ReadOptionInvalidError):
        ds.read(spark, path, row_tracking=True)


def test_only_files_that_may_match_are_read_and_touched(
    spark: SparkSession, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "t"
    for start in (0, 100, 200):
        ds.write(spark.range(start, start + 10).selectExpr("id", "id v").coalesce(1), path, mode="append")
    third = {add.path for add in Table(path).snapshot(2).add_actions()} - {
        add.path for add in Table(path).snapshot(1).add_actions()
    }
    source = spark.sql("select 203L id, 7L v union all select 205L, 8L")
    table = ds.DeltaTable.forPath(spark, path).alias("t")
    table.merge(source.alias("s"), "t.id = s.id").whenMatchedUpdateAll().execute()
    committed = table.last_commit
    assert committed is not None
    assert {action.path for action in committed.actions if isinstance(action, RemoveFile)} == third
    # A file that keys of the source cannot lie in was not read, so nobody who removes it is in the way.
    builder = table.merge(source.alias("s"), "t.id = s.id").whenMatchedUpdateAll()
    assert run_between(monkeypatch, builder.execute, lambda: ds.delete(spark, path, "id < 50")) is None
    before = on_disk(path)
    lost = run_between(monkeypatch, builder.execute, lambda: ds.delete(spark, path, "id >= 200"))
    assert isinstance(lost, ConcurrentDeleteReadError)
    assert ds.read(spark, path).count() == 10
    assert {name for name in on_disk(path) - before if name.endswith(".parquet")} == {
        add.path for add in Table(path).snapshot().add_actions() if add.path not in before
    }


def run_between(
    monkeypatch: pytest.MonkeyPatch, execute: Callable[[], object], meanwhile: Callable[[], object]
) -> BaseException | None:
    """Run a change while another is committed after it has read; the error that it ends with."""
    prepare = OptimisticTransaction._prepare
    waiting = [meanwhile]

    def interrupted(self: OptimisticTransaction, *arguments: Any) -> Any:
        while waiting:
            waiting.pop()()
        return prepare(self, *arguments)

    with monkeypatch.context() as patched:
        patched.setattr(OptimisticTransaction, "_prepare", interrupted)
        try:
            execute()
        except ConcurrentModificationError as error:
            return error
    return None


def test_two_merges_at_once_never_change_a_row_twice(spark: SparkSession, tmp_path: Path) -> None:
    path = tmp_path / "t"
    ds.write(spark.range(10).selectExpr("id", "0 v").coalesce(1), path, properties={VECTORS: "true"})
    table = ds.DeltaTable.forPath(spark, path).alias("t")
    lost: list[BaseException] = []

    def add_one() -> None:
        source = spark.range(5, 15).alias("s")
        builder = table.merge(source, "t.id = s.id").whenMatchedUpdate(set={"v": "v + 1"})
        try:
            builder.whenNotMatchedInsert(values={"id": "s.id", "v": "1"}).execute()
        except ConcurrentModificationError as error:
            lost.append(error)

    threads = [threading.Thread(target=add_one) for _ in range(2)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    done = 2 - len(lost)
    assert done >= 1
    wanted = [(key, 0) for key in range(5)] + [(key, done) for key in range(5, 15)]
    assert rows_of(spark, path) == sorted(wanted, key=str)
    known = {add.path for version in range(done + 1) for add in Table(path).snapshot(version).add_actions()}
    assert {name for name in on_disk(path) if name.endswith(".parquet") and "_delta_log" not in name} == known
