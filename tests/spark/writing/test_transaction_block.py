"""`ds.transaction`: several statements, one commit, or nothing at all."""

from __future__ import annotations

import contextvars
import threading
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

import deltaresolver.spark as ds
from deltaresolver.errors import (
    ConcurrentAppendError,
    DeltaResolverError,
    ReadVersionsDifferError,
    RowViolationError,
    TableNotFoundError,
    TransactionBlockError,
    WriteSchemaMismatchError,
)
from deltaresolver.spark.block.active import TransactionBlock
from deltaresolver.table import Table

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

pytestmark = pytest.mark.spark

VECTORS = {"delta.enableDeletionVectors": "true"}


def make(spark: SparkSession, path: Path, **properties: str) -> str:
    """Ten rows, by `p` in two partitions."""
    named = {f"delta.{name}": value for name, value in properties.items()}
    ds.write(spark.range(10).selectExpr("id", "id % 2 p"), path, partition_by="p", properties=named)
    return str(path)


def ids(spark: SparkSession, path: str) -> list[int]:
    return sorted(row.id for row in ds.read(spark, path).collect())


def somebody_appends(spark: SparkSession, path: str, p: int = 0) -> None:
    """In a thread, which is outside of every block."""
    rows = spark.range(77, 78).selectExpr("id", f"{p}L p")
    thread = threading.Thread(target=lambda: ds.write(rows, path, mode="append"))
    thread.start()
    thread.join()


def files(path: str) -> set[str]:
    """All files of the table but its log."""
    root = Path(path)
    return {
        str(each.relative_to(root)) for each in root.rglob("*") if each.is_file() and "_delta_log" not in each.parts
    }


def known_files(path: str) -> set[str]:
    table = Table(path)
    known: set[str] = set()
    for version in range(table.snapshot().table_version + 1):
        known |= {add.path for add in table.snapshot(version).add_actions()}
    return known


@pytest.mark.parametrize("vectors", ["true", "false"])
def test_read_modify_write_is_one_commit(spark: SparkSession, tmp_path: Path, vectors: str) -> None:
    path = make(spark, tmp_path / "t", enableDeletionVectors=vectors)
    with ds.transaction(spark, path) as tx:
        old = ds.read(spark, path, where="p = 1")
        assert ds.delete(spark, path, "id in (1, 3, 5)") is not None
        assert ids(spark, path) == [0, 2, 4, 6, 7, 8, 9]  # statements see what those before did
        ds.write(old.where("id < 4").selectExpr("id + 100 id", "p"), path, mode="append")
        ds.update(spark, path, {"id": "id + 1000"}, "id = 101")
        target = ds.DeltaTable.forPath(spark, path).alias("t")
        target.merge(spark.range(6, 12).alias("s"), "t.id = s.id").whenMatchedDelete("s.id = 8").whenNotMatchedInsert(
            values={"id": "s.id", "p": "0"}
        ).execute()
        assert Table(path).snapshot().table_version == 0
    assert tx.committed is not None
    assert tx.committed.table_version == 1
    assert ids(spark, path) == [0, 2, 4, 6, 7, 9, 10, 11, 103, 1101]
    info = tx.committed.commit_info.fields
    assert (info["operation"], info["readVersion"], info["isBlindAppend"]) == ("TRANSACTION", 0, False)
    assert info["operationParameters"] == {"statements": '["DELETE","WRITE","UPDATE","MERGE"]'}
    assert tx.metrics["numStatements"] == "4"
    assert [row.id for row in ds.read(spark, path, version=0).orderBy("id").collect()] == list(range(10))
    on_disk = {name for name in files(path) if name.endswith(".parquet")}
    assert on_disk == known_files(path)  # files that a later statement took out again are deleted


