"""Writes through the DataFrame API: modes, rules of the table, what is replaced, and what is left after a failure."""

from __future__ import annotations

import threading
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

import deltaresolver.spark as ds
from deltaresolver.errors import (
    ColumnNotWritableError,
    ConcurrentModificationError,
    DeltaResolverError,
    ReplaceWhereMismatchError,
    RowViolationError,
    TableExistsError,
    WriteJobFailedError,
    WriteSchemaMismatchError,
)
from deltaresolver.model.actions import AddFile, ChangeFile
from deltaresolver.table import Table

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

pytestmark = pytest.mark.spark

RULES = {
    "type": "struct",
    "fields": [
        {
            "name": "id",
            "type": "long",
            "nullable": True,
            "metadata": {
                "delta.identity.start": 1,
                "delta.identity.step": 1,
                "delta.identity.allowExplicitInsert": False,
            },
        },
        {"name": "a", "type": "integer", "nullable": False, "metadata": {}},
        {"name": "b", "type": "integer", "nullable": True, "metadata": {"delta.generationExpression": "a * 2"}},
        {"name": "c", "type": "string", "nullable": True, "metadata": {"CURRENT_DEFAULT": "'x'"}},
        {"name": "v", "type": "string", "nullable": True, "metadata": {"__CHAR_VARCHAR_TYPE_STRING": "varchar(3)"}},
    ],
}


def rows_of(spark: SparkSession, path: Path) -> list[tuple[Any, ...]]:
    return sorted((tuple(row) for row in ds.read(spark, path).collect()), key=str)


def folders(path: Path) -> Sequence[str]:
    return sorted(each.name for each in path.iterdir() if each.name != "_delta_log")


def orphans(path: Path) -> set[str]:
    """Data files on disk that no version of the table knows."""
    table = Table(path)
    known = {
        add.path
        for version in range(table.snapshot().table_version + 1)
        for add in table.snapshot(version).add_actions()
    }
    return {str(file.relative_to(path)) for file in path.rglob("*.parquet") if "_delta_log" not in file.parts} - known


def test_each_mode_writes_what_its_name_means(spark: SparkSession, tmp_path: Path) -> None:
    path = tmp_path / "a b%20c"
    ds.write(spark.range(3), path)
    with pytest.raises(TableExistsError) as refused:
        ds.write(spark.range(3), path)
    assert refused.value.delta_condition == "DELTA_PATH_EXISTS"
    assert ds.write(spark.range(9), path, mode="ignore") is None
    ds.write(spark.range(3, 5), path, mode="append", options={"maxRecordsPerFile": 1, "userMetadata": "more"})
    assert rows_of(spark, path) == [(0,), (1,), (2,), (3,), (4,)]
    newest = Table(path).history(1)[0]
    assert newest.info.fields["userMetadata"] == "more"
    ds.write(spark.range(7, 8), path, mode="overwrite")
    assert rows_of(spark, path) == [(7,)]
    assert not orphans(path)
    assert not list(path.rglob(".*.crc"))
    before = Table(path).snapshot().table_version
    assert ds.write(spark.range(0), path, mode="append") is None
    assert Table(path).snapshot().table_version == before
    assert not orphans(path)


def test_an_overwrite_leaves_clustering_alone_and_one_of_the_schema_ends_it(
    spark: SparkSession, tmp_path: Path
) -> None:
    rows = spark.range(3).selectExpr("id", "id + 1 AS v")

    def overwrite(frame: DataFrame, **options: str) -> None:
        ds.write(frame, tmp_path / "t", mode="overwrite", options=options)

    def clustering() -> str:
        return Table(tmp_path / "t").snapshot().domains["delta.clustering"].configuration

    ds.write(rows, tmp_path / "t")
    Table(tmp_path / "t").cluster_by("id")
    overwrite(rows)
    assert '[["id"]]' in clustering()
    overwrite(rows.select("v"), overwriteSchema="true")
    assert '"clusteringColumns":[]' in clustering()
    overwrite(rows.select("v"), overwriteSchema="true")
    assert Table(tmp_path / "t").snapshot().table_version == 4


