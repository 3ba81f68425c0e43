"""Moments of the log are the same, whatever clock and kind of timestamp a session has."""

from __future__ import annotations

import datetime
import os
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

import deltaresolver.spark as ds

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

pytestmark = pytest.mark.spark

HOURS = (8.5, 9.0, 9.5, 72.0)
"""When the commits were made: on the night on which clocks in Los Angeles show the hour after 1:00 twice, and later."""
MIDNIGHT = datetime.datetime(2024, 11, 3, tzinfo=datetime.UTC)


@pytest.fixture(params=["TIMESTAMP_LTZ", "TIMESTAMP_NTZ"])
def night(spark: SparkSession, tmp_path: Path, request: pytest.FixtureRequest) -> Iterator[str]:
    settings = {"spark.sql.session.timeZone": "America/Los_Angeles", "spark.sql.timestampType": request.param}
    path = tmp_path / "t"
    for number, hours in enumerate(HOURS):
        ds.write(
            spark.range(number, number + 1), path, mode="append", properties={"delta.enableChangeDataFeed": "true"}
        )
        moment = (MIDNIGHT + datetime.timedelta(hours=hours)).timestamp()
        os.utime(path / "_delta_log" / f"{number:020}.json", (moment, moment))
    for checksum in (path / "_delta_log").glob("*.crc"):
        checksum.unlink()
    before = {key: spark.conf.get(key) for key in settings}
    for key, value in settings.items():
        spark.conf.set(key, value)
    yield str(path)
    for key, kept in before.items():
        spark.conf.set(key, str(kept))


@pytest.mark.parametrize(
    ("moment", "count"),
    [
        ("timestamp_ltz'2024-11-03 08:45:00Z'", 1),
        ("timestamp_ltz'2024-11-03 09:45:00Z'", 3),
        ("timestamp_ltz'2024-11-03 09:45:00Z' - interval 40 minutes", 2),
        ("concat('2024-11-03 ', '09:05:00Z')", 2),
        ("'2024-11-03 01:50:00'", 1),
        ("date'2024-11-04'", 3),
    ],
)
def test_a_moment_means_the_same_version_in_every_session(
    spark: SparkSession, night: str, moment: str, count: int
) -> None:
    rows = ds.sql(spark, f"SELECT * FROM delta.`{night}` TIMESTAMP AS OF {moment}")
    assert rows.count() == count


def test_changes_since_a_moment_are_the_same_in_every_session(spark: SparkSession, night: str) -> None:
    for moment, ids in {
        "timestamp_ltz'2024-11-03 09:15:00Z'": [2, 3],
        "timestamp_ltz'2024-11-03 08:45:00Z'": [1, 2, 3],
        "'2024-11-03 00:00:00'": [0, 1, 2, 3],
        "date'2024-11-03'": [0, 1, 2, 3],
    }.items():
        rows = ds.sql(spark, f"SELECT id FROM table_changes_by_path('{night}', {moment})")
        assert sorted(row.id for row in rows.collect()) == ids, moment


def test_history_and_detail_show_moments_of_a_zone(spark: SparkSession, night: str) -> None:
    table = ds.DeltaTable.forPath(spark, night)
    history = table.history()
    assert history.schema["timestamp"].dataType.simpleString() == "timestamp"
    micros = [row.micros for row in history.selectExpr("unix_micros(timestamp) AS micros").collect()]
    expected = [int((MIDNIGHT + datetime.timedelta(hours=hours)).timestamp()) * 1_000_000 for hours in HOURS]
    assert sorted(micros) == expected
    detail = table.detail()
    assert [detail.schema[name].dataType.simpleString() for name in ("createdAt", "lastModified")] == ["timestamp"] * 2
    (row,) = detail.selectExpr("unix_micros(lastModified) AS micros").collect()
    assert row.micros == expected[-1]


def test_columns_declared_timestamp_are_what_the_session_calls_so(spark: SparkSession, night: str) -> None:
    called = spark.conf.get("spark.sql.timestampType")
    expected = "timestamp_ntz" if called == "TIMESTAMP_NTZ" else "timestamp"
    declared = "ts TIMESTAMP, s STRUCT<x: ARRAY<TIMESTAMP>>, l TIMESTAMP_LTZ, n TIMESTAMP_NTZ"
    path = f"{night}2"
    ds.sql(spark, f"CREATE TABLE delta.`{path}` ({declared}) USING delta")
    ds.sql(spark, f"ALTER TABLE delta.`{path}` ADD COLUMNS (more TIMESTAMP)")
    assert spark.sql("SELECT timestamp'2024-01-01' AS ts").schema["ts"].dataType.simpleString() == expected
    kinds = {field.name: field.dataType.simpleString() for field in ds.read(spark, path).schema}
    nested = f"struct<x:array<{expected}>>"
    assert kinds == {"ts": expected, "s": nested, "l": "timestamp", "n": "timestamp_ntz", "more": expected}
    built = ds.DeltaTable.create(spark).location(f"{night}3").addColumn("ts", "TIMESTAMP").execute()
    assert built.toDF().schema["ts"].dataType.simpleString() == expected


def test_a_partition_that_is_overwritten_is_the_one_of_the_moment(spark: SparkSession, night: str) -> None:
    path, first, second = f"{night}4", "2024-11-03T08:30:00Z", "2024-11-03T09:30:00Z"
    ds.sql(spark, f"CREATE TABLE delta.`{path}` (id INT, ts TIMESTAMP_LTZ) USING delta PARTITIONED BY (ts)")
    for number, moment in enumerate((first, "2024-11-02T08:30:00Z")):
        ds.sql(spark, f"INSERT INTO delta.`{path}` SELECT {number}, TIMESTAMP_LTZ '{moment}'")
    ds.sql(spark, f"INSERT OVERWRITE delta.`{path}` PARTITION (ts = '{second}') SELECT 7")
    assert sorted(row.id for row in ds.read(spark, path).collect()) == [0, 1, 7]