def test_one_statement_keeps_its_own_operation(spark: SparkSession, tmp_path: Path) -> None:
    path = make(spark, tmp_path / "t")
    with ds.transaction(spark, path, user_metadata="why") as tx:
        ds.write(ds.read(spark, path).where("id < 3"), path, mode="overwrite")
    assert tx.committed is not None
    info = tx.committed.commit_info.fields
    assert (info["operation"], info["operationParameters"]["mode"], info["userMetadata"]) == (
        "WRITE",
        "Overwrite",
        "why",
    )
    assert ids(spark, path) == [0, 1, 2]


def test_appends_alone_are_blind_and_an_empty_block_makes_no_commit(spark: SparkSession, tmp_path: Path) -> None:
    path = make(spark, tmp_path / "t")
    with ds.transaction(spark, path) as tx:
        for number in (20, 30):
            ds.write(spark.range(number, number + 1).selectExpr("id", "0L p"), path, mode="append")
        somebody_appends(spark, path)
        assert 77 not in ids(spark, path)  # the table stands still inside
    assert tx.committed is not None
    assert tx.committed.commit_info.fields["isBlindAppend"] is True
    assert tx.committed.table_version == 2
    assert ids(spark, path) == [*range(10), 20, 30, 77]
    with ds.transaction(spark, path) as tx:
        assert ds.delete(spark, path, "id = 4711") is None
        ds.read(spark, path).count()
    assert tx.committed is None
    assert tx.metrics == {}
    assert Table(path).snapshot().table_version == 2


def test_after_an_exception_nothing_is_left(spark: SparkSession, tmp_path: Path) -> None:
    path = make(spark, tmp_path / "t", enableDeletionVectors="true")
    ds.delete(spark, path, "id = 0")
    before = files(path)

    def interrupted() -> None:
        with ds.transaction(spark, path):
            ds.delete(spark, path, "id < 5")
            ds.write(spark.range(3).selectExpr("id", "id p"), path, mode="append")
            ds.update(spark, path, {"id": "0"}, "id = 7")
            assert files(path) > before
            raise ZeroDivisionError

    def refused() -> None:
        with ds.transaction(spark, path):
            ds.delete(spark, path, "id < 5")
            ds.write(spark.range(1).selectExpr("id nonsense"), path, mode="append")

    with pytest.raises(ZeroDivisionError):
        interrupted()
    assert files(path) == before
    assert ids(spark, path) == list(range(1, 10))
    assert Table(path).snapshot().table_version == 1
    with pytest.raises(WriteSchemaMismatchError):
        refused()
    assert files(path) == before
    assert ds.delete(spark, path, "id = 1") is not None  # the block is closed


def test_a_statement_that_fails_and_is_caught_leaves_the_others(spark: SparkSession, tmp_path: Path) -> None:
    path = make(spark, tmp_path / "t")
    ds.DeltaTable.forPath(spark, path).table.add_constraint("small", "id < 50", row_check=ds.row_check(spark, path))
    with ds.transaction(spark, path) as tx:
        ds.delete(spark, path, "p = 1")
        with pytest.raises(RowViolationError):
            ds.write(spark.range(90, 91).selectExpr("id", "id p"), path, mode="append")
    assert tx.committed is not None
    assert ids(spark, path) == [0, 2, 4, 6, 8]


@pytest.mark.parametrize(("p", "passes"), [(1, True), (0, False)])
def test_commits_of_others_are_judged_by_all_that_was_read(
    spark: SparkSession, tmp_path: Path, p: int, *, passes: bool
) -> None:
    path = make(spark, tmp_path / "t")
    before = files(path)

    def block() -> TransactionBlock:
        with ds.transaction(spark, path) as tx:
            rows = ds.read(spark, path, where="p = 0")
            ds.delete(spark, path, "p = 0")
            ds.write(rows.where("id > 4"), path, mode="append")
            somebody_appends(spark, path, p)
        return tx

    if passes:
        tx = block()
        assert tx.committed is not None
        assert tx.committed.table_version == 2
        assert ids(spark, path) == [1, 3, 5, 6, 7, 8, 9, 77]
        return
    with pytest.raises(ConcurrentAppendError):
        block()
    assert ids(spark, path) == [*range(10), 77]
    assert {name for name in files(path) if name.endswith(".parquet")} == known_files(path)
    assert before < files(path)


