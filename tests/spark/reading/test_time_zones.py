"""Sessions in other time zones than UTC: the DataFrame API, the data source and delta-spark agree."""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Iterator
from datetime import UTC, date, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

import deltaresolver.spark as ds
from deltaresolver.spark.reading.select_files import select_files
from deltaresolver.table import Table
from tests.peers.delta_spark import DeltaSpark

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

pytest_plugins = ["tests.peers.fixtures"]
pytestmark = [pytest.mark.peer, pytest.mark.spark]

FORMAT = "deltaresolver"
ZONES = ["America/Los_Angeles", "Asia/Kolkata"]
# The nights in which clocks change in Los Angeles, and days whose dates differ by zone. The hour that comes twice is
# there once: delta-spark takes its second coming for the first.
ROWS = """
select id, t, t p, cast(t as timestamp_ntz) n from (
  select id, timestamp'2024-03-10 00:30:00.25' + make_dt_interval(0, id) t from range(4) union all
  select id + 10, timestamp'2024-11-03 00:30:00' + make_dt_interval(0, id) t from range(4) where id <> 2 union all
  select 20, timestamp'2024-06-30 22:00:00' union all select 21, null)
"""
CONDITIONS = {
    "t >= '2024-11-03 01:30:00'": 2,
    "t = timestamp'2024-03-10 03:30:00.25'": 1,
    "p < date'2024-06-30'": 4,
    "p between '2024-06-30 21:59:59' and '2024-11-03'": 1,
    "t is null": 1,
    "n < '2024-03-10 02:00:00'": 2,
    "cast(t as date) = '2024-06-30'": 1,
    "p in ('2024-06-30 22:00:00', '2024-06-30 22:00:00+05:30')": 1,
}
WRITTEN_OUT = len(CONDITIONS) - 2
"""So many of them choose files; the others only rows. Moments in a list of texts are texts where ANSI is off."""
SCHEMA = {
    "type": "struct",
    "fields": [
        {"name": "id", "type": "long", "nullable": True, "metadata": {}},
        {"name": "t", "type": "timestamp", "nullable": True, "metadata": {}},
        {
            "name": "day",
            "type": "date",
            "nullable": True,
            "metadata": {"delta.generationExpression": "CAST(t AS DATE)"},
        },
    ],
}


# delta-spark travels no further back than deleted files are kept.
LONG_KEPT = {
    "delta.deletedFileRetentionDuration": "interval 10000 days",
    "delta.logRetentionDuration": "interval 10000 days",
}


@pytest.fixture(params=ZONES)
def zone(request: pytest.FixtureRequest, small_delta_spark: DeltaSpark) -> Iterator[str]:
    """The session's zone for one test."""
    conf = small_delta_spark.spark.conf
    before = str(conf.get("spark.sql.session.timeZone"))
    conf.set("spark.sql.session.timeZone", request.param)
    ds.register(small_delta_spark.spark)
    yield request.param
    conf.set("spark.sql.session.timeZone", before)
    ds.register(small_delta_spark.spark)


def told(rows: DataFrame) -> list[tuple[str, ...]]:
    return sorted(
        tuple(map(str, row)) for row in rows.selectExpr(*(f"cast({c} as string)" for c in rows.columns)).collect()
    )


def moment(text: str | None) -> datetime | None:
    """The moment of a bound: writers differ in the zone they tell it in."""
    return None if text is None else datetime.fromisoformat(text).astimezone(UTC)


def writers(spark: SparkSession) -> dict[str, Callable[[DataFrame, Path], Any]]:
    return {
        "fast": lambda rows, path: ds.write(rows, path, mode="append", partition_by="p"),
        "source": lambda rows, path: (
            rows.write.format(FORMAT).mode("append").option("partitionBy", "p").save(str(path))
        ),
        "delta": lambda rows, path: rows.write.format("delta").mode("append").partitionBy("p").save(str(path)),
    }


def test_rows_partitions_and_statistics_hold_the_same_moments_in_every_zone(
    small_delta_spark: DeltaSpark, tmp_path: Path, zone: str
) -> None:
    spark = small_delta_spark.spark
    rows = spark.sql(ROWS).coalesce(1).localCheckpoint()
    partitions, bounds = {}, {}
    for name, write in writers(spark).items():
        write(rows, tmp_path / name)
        adds = list(Table(tmp_path / name).snapshot().add_actions())
        partitions[name] = sorted(str(add.partition_values["p"]) for add in adds)
        stats = [json.loads(add.stats or "{}") for add in adds]
        bounds[name] = sorted(
            str([moment(each[side].get("t")) for side in ("minValues", "maxValues")]) for each in stats
        )
    assert partitions["fast"] == partitions["source"] == partitions["delta"]
    assert bounds["fast"] == bounds["source"] == bounds["delta"]
    path = tmp_path / "delta"
    snapshot = Table(path).snapshot()
    for place, (condition, count) in enumerate(CONDITIONS.items()):
        found = told(small_delta_spark.read(path).where(condition))
        assert len(found) == count, condition
        assert told(ds.read(spark, path, where=condition)) == found, condition
        chosen = len(select_files(snapshot, condition, zone))
        # The list decides where, in this zone, its texts mean the same with ANSI and without.
        assert chosen in ((count,) if place < WRITTEN_OUT else (count, len(partitions["delta"]))), condition
    wanted = told(small_delta_spark.read(path))
    assert told(ds.read(spark, tmp_path / "source")) == wanted
    some = next(iter(CONDITIONS))
    source = spark.read.format(FORMAT).load(str(tmp_path / "fast"))
    assert told(source) == wanted
    assert told(source.where(some)) == told(small_delta_spark.read(path).where(some))