def test_an_applications_write_is_made_once(spark: SparkSession, tmp_path: Path) -> None:
    for version, made in ((3, True), (3, False), (2, False), (4, True)):
        options = {"txnAppId": "job", "txnVersion": version}
        assert (ds.write(spark.range(1), tmp_path / "t", mode="append", options=options) is not None) is made
    assert ds.read(spark, tmp_path / "t").count() == 2


def test_rows_are_completed_and_checked(spark: SparkSession, tmp_path: Path) -> None:
    path = tmp_path / "t"
    properties = {"delta.constraints.pos": "a > 0", "delta.feature.allowColumnDefaults": "supported"}
    Table.create(path, RULES, properties=properties)
    ds.write(spark.sql("select 1 a union all select 2").coalesce(1), path, mode="append")
    ds.write(spark.sql("select 3 a, 'abc' v, 6 b"), path, mode="append")
    found = rows_of(spark, path)
    assert [row[1:] for row in sorted(found, key=lambda row: row[1])] == [
        (1, 2, "x", None),
        (2, 4, "x", None),
        (3, 6, "x", "abc"),
    ]
    assert len({row[0] for row in found}) == 3
    refused: list[tuple[str, type[DeltaResolverError], str]] = [
        ("select -1 a", RowViolationError, "DELTA_VIOLATE_CONSTRAINT_WITH_VALUES"),
        ("select cast(null as int) a", RowViolationError, "DELTA_NOT_NULL_CONSTRAINT_VIOLATED"),
        ("select 'q' c", RowViolationError, "DELTA_NOT_NULL_CONSTRAINT_VIOLATED"),
        ("select 1 a, 5 b", RowViolationError, "DELTA_VIOLATE_CONSTRAINT_WITH_VALUES"),
        ("select 1 a, 'abcd' v", RowViolationError, "DELTA_EXCEED_CHAR_VARCHAR_LIMIT"),
        ("select 1 a, 7L id", ColumnNotWritableError, "DELTA_IDENTITY_COLUMNS_EXPLICIT_INSERT_NOT_SUPPORTED"),
        ("select 1 a, 2 zz", WriteSchemaMismatchError, "DELTA_METADATA_MISMATCH"),
        ("select 'x' a", WriteSchemaMismatchError, "DELTA_FAILED_TO_MERGE_FIELDS"),
    ]
    before = folders(path)
    for sql, kind, condition in refused:
        with pytest.raises(kind) as error:
            ds.write(spark.sql(sql), path, mode="append")
        assert error.value.delta_condition == condition, sql
    with pytest.raises(WriteJobFailedError, match=r"\[USER_RAISED_EXCEPTION\] no"):
        ds.write(spark.sql("select raise_error('no')::int a"), path, mode="append")
    assert folders(path) == before
    ds.write(spark.sql("select 9 a, 2 zz"), path, mode="append", options={"mergeSchema": True})
    assert len({row[0] for row in rows_of(spark, path)}) == 4


def test_replace_where_replaces_the_rows_of_its_condition(spark: SparkSession, tmp_path: Path) -> None:
    path = tmp_path / "t"
    source = spark.range(20).selectExpr("id", "id % 2 g").coalesce(1)
    ds.write(source, path, partition_by="g", properties={"delta.enableChangeDataFeed": "true"})
    new = spark.sql("select 100L id, 1L g")
    by_partition = ds.write(new, path, mode="overwrite", options={"replaceWhere": "g = 1"})
    assert by_partition is not None
    assert not any(isinstance(action, ChangeFile) for action in by_partition.actions)
    by_data = ds.write(spark.sql("select 6L id, 0L g"), path, mode="overwrite", options={"replaceWhere": "id < 9"})
    assert by_data is not None
    assert any(isinstance(action, ChangeFile) for action in by_data.actions)
    wanted = [(10, 0), (100, 1), (12, 0), (14, 0), (16, 0), (18, 0), (6, 0)]
    assert rows_of(spark, path) == wanted
    changes = ds.read(spark, path, change_feed=ds.ChangeFeed(starting_version=2))
    kinds = sorted((row["_change_type"], row["id"]) for row in changes.collect())
    assert kinds == [("delete", 0), ("delete", 2), ("delete", 4), ("delete", 6), ("delete", 8), ("insert", 6)]
    before = folders(path)
    with pytest.raises(ReplaceWhereMismatchError):
        ds.write(new, path, mode="overwrite", options={"replaceWhere": "id < 9"})
    assert folders(path) == before
    dynamic = {"partitionOverwriteMode": "dynamic"}
    ds.write(spark.sql("select 7L id, 1L g"), path, mode="overwrite", options=dynamic)
    assert rows_of(spark, path) == sorted([(7, 1), *(row for row in wanted if row[1] == 0)], key=str)