def test_frames_from_outside_are_of_the_blocks_version(spark: SparkSession, tmp_path: Path) -> None:
    path = make(spark, tmp_path / "t")
    stale = ds.read(spark, path)
    somebody_appends(spark, path)
    fresh = ds.read(spark, path)
    with ds.transaction(spark, path) as tx:
        with pytest.raises(ReadVersionsDifferError, match="versions 0 and 1"):
            ds.write(stale, path, mode="append")
        ds.write(fresh.where("id = 77"), path, mode="append")
        inside = ds.read(spark, path)
        assert inside.count() == 12
        assert ds.read(spark, path, version=0).count() == 10
    assert tx.committed is not None
    assert tx.committed.commit_info.fields["isBlindAppend"] is False
    with pytest.raises(TransactionBlockError, match="inside a transaction"):
        ds.write(inside, path, mode="append")


def test_what_cannot_be_part_of_a_block_is_refused(spark: SparkSession, tmp_path: Path) -> None:
    path, other = make(spark, tmp_path / "t"), make(spark, tmp_path / "other")
    caught: list[DeltaResolverError] = []

    def elsewhere(context: contextvars.Context) -> None:
        try:
            context.run(lambda: ds.delete(spark, path, "id = 1"))
        except DeltaResolverError as error:
            caught.append(error)

    with ds.transaction(spark, path):
        with pytest.raises(TransactionBlockError, match="open already"), ds.transaction(spark, f"{path}/"):
            pass
        with ds.transaction(spark, other):
            ds.delete(spark, other, "id = 1")
        assert ids(spark, other) == [0, *range(2, 10)]
        thread = threading.Thread(target=elsewhere, args=(contextvars.copy_context(),))
        thread.start()
        thread.join()
        with pytest.raises(TransactionBlockError, match="setProperties"):
            ds.DeltaTable.forPath(spark, path).setProperties({"delta.appendOnly": "true"})
    assert [type(error) for error in caught] == [TransactionBlockError]
    with pytest.raises(TableNotFoundError), ds.transaction(spark, tmp_path / "none"):
        pass


@pytest.mark.parametrize("name", ["enableChangeDataFeed", "enableRowTracking"])
def test_one_statement_only_where_change_data_or_row_ids_are_kept(
    spark: SparkSession, tmp_path: Path, name: str
) -> None:
    path = make(spark, tmp_path / "t", **{name: "true"})
    with ds.transaction(spark, path) as tx:
        for _ in range(2):
            ds.write(spark.range(20, 21).selectExpr("id", "0L p"), path, mode="append")
    assert tx.committed is not None
    if name == "enableRowTracking":
        rows: list[Any] = ds.read(spark, path, row_tracking=True).collect()
        assert sorted(row.row_id for row in rows) == list(range(12))

    def append() -> None:
        ds.write(spark.range(20, 21).selectExpr("id", "0L p"), path, mode="append")

    def delete() -> None:
        ds.delete(spark, path, "id = 1")

    def block(first: Callable[[], None], second: Callable[[], None]) -> None:
        with ds.transaction(spark, path):
            first()
            second()

    for first, second in ((append, delete), (delete, append)):
        with pytest.raises(TransactionBlockError, match=name):
            block(first, second)
    assert len(ids(spark, path)) == 12


def test_a_block_may_add_columns(spark: SparkSession, tmp_path: Path) -> None:
    path = make(spark, tmp_path / "t")
    with ds.transaction(spark, path) as tx:
        rows = spark.range(20, 21).selectExpr("id", "0L p", "'x' more")
        ds.write(rows, path, mode="append", options={"mergeSchema": "true"})
        ds.update(spark, path, {"more": "'y'"}, "id = 3")
    assert tx.committed is not None
    found = ds.read(spark, path).where("more is not null").orderBy("id").collect()
    assert [(row.id, row.more) for row in found] == [(3, "y"), (20, "x")]
