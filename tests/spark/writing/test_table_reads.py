"""Rows that come from the table they are written to: the transaction starts at the version they were read at."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from pyspark.sql.functions import lit

import deltaresolver.spark as ds
from deltaresolver.errors import (
    ConcurrentAppendError,
    ConcurrentDeleteReadError,
    MetadataChangedError,
    ReadTableGoneError,
    ReadVersionsDifferError,
)
from deltaresolver.table import Table
from tests.nasty import COLUMN_NAMES, HIDING_PLANS, STRINGS

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

    from deltaresolver.transaction.commit.committed import Committed

pytestmark = pytest.mark.spark

Program = Callable[["SparkSession", str], "DataFrame"]


@pytest.fixture
def table(spark: SparkSession, tmp_path: Path) -> str:
    """Ten rows, by `p` in two partitions."""
    path = str(tmp_path / "t")
    ds.write(spark.range(10).selectExpr("id", "id % 2 p"), path, partition_by="p")
    return path


def somebody_appends(spark: SparkSession, path: str, p: int = 0) -> None:
    ds.write(spark.range(77, 78).selectExpr("id", f"{p}L p"), path, mode="append")


def info(committed: Committed | None) -> Any:
    assert committed is not None
    return committed.commit_info.fields


def viewed(spark: SparkSession, path: str) -> DataFrame:
    ds.read(spark, path).createOrReplaceTempView("read_here")
    return spark.table("read_here")


def in_a_subquery(spark: SparkSession, path: str) -> DataFrame:
    viewed(spark, path)
    return spark.sql("select id, 0L p from range(20) where id in (select id + 1 from read_here where p = 1)")


def cached(spark: SparkSession, path: str) -> DataFrame:
    rows = ds.read(spark, path).cache()
    rows.count()
    return rows


def joined(spark: SparkSession, path: str) -> DataFrame:
    one, other = ds.read(spark, path).alias("one"), ds.read(spark, path).alias("other")
    return one.join(other, "id").select("id", "one.p")


def from_the_source(spark: SparkSession, path: str) -> DataFrame:
    ds.register(spark)
    return spark.read.format("deltaresolver").load(path)


def source_in_a_subquery(spark: SparkSession, path: str) -> DataFrame:
    from_the_source(spark, path).createOrReplaceTempView("by_source")
    return spark.sql("select id, 0L p from range(20) where id in (select id from by_source)")


SELF_READS: dict[str, Program] = {
    "select": lambda spark, path: ds.read(spark, path).selectExpr("id + 100 id", "p"),
    "with columns": lambda spark, path: (
        ds.read(spark, path).withColumns({"x": lit(1)}).withColumnRenamed("x", "p2").drop("p2")
    ),
    "aggregate": lambda spark, path: ds.read(spark, path).groupBy("p").count().selectExpr("count id", "p"),
    "union": lambda spark, path: spark.range(1).selectExpr("id", "id p").union(ds.read(spark, path)),
    "columns and condition": lambda spark, path: ds.read(spark, path, columns=["P", "id"], where="id > 2"),
    "self join": joined,
    "view": viewed,
    "subquery": in_a_subquery,
    "cache": cached,
    "DeltaTable": lambda spark, path: ds.DeltaTable.forPath(spark, path).toDF(),
    "data source": from_the_source,
    "data source in a subquery": source_in_a_subquery,
}
"""Rows that come from the latest version of the table."""

NARROWER = ("columns and condition",)
"""Those that another append need not concern."""

NO_SELF_READS: dict[str, Program] = {
    "other rows": lambda spark, path: spark.range(3).selectExpr("id", "id p"),
    "version 0": lambda spark, path: ds.read(spark, path, version=0),
    "version by option": lambda spark, path: ds.read(spark, path, options={"versionAsOf": "0"}),
    "text like a mark": lambda spark, path: spark.sql(
        "select 1L id, 0L p where 'deltaresolver.read:e30=;' is not null"
    ),
}


@pytest.mark.parametrize("program", SELF_READS.values(), ids=SELF_READS)
def test_an_append_of_the_tables_own_rows_is_not_blind(spark: SparkSession, table: str, program: Program) -> None:
    assert info(ds.write(program(spark, table), table, mode="append"))["isBlindAppend"] is False


def test_an_append_of_none_of_the_tables_own_rows_leaves_no_version(spark: SparkSession, table: str) -> None:
    assert ds.write(ds.read(spark, table).where("1 = 0"), table, mode="append") is None
    assert Table(table).snapshot().table_version == 0


@pytest.mark.parametrize("program", NO_SELF_READS.values(), ids=NO_SELF_READS)
def test_an_append_of_other_rows_is_blind(spark: SparkSession, table: str, program: Program) -> None:
    rows = program(spark, table)
    somebody_appends(spark, table)
    assert info(ds.write(rows, table, mode="append"))["isBlindAppend"] is True


@pytest.mark.parametrize("name", [name for name in SELF_READS if "source" not in name and name not in NARROWER])
def test_what_others_append_after_the_read_is_a_conflict(spark: SparkSession, table: str, name: str) -> None:
    rows = SELF_READS[name](spark, table)
    somebody_appends(spark, table)
    before = sorted(map(tuple, ds.read(spark, table).collect()))
    with pytest.raises(ConcurrentAppendError, match="the whole table") as refused:
        ds.write(rows, table, mode="append")
    assert refused.value.fix.startswith("Read the table again")
    assert sorted(map(tuple, ds.read(spark, table).collect())) == before
    assert Table(table).snapshot().table_version == 1


def test_deleted_rows_are_not_written_back(spark: SparkSession, table: str) -> None:
    rows = ds.read(spark, table, where="id = 0")
    ds.delete(spark, table, "id = 0")
    with pytest.raises(ConcurrentAppendError):  # the other rows of its file, written anew
        ds.write(rows, table, mode="append")
    rows = ds.read(spark, table, where="p = 1")
    ds.delete(spark, table, "p = 1")
    with pytest.raises(ConcurrentDeleteReadError):
        ds.write(rows, table, mode="append")
    assert ds.read(spark, table).where("id = 0 or p = 1").count() == 0
    assert info(ds.write(ds.read(spark, table, version=0, where="id = 0"), table, mode="append"))["isBlindAppend"]


def test_a_condition_on_partitions_narrows_what_was_read(spark: SparkSession, table: str) -> None:
    rows = ds.read(spark, table, where="p = 1")
    somebody_appends(spark, table, 0)
    found = ds.write(rows, table, mode="append")
    assert info(found)["readVersion"] == 0
    assert found is not None
    assert found.table_version == 2
    rows = ds.read(spark, table, where="p = 1")
    somebody_appends(spark, table, 1)
    with pytest.raises(ConcurrentAppendError):
        ds.write(rows, table, mode="append")


@pytest.mark.parametrize("options", [{}, {"replaceWhere": "p = 0"}, {"partitionOverwriteMode": "dynamic"}])
def test_an_overwrite_from_the_table_starts_at_the_version_read(
    spark: SparkSession, table: str, options: dict[str, str]
) -> None:
    rows = ds.read(spark, table, where="p = 0 and id < 5")
    assert info(ds.write(rows, table, mode="overwrite", options=options))["readVersion"] == 0
    rows = ds.read(spark, table, where="p = 0 and id < 5")
    somebody_appends(spark, table)
    with pytest.raises(ConcurrentAppendError):
        ds.write(rows, table, mode="overwrite", options=options)
    kept = 3 if not options else 3 + 5
    assert ds.read(spark, table).count() == kept + 1


def test_two_versions_in_one_write_are_refused(spark: SparkSession, table: str) -> None:
    one = ds.read(spark, table)
    somebody_appends(spark, table)
    with pytest.raises(ReadVersionsDifferError, match="versions 0 and 1") as refused:
        ds.write(one.union(ds.read(spark, table)), table, mode="append")
    assert refused.value.details["versions"] == [0, 1]
    restored = ds.read(spark, table).join(ds.read(spark, table, version=0), "id", "left_anti")
    assert ds.write(restored, table, mode="overwrite") is not None


def test_merge_and_changes_start_where_their_rows_were_read(spark: SparkSession, table: str) -> None:
    target = ds.DeltaTable.forPath(spark, table).alias("t")
    source = ds.read(spark, table).selectExpr("id + 5 id", "p").alias("s")
    merge = target.merge(source, "t.id = s.id").whenNotMatchedInsertAll()
    assert merge.execute().collect() == [(5, 0, 0, 5)]
    assert (info(target.last_commit)["readVersion"], info(target.last_commit)["isBlindAppend"]) == (0, False)
    with pytest.raises(ConcurrentAppendError):
        merge.execute()
    ds.read(spark, table).createOrReplaceTempView("stale")
    somebody_appends(spark, table)
    with pytest.raises(ConcurrentAppendError):
        ds.update(spark, table, {"id": "(select max(id) from stale)"}, "id = 3")
    ds.read(spark, table).createOrReplaceTempView("stale")
    assert info(ds.update(spark, table, {"id": "(select max(id) from stale)"}, "id = 3"))["readVersion"] == 2


def test_columns_and_tables_by_nasty_names_are_found(spark: SparkSession, tmp_path: Path) -> None:
    for number, name in enumerate(["a b", "x%20y", "é'\"", "w=1 ;", "[x]"]):
        path = str(tmp_path / name)
        column = COLUMN_NAMES[number % len(COLUMN_NAMES)]
        rows = spark.createDataFrame([(text,) for text in STRINGS], "v string").withColumnRenamed("v", column)
        ds.write(rows, path)
        link = tmp_path / f"link{number}"
        link.symlink_to(path)
        for spelt in (path, f"{path}/", link, Path(path)):
            frame = ds.read(spark, spelt).limit(1)
            assert info(ds.write(frame, path, mode="append"))["isBlindAppend"] is False


def test_rows_of_another_table_do_not_count(spark: SparkSession, table: str, tmp_path: Path) -> None:
    import shutil

    copy = str(tmp_path / "copy")
    shutil.copytree(table, copy)
    rows = ds.read(spark, copy)
    somebody_appends(spark, table)
    assert info(ds.write(rows, table, mode="append"))["isBlindAppend"] is True


def test_a_table_that_was_put_in_place_of_another_is_noticed(spark: SparkSession, table: str) -> None:
    import shutil

    rows = ds.read(spark, table)
    somebody_appends(spark, table)
    later = ds.read(spark, table)
    shutil.rmtree(table)
    ds.write(spark.range(1).selectExpr("id", "id p"), table)
    for frame in (rows, later):
        with pytest.raises(ReadTableGoneError):
            ds.write(frame, table, mode="append")
    changed = ds.read(spark, table)
    Table(table).alter({"delta.appendOnly": "true"})
    with pytest.raises(MetadataChangedError):
        ds.write(changed, table, mode="append")


def test_an_applications_write_from_stale_rows_is_still_made_once(spark: SparkSession, table: str) -> None:
    rows = ds.read(spark, table)
    batch = {"txnAppId": "me", "txnVersion": 3}
    assert ds.write(rows, table, mode="append", options=batch) is not None
    assert ds.write(rows, table, mode="append", options=batch) is None


def test_the_data_source_never_calls_an_append_blind(spark: SparkSession, table: str) -> None:
    ds.register(spark)
    spark.range(3).selectExpr("id", "id p").write.format("deltaresolver").mode("append").save(table)
    assert Table(table).history(1)[0].info.fields["isBlindAppend"] is False


@pytest.mark.parametrize("key", HIDING_PLANS)
def test_no_setting_hides_from_which_version_rows_were_read(spark: SparkSession, table: str, key: str) -> None:
    rows = spark.range(1).selectExpr("id", "id p").union(ds.read(spark, table))
    rows.createOrReplaceTempView("of_the_table")
    ds.delete(spark, table, "id = 0")
    spark.conf.set(key, HIDING_PLANS[key])
    try:
        for frame in (rows, spark.table("of_the_table")):
            with pytest.raises((ConcurrentAppendError, ConcurrentDeleteReadError)):
                ds.write(frame, table, mode="append")
        again = spark.range(1).selectExpr("id", "id p").union(ds.read(spark, table))
        assert info(ds.write(again, table, mode="append"))["isBlindAppend"] is False
        assert spark.conf.get(key) == HIDING_PLANS[key]
    finally:
        spark.conf.unset(key)