def test_an_hour_that_comes_twice_is_two_partitions(small_delta_spark: DeltaSpark, tmp_path: Path, zone: str) -> None:
    spark = small_delta_spark.spark
    rows = spark.sql("select id, timestamp'2024-11-03 08:30:00Z' + make_dt_interval(0, id) p from range(2)").coalesce(1)
    for name in ("fast", "source"):
        writers(spark)[name](rows, tmp_path / name)
        adds = Table(tmp_path / name).snapshot().add_actions()
        assert sorted(str(add.partition_values["p"])[11:16] for add in adds) == ["08:30", "09:30"]
        assert told(small_delta_spark.read(tmp_path / name)) == told(rows)


def test_the_same_rows_are_replaced_in_every_zone(small_delta_spark: DeltaSpark, tmp_path: Path, zone: str) -> None:
    spark = small_delta_spark.spark
    rows = spark.sql(ROWS).coalesce(1)
    made = rows.where("id = 20").selectExpr("id + 100 id", "t", "p", "n")
    for number, where in enumerate(("p >= '2024-06-30' and t < '2024-11-03 02:00:00'",)):
        left = []
        for name, write in writers(spark).items():
            path = tmp_path / f"{name} {number}"
            write(rows, path)
            if name == "fast":
                ds.write(made, path, mode="overwrite", options={"replaceWhere": where})
            else:
                door = FORMAT if name == "source" else name
                made.write.format(door).mode("overwrite").option("replaceWhere", where).save(str(path))
            left.append(told(small_delta_spark.read(path)))
        assert left[0] == left[1] == left[2]
        assert len(left[0]) == len(told(rows.where(f"not coalesce({where}, false)"))) + 1


def test_days_computed_from_moments_are_the_same_in_every_zone(
    small_delta_spark: DeltaSpark, tmp_path: Path, zone: str
) -> None:
    spark = small_delta_spark.spark
    rows = spark.sql(ROWS).select("id", "t").coalesce(1)
    for name in ("ours", "theirs"):
        Table.create(tmp_path / name, json.dumps(SCHEMA))
    ds.write(rows, tmp_path / "ours", mode="append")
    small_delta_spark.write(rows, tmp_path / "theirs")
    assert told(ds.read(spark, tmp_path / "ours")) == told(small_delta_spark.read(tmp_path / "theirs"))
    with pytest.raises(Exception, match="cannot evaluate"):
        rows.write.format(FORMAT).mode("append").save(str(tmp_path / "ours"))


def moments_of(text: str) -> list[date]:
    """The same moment as objects of Python without a zone."""
    found: list[date] = [datetime.fromisoformat(text)]
    return [*found, date.fromisoformat(text)] if len(text) == len("2024-03-10") else found


def test_times_of_versions_and_changes_are_the_same_in_every_zone(
    small_delta_spark: DeltaSpark, tmp_path: Path, zone: str
) -> None:
    spark, path = small_delta_spark.spark, tmp_path / "t"
    ds.write(spark.range(1), path, properties={"delta.enableChangeDataFeed": "true", **LONG_KEPT})
    for start in (10, 20):
        ds.write(spark.range(start, start + 1), path, mode="append")
    texts = ["2024-03-10 01:59:00", "2024-03-10 03:01:00", "2024-11-03 02:30:00"]
    for version, text in enumerate(texts):
        seconds = spark.sql(f"select unix_timestamp(timestamp'{text}')").collect()[0][0]
        commit = path / "_delta_log" / f"{version:020}.json"
        os.utime(commit, (seconds, seconds))
        (commit.parent / f".{commit.name}.crc").unlink(missing_ok=True)
    for moment in (*texts[:2], "2024-03-10", "2024-03-10 02:59:59.5", "2024-11-02"):
        theirs = spark.read.format("delta").option("timestampAsOf", moment)
        fast: Any
        try:
            wanted = told(theirs.load(str(path)))
        except Exception:  # noqa: BLE001 - before the first version
            with pytest.raises(Exception, match=r"DR|earliest|before"):
                ds.read(spark, path, options={"timestampAsOf": moment})
            continue
        fast = ds.read(spark, path, options={"timestampAsOf": moment})
        assert told(fast) == wanted, moment
        source = spark.read.format(FORMAT).option("timestampAsOf", moment).load(str(path))
        assert told(source) == wanted, moment
        for naive in moments_of(moment):
            peer = spark.read.format("delta").option("timestampAsOf", naive).load(str(path))  # type: ignore[arg-type]
            assert told(peer) == told(ds.read(spark, path, timestamp=naive)) == wanted, naive
    range_ = {"readChangeFeed": "true", "startingTimestamp": "2024-03-10 02:00:00", "endingTimestamp": texts[2]}
    feeds = [told(spark.read.format(door).options(**range_).load(str(path))) for door in ("delta", FORMAT)]
    feeds.append(told(ds.read(spark, path, options=range_)))
    assert feeds[0] == feeds[1] == feeds[2]
    assert len(feeds[0]) == 2