@pytest.mark.parametrize("vectors", ["true", "false"])
def test_delete_removes_the_rows_of_its_condition(spark: SparkSession, tmp_path: Path, vectors: str) -> None:
    path = tmp_path / "t"
    ds.write(spark.range(20).coalesce(2), path, properties={"delta.enableDeletionVectors": vectors})
    for condition in ("id in (3, 4, 15)", "id = 5", "id >= 10", "id = 99"):
        ds.delete(spark, path, condition)
    assert [row[0] for row in rows_of(spark, path)] == [0, 1, 2, 6, 7, 8, 9]
    files = list(Table(path).snapshot().add_actions())
    assert any(file.deletion_vector is not None for file in files) is (vectors == "true")
    ds.delete(spark, path)
    assert rows_of(spark, path) == []


def test_two_writers_at_once_leave_each_others_files_alone(spark: SparkSession, tmp_path: Path) -> None:
    path = tmp_path / "t"
    ds.write(spark.range(0, 1), path)
    failed: list[BaseException] = []

    def append(start: int) -> None:
        try:
            ds.write(spark.range(start, start + 10), path, mode="append")
        except BaseException as error:  # noqa: BLE001 - a thread tells the test by this list
            failed.append(error)

    threads = [threading.Thread(target=append, args=(start,)) for start in (100, 200, 300)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not failed
    assert ds.read(spark, path).count() == 31
    assert not orphans(path)


def test_writers_at_once_never_give_a_number_twice(spark: SparkSession, tmp_path: Path) -> None:
    path = tmp_path / "t"
    Table.create(path, {"type": "struct", "fields": [RULES["fields"][0], RULES["fields"][4]]})
    lost: list[BaseException] = []

    def append(text: str) -> None:
        try:
            ds.write(spark.sql(f"select '{text}' v from range(5)"), path, mode="append")
        except BaseException as error:  # noqa: BLE001 - a thread tells the test by this list
            lost.append(error)

    threads = [threading.Thread(target=append, args=(text,)) for text in "abc"]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert all(isinstance(error, ConcurrentModificationError) for error in lost), lost
    found = ds.read(spark, path).collect()
    assert len({row.id for row in found}) == len(found) == 5 * (3 - len(lost))
    assert not orphans(path)
    ds.write(spark.sql("select 'x' v from range(5)"), path, mode="append")
    more = ds.read(spark, path).collect()
    assert len({row.id for row in more}) == len(more) == len(found) + 5


def test_columns_may_come_in_another_order_and_case(spark: SparkSession, tmp_path: Path) -> None:
    path = tmp_path / "t"
    ds.write(spark.sql("select 1L id, named_struct('x', 1, 'y', 'a') s, array(named_struct('q', 1)) ar"), path)
    ds.write(
        spark.sql("select named_struct('Y', 'b', 'X', 2) S, 2 ID, array(named_struct('Q', 3)) ar"), path, mode="append"
    )
    found = sorted((row.id, row.s.x, row.s.y, row.ar[0].q) for row in ds.read(spark, path).collect())
    assert found == [(1, 1, "a", 1), (2, 2, "b", 3)]
    options = {"overwriteSchema": True}
    ds.write(spark.sql("select 'a' x, 1 y"), path, mode="overwrite", partition_by="y", options=options)
    assert Table(path).metadata.partition_columns == ("y",)
    assert rows_of(spark, path) == [("a", 1)]


def test_adds_say_what_they_hold(spark: SparkSession, tmp_path: Path) -> None:
    committed = ds.write(spark.range(5).coalesce(1), tmp_path / "t")
    assert committed is not None
    add = next(action for action in committed.actions if isinstance(action, AddFile))
    assert add.stats == '{"numRecords":5,"minValues":{"id":0},"maxValues":{"id":4},"nullCount":{"id":0}}'
    assert committed.commit_info.fields["operationParameters"] == {"mode": "ErrorIfExists", "partitionBy": "[]"}
