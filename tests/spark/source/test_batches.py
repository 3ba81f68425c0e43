"""DataFrame API and data source on the same tables: each reads what the other wrote, and both refuse the same."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

import deltaresolver.spark as ds
from deltaresolver.model.actions import AddFile
from deltaresolver.spark.source.settings import BATCH_BYTES, UNMEASURED
from deltaresolver.table import Table

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

pytestmark = pytest.mark.spark

FORMAT = "deltaresolver"


@pytest.fixture(autouse=True)
def registered(spark: SparkSession) -> None:
    ds.register(spark)


def test_registering_leaves_batches_unmeasured_unless_that_is_asked_for(spark: SparkSession) -> None:
    spark.conf.unset(BATCH_BYTES)
    usual = spark.conf.get(BATCH_BYTES)
    ds.register(spark, measure_batches=True)
    assert spark.conf.get(BATCH_BYTES) == usual != UNMEASURED
    ds.register(spark)
    assert spark.conf.get(BATCH_BYTES) == UNMEASURED
    spark.conf.set(BATCH_BYTES, "1000000")
    try:
        ds.register(spark)
        assert spark.conf.get(BATCH_BYTES) == "1000000"
    finally:
        spark.conf.unset(BATCH_BYTES)


def test_many_partition_columns_are_told_apart(spark: SparkSession, tmp_path: Path) -> None:
    # Codes of forty columns do not fit into 64 bits, and it is the first two that tell most of these rows apart.
    columns = [f"p{place}" for place in range(40)]
    digits = ["id % 3", "int(id / 3) % 3", *["if(id < 9, 0, id - 8)"] * 38]
    values = [f"cast({digit} as int) {name}" for digit, name in zip(digits, columns, strict=True)]
    rows = spark.range(0, 11, 1, 1).selectExpr("id", *values)
    path = tmp_path / "t"
    rows.write.format(FORMAT).mode("append").option("partitionBy", ",".join(columns)).save(str(path))
    expected = {row.id: tuple(str(row[name]) for name in columns) for row in rows.collect()}
    found = {}
    for add in Table(path).snapshot().add_actions():
        low = json.loads(add.stats or "{}")["minValues"]["id"]
        found[low] = tuple(add.partition_values[name] for name in columns)
    assert found == expected


def _rows(spark: SparkSession, count: int = 20) -> DataFrame:
    return spark.range(count).selectExpr(
        "id",
        "if(id % 5 = 0, null, concat('s ', id)) s",
        "cast(id % 2 as int) p",
        "parse_json('{\"a\":1}') v",
        "cast(id as decimal(20,2)) d",
        "array(named_struct('x', id)) arr",
        "map('k', named_struct('y', id)) m",
        "named_struct('inner', id, 'l', array(id)) st",
        "timestamp'2024-01-01 00:00:00.123456' t",
        "cast('2024-01-01 00:00:00' as timestamp_ntz) n",
        "date'2024-02-03' day",
        "if(id = 3, double('nan'), double(id)) f",
        "cast(id as tinyint) b",
        "unhex('00ff') raw",
    )


def _load(spark: SparkSession, path: Path, **options: object) -> DataFrame:
    return spark.read.format(FORMAT).options(**{key: str(value) for key, value in options.items()}).load(str(path))


def _same(left: DataFrame, right: DataFrame) -> bool:
    shown = [
        sorted(rows.selectExpr("to_json(struct(*))").collect(), key=str)  # variants and maps cannot be compared
        for rows in (left, right)
    ]
    assert left.schema.simpleString() == right.schema.simpleString()
    assert shown[0] == shown[1]
    return True


@pytest.mark.parametrize("mode", ["none", "name", "id"])
def test_each_interface_reads_what_the_other_wrote(spark: SparkSession, tmp_path: Path, mode: str) -> None:
    rows, path = _rows(spark), tmp_path / "t"
    writer = rows.write.format(FORMAT).mode("append").option("partitionBy", "p, day")
    writer.option("delta.columnMapping.mode", mode).option("delta.enableDeletionVectors", "true").save(str(path))
    assert _same(ds.read(spark, path), rows)
    assert _same(_load(spark, path), rows)
    ds.write(rows.limit(5), path, mode="append")
    ds.delete(spark, str(path), "id = 7")
    assert _same(_load(spark, path), ds.read(spark, path))
    assert _load(spark, path).where("id = 7").count() == 0
    assert _load(spark, path, versionAsOf=0).count() == 20
    assert _load(spark, path, columns="s,id", filesWhere="p = 1").columns == ["s", "id"]
    stats = [json.loads(add.stats or "{}") for add in Table(path).snapshot(0).add_actions()]
    names = {name for each in stats for name in each["nullCount"]}
    assert stats
    assert sum(each["numRecords"] for each in stats) == 20
    assert names
    if mode == "none":
        # A column with NaN has no bounds: for Spark NaN is the greatest number.
        assert [each for each in stats if "f" not in each["maxValues"]], stats


def test_overwrites_and_views_hold_the_rows_they_should(spark: SparkSession, tmp_path: Path) -> None:
    path = str(tmp_path / "t")
    rows = spark.range(10).selectExpr("id", "cast(id % 2 as int) p")
    write = rows.write.format(FORMAT)
    write.mode("append").option("partitionBy", '["p"]').save(path)
    rows.where("id < 4").write.format(FORMAT).mode("overwrite").save(path)
    assert _load(spark, Path(path)).count() == 4
    spark.range(1).selectExpr("id", "1 p").write.format(FORMAT).mode("overwrite").option(
        "partitionOverwriteMode", "dynamic"
    ).save(path)
    assert sorted(row.id for row in _load(spark, Path(path)).collect()) == [0, 0, 2]
    rows.where("id = 8").write.format(FORMAT).mode("overwrite").option("replaceWhere", "p = 0").save(path)
    spark.sql(f"CREATE OR REPLACE TEMPORARY VIEW doors USING {FORMAT} OPTIONS (path '{path}')")
    assert [row[0] for row in spark.sql("SELECT id FROM doors WHERE p = 0").collect()] == [8]
    assert [entry.operation for entry in Table(path).history()] == ["WRITE"] * 4
    for mode in ("ignore", "error"):
        again = rows.write.format(FORMAT).mode("append").option("saveMode", mode)
        if mode == "ignore":
            again.save(path)
        else:
            with pytest.raises(Exception, match="There is a Delta table at"):
                again.save(path)
    assert len(Table(path).history()) == 4


@pytest.mark.parametrize("vectors", ["true", "false"])
def test_rows_replaced_by_any_condition(spark: SparkSession, tmp_path: Path, vectors: str) -> None:
    path = str(tmp_path)
    rows = spark.range(40).selectExpr("id", "cast(id % 2 as int) p", "named_struct('x', id) st", "parse_json('1') v")
    write = rows.coalesce(1).write.format(FORMAT).mode("append").option("delta.enableDeletionVectors", vectors)
    write.option("partitionBy", "p").save(path)
    ds.delete(spark, path, "id = 7")
    new = spark.range(3, 6).selectExpr("id", "9 p", "named_struct('x', 0L) st", "parse_json('2') v")
    new.write.format(FORMAT).mode("overwrite").option("replaceWhere", "id < 10 and id <> 8").save(path)
    found = [(row.id, row.p, row.st.x) for row in ds.read(spark, path).collect()]
    kept = [number for number in range(40) if number == 8 or number >= 10]
    assert sorted(found) == sorted([(3, 9, 0), (4, 9, 0), (5, 9, 0), *((each, each % 2, each) for each in kept)])
    before = len(Table(path).history())
    # No row of the condition and none to write: no version. Doubles are not compared as partition values are.
    none = new.where("id > 99").write.format(FORMAT).mode("overwrite")
    none.option("replaceWhere", "cast(p as double) > 99.5").save(path)
    assert len(Table(path).history()) == before
    assert ds.read(spark, path).count() == len(found)
    # In one task: another that Spark still runs when the write is given up may leave a file, as docs/spark.md says.
    with pytest.raises(Exception, match="not among those that replaceWhere"):
        new.coalesce(1).write.format(FORMAT).mode("overwrite").option("replaceWhere", "id < 4").save(path)
    known = {add.path for version in range(5) for add in _adds(path, version)}
    assert {each.relative_to(tmp_path).as_posix() for each in tmp_path.rglob("w*/**/*.parquet")} <= known


def _adds(path: str, version: int) -> list[AddFile]:
    table = Table(path)
    return list(table.snapshot(version).add_actions()) if version <= table.snapshot().table_version else []


def _write(rows: DataFrame, door: str, path: Path, mode: str, options: dict[str, str]) -> None:
    if door == "source":
        rows.write.format(FORMAT).mode(mode).options(**options).save(str(path))
        return
    columns = options.get("partitionBy", "")
    others = {name: value for name, value in options.items() if name != "partitionBy"}
    ds.write(rows, path, mode=mode, partition_by=tuple(filter(None, columns.split(","))), options=others)


@pytest.mark.parametrize("door", ["fast", "source"])
def test_what_no_table_can_mean_is_refused_by_both_interfaces(spark: SparkSession, tmp_path: Path, door: str) -> None:
    path = tmp_path / "t"
    ds.write(spark.range(1).selectExpr("id", "1 p"), path)
    rows = spark.range(1).selectExpr("id", "1 p")
    cases: list[tuple[str, str, dict[str, str]]] = [
        ("overwrite", r"replaceWhere zz = 1 asks for zz", {"replaceWhere": "zz = 1"}),
        ("overwrite", r"cannot be read as a condition", {"replaceWhere": "p = = 1"}),
        ("append", r"maxRecordsPerFile must be a whole number", {"maxRecordsPerFile": "many"}),
        ("overwrite", r"All columns of the rows are partition", {"partitionBy": "id,p", "overwriteSchema": "true"}),
    ]
    for mode, message, options in cases:
        with pytest.raises(Exception, match=message):
            _write(rows, door, path, mode, options)
    assert Table(path).snapshot().table_version == 0
    assert len(list(path.rglob("w*/**/*.parquet"))) == len(list(Table(path).snapshot().add_actions()))


def test_replaced_rows_of_a_change_feed_are_left_to_the_dataframe_api(spark: SparkSession, tmp_path: Path) -> None:
    path = str(tmp_path)
    ds.write(spark.range(10).coalesce(1), path, properties={"delta.enableChangeDataFeed": "true"})
    with pytest.raises(Exception, match="does not write"):
        spark.range(1).write.format(FORMAT).mode("overwrite").option("replaceWhere", "id < 5").save(path)
    assert Table(path).snapshot().table_version == 0
    spark.range(100, 101).write.format(FORMAT).mode("overwrite").option("replaceWhere", "id >= 0").save(path)
    assert [row.id for row in ds.read(spark, path).collect()] == [100]


@pytest.mark.parametrize(
    ("properties", "versions"),
    [
        ({"delta.feature.deletionVectors": "supported"}, (3, 7)),
        ({"delta.minReaderVersion": "2", "delta.minWriterVersion": "5"}, (2, 5)),
    ],
)
def test_a_new_table_has_the_protocol_that_was_asked_for(
    spark: SparkSession, tmp_path: Path, properties: dict[str, str], versions: tuple[int, int]
) -> None:
    rows = spark.range(1)
    rows.write.format(FORMAT).mode("append").options(**properties).save(str(tmp_path / "source"))
    ds.write(rows, tmp_path / "fast", properties=properties)
    found = Table(tmp_path / "source").protocol
    assert found == Table(tmp_path / "fast").protocol
    assert (found.min_reader_version, found.min_writer_version) == versions


@pytest.mark.parametrize("columns", ["id,ID", "nope", "id,s"])
def test_a_table_is_not_partitioned_by_what_cannot_be(spark: SparkSession, tmp_path: Path, columns: str) -> None:
    rows = spark.sql("select 1 id, 's' s")
    with pytest.raises(Exception, match=r"DELTA_(DUPLICATE|PARTITION|CANNOT_USE_ALL)_COLUMN"):
        rows.write.format(FORMAT).mode("append").option("partitionBy", columns).save(str(tmp_path / "t"))
    assert not (tmp_path / "t").exists()


def test_a_write_of_an_application_is_made_once(spark: SparkSession, tmp_path: Path) -> None:
    for _ in range(2):
        spark.range(3).write.format(FORMAT).mode("append").option("txnAppId", "a").option("txnVersion", 1).save(
            str(tmp_path)
        )
    assert _load(spark, tmp_path).count() == 3


def test_changes_are_the_same_through_both_interfaces(spark: SparkSession, tmp_path: Path) -> None:
    rows = spark.range(10).selectExpr("id", "cast(id % 2 as int) p")
    properties = {"delta.enableChangeDataFeed": "true", "delta.enableDeletionVectors": "true"}
    ds.write(rows.coalesce(1), tmp_path, mode="append", partition_by="p", properties=properties)
    ds.delete(spark, str(tmp_path), "id = 3")
    ds.delete(spark, str(tmp_path), "p = 0")
    feed = _load(spark, tmp_path, readChangeFeed="true", startingVersion=0)
    fast = ds.read(spark, tmp_path, change_feed=ds.ChangeFeed(starting_version=0))
    assert _same(feed, fast)
    assert {row["_change_type"] for row in feed.collect()} == {"insert", "delete"}


def _table_with_rules(path: Path) -> None:
    schema = {
        "type": "struct",
        "fields": [
            {"name": "id", "type": "long", "nullable": False, "metadata": {}},
            {"name": "n", "type": "integer", "nullable": True, "metadata": {}},
            {
                "name": "twice",
                "type": "integer",
                "nullable": True,
                "metadata": {"delta.generationExpression": "n * 2"},
            },
        ],
    }
    Table.create(path, json.dumps(schema), properties={"delta.constraints.small": "n < 10"})


def test_rows_are_completed_and_checked(spark: SparkSession, tmp_path: Path) -> None:
    _table_with_rules(tmp_path)
    good = spark.createDataFrame([(1, 2)], "id long, n int")
    good.write.format(FORMAT).mode("append").save(str(tmp_path))
    assert [tuple(row) for row in _load(spark, tmp_path).collect()] == [(1, 2, 4)]
    bad: list[tuple[str, str, Any]] = [
        ("id long, n int", "DELTA_NOT_NULL|may not be null", (None, 1)),
        ("id long, n int", "small", (1, 10)),
        ("id long, n int, twice int", "twice", (1, 2, 5)),
    ]
    for schema, message, row in bad:
        with pytest.raises(Exception, match=message):
            spark.createDataFrame([row], schema).write.format(FORMAT).mode("append").save(str(tmp_path))
    with pytest.raises(Exception, match="DR712"):
        spark.range(1).selectExpr("id", "'x' extra").write.format(FORMAT).mode("append").save(str(tmp_path))
    assert Table(tmp_path).snapshot().table_version == 1
    known = {add.path for add in Table(tmp_path).snapshot().add_actions()}
    left = {each.relative_to(tmp_path).as_posix() for each in tmp_path.rglob("w*/**/*.parquet")}
    assert left == known


def test_filters_choose_the_files_that_are_read(spark: SparkSession, tmp_path: Path) -> None:
    for low in (0, 100):
        spark.range(low, low + 10).coalesce(1).write.format(FORMAT).mode("append").save(str(tmp_path))
    newest = max(Table(tmp_path).snapshot().add_actions(), key=lambda add: add.modification_time)
    file = tmp_path / newest.path
    whole = file.read_bytes()
    file.unlink()
    assert _load(spark, tmp_path).where("id < 50 and id in (1, 2)").count() == 2
    assert _load(spark, tmp_path, filesWhere="id < 50").count() == 10
    with pytest.raises(Exception, match="DR752"):
        _load(spark, tmp_path).where("id >= 50").count()
    file.write_bytes(whole[: len(whole) // 2])
    with pytest.raises(Exception, match="DR782"):
        _load(spark, tmp_path).where("id >= 50").count()


@pytest.mark.parametrize(
    ("options", "code"),
    [
        ({"versionAsOf": "x"}, "DR753"),
        ({"columns": "nope"}, "DR107|no column nope"),
        ({"versionAsOf": "7"}, "VersionNotFoundError"),
        ({"version": "0"}, "did you mean versionAsOf"),
    ],
)
def test_bad_options_are_refused(spark: SparkSession, tmp_path: Path, options: dict[str, str], code: str) -> None:
    if not (tmp_path / "_delta_log").exists():
        ds.write(spark.range(1), tmp_path, mode="append")
    with pytest.raises(Exception, match=code):
        _load(spark, tmp_path, **options).count()
