"""Rows that go missing between Spark and the log end a statement before its commit, whatever the reason."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

import deltaresolver.spark as ds
from deltaresolver.errors import RewriteMismatchError, RowsUnaccountedError
from deltaresolver.spark.changes.copied_rows import copied
from deltaresolver.spark.maintenance import file_rewriting
from deltaresolver.table import Table
from deltaresolver.transaction import operation as operations
from tests.spark.writing import row_count_faults as faults
from tests.spark.writing.row_count_faults import Fault, files_of
from tests.spark_job import run_job

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

pytestmark = pytest.mark.spark

Statement = Callable[["SparkSession", Path], object]


def append(spark: SparkSession, path: Path) -> object:
    return ds.write(spark.range(20, 24, 1, 2).selectExpr("id", "id % 2 _p", "'x' v"), path, mode="append")


def overwrite(spark: SparkSession, path: Path) -> object:
    return ds.write(spark.range(20, 24, 1, 2).selectExpr("id", "id % 2 _p", "'x' v"), path, mode="overwrite")


def replace(spark: SparkSession, path: Path) -> object:
    rows = spark.range(20, 24, 1, 2).selectExpr("id", "1L _p", "'x' v")
    return ds.write(rows, path, mode="overwrite", options={"replaceWhere": "_p = 1 and id > 3"})


def update(spark: SparkSession, path: Path) -> object:
    return ds.update(spark, path, {"v": "'new'"}, "id = 4 or id = 5")


def delete(spark: SparkSession, path: Path) -> object:
    return ds.delete(spark, path, "id = 4 or id = 5")


def merge(spark: SparkSession, path: Path) -> object:
    source = spark.sql("select 4L id, 0L _p, 'm' v union all select 100L, 1L, 'n' union all select 101L, 1L, 'n'")
    merging = ds.DeltaTable.forPath(spark, path).alias("t").merge(source.alias("s"), "t.id = s.id")
    return merging.whenMatchedUpdateAll().whenNotMatchedInsertAll().execute()


def insert(spark: SparkSession, path: Path) -> object:
    source = spark.sql("select 4L id, 0L _p, 'm' v union all select 100L, 1L, 'n' union all select 101L, 1L, 'n'")
    merging = ds.DeltaTable.forPath(spark, path).alias("t").merge(source.alias("s"), "t.id = s.id")
    return merging.whenNotMatchedInsertAll().execute()


PLAIN: dict[str, str] = {}
VECTORS = {"delta.enableDeletionVectors": "true"}
CHANGES = {"delta.enableChangeDataFeed": "true"}
CASES: list[tuple[Statement, Fault, dict[str, str]]] = [
    *[(each, faults.drop_a_file, PLAIN) for each in (append, overwrite, replace, update, delete, merge)],
    *[(each, faults.hide_partitions, PLAIN) for each in (append, overwrite, update, delete, merge)],
    *[(each, faults.drop_a_file, {**VECTORS, **CHANGES}) for each in (update, merge)],
    (delete, faults.drop_a_file, CHANGES),
    *[(each, faults.miscount, PLAIN) for each in (append, overwrite, update, delete, merge)],
    (append, faults.take_for_empty, PLAIN),
    *[(each, faults.lose_kept_rows, PLAIN) for each in (replace, delete, merge)],
    *[(each, faults.double_kept_rows, PLAIN) for each in (replace, delete, merge)],
    (delete, faults.lose_kept_rows, CHANGES),
    *[(update, faults.lose_updated_rows, each) for each in (PLAIN, VECTORS, CHANGES)],
    *[(merge, faults.lose_merged_rows, each) for each in (PLAIN, VECTORS)],
    *[(merge, faults.lose_inserted_rows, each) for each in (PLAIN, VECTORS)],
    *[(insert, faults.lose_inserted_rows, each) for each in (PLAIN, CHANGES)],
    (delete, faults.forget_an_add, PLAIN),
]


@pytest.mark.parametrize(
    ("statement", "fault", "properties"),
    CASES,
    ids=[f"{statement.__name__}-{fault.__name__}-{len(properties)}" for statement, fault, properties in CASES],
)
def test_a_lost_row_ends_the_statement(
    spark: SparkSession,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    statement: Statement,
    fault: Fault,
    properties: dict[str, str],
) -> None:
    path = tmp_path / "t"
    rows = spark.range(0, 12, 1, 1).selectExpr("id", "id % 2 _p", "'old' v")
    ds.write(rows, path, partition_by="_p", options=properties)
    before = files_of(path)
    with monkeypatch.context() as patch:
        fault(patch)
        with pytest.raises(RowsUnaccountedError) as refused:
            statement(spark, path)
    assert refused.value.code == "DR725"
    assert refused.value.details
    assert files_of(path) == before
    assert Table(path).snapshot().table_version == 0
    # And the same statement without the bug is committed, every row of it counted twice.
    statement(spark, path)
    metrics = Table(path).history(1)[0].info.fields["operationMetrics"]
    assert int(metrics["rowsAccountedFor"]) > 0 or statement is delete


def test_a_rewriting_that_loses_a_row(spark: SparkSession, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "t"
    ds.write(spark.range(0, 12, 1, 1), path, options=VECTORS)
    ds.delete(spark, path, "id = 1")
    before, rewriter = files_of(path), ds.SparkRewriter(spark)
    purge = operations.with_predicate("REORG", [])
    with monkeypatch.context() as patch:
        patch.setattr(file_rewriting, "copied", lambda rows, metadata: copied(rows.where("id <> 3"), metadata))
        with pytest.raises(RewriteMismatchError):
            rewriter.purge(Table(path), purge)
    with monkeypatch.context() as patch:
        faults.drop_a_file(patch)
        with pytest.raises(RowsUnaccountedError):
            rewriter.purge(Table(path), purge)
    assert files_of(path) == before
    assert Table(path).snapshot().table_version == 1
    rewriter.purge(Table(path), purge)
    assert Table(path).history(1)[0].info.fields["operationMetrics"]["rowsAccountedFor"] == "11"


def test_wrong_counts_in_the_log_do_not_make_rows_vanish(spark: SparkSession, tmp_path: Path) -> None:
    path = tmp_path / "t"
    ds.write(spark.range(0, 10, 1, 1), path)
    log = path / "_delta_log" / f"{0:020}.json"
    log.write_text(log.read_text().replace(r"\"numRecords\":10", r"\"numRecords\":9"))
    for checksum in (path / "_delta_log").glob("*.crc"):
        checksum.unlink()
    with pytest.raises(RowsUnaccountedError, match=r"does not add up"):
        ds.delete(spark, path, "id = 4")
    assert ds.read(spark, path).count() == 10


def test_repeated_tasks_count_once(tmp_path: Path) -> None:
    assert run_job("tests.spark.writing.repeated_tasks_job", tmp_path) == {
        "failed once": [1000, "1000"],
        "failed once below a shuffle": [1000, "1000"],
        "failed once after it": [1000, "1000"],
        "speculative": [1000, "1000"],
    }
