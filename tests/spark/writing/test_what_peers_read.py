"""What is written here, delta-spark and delta-rs read as the same rows; statistics are those delta-spark writes."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import attrs
import deltalake
import pytest

import deltaresolver.spark as ds
from deltaresolver.table import Table
from tests.peers.delta_spark import DeltaSpark

pytest_plugins = ["tests.peers.fixtures"]
pytestmark = [pytest.mark.peer, pytest.mark.spark]


@attrs.frozen
class Case:
    """Rows, and the table they go into. `rust_reads` is False for what delta-rs refuses."""

    rows: str
    partition_by: tuple[str, ...] = ()
    properties: Mapping[str, str] = attrs.field(factory=dict)
    rust_reads: bool = True
    by_name: bool = True
    """Whether statistics carry the columns' own names."""


PLAIN = """
select cast(id as byte) b, cast(id as short) sh, cast(id as int) i, id, cast(id / 3 as float) f, id / 3 d,
  cast(id / 7 as decimal(9, 4)) d9, cast(-id / 7 as decimal(18, 3)) d18, cast(id as decimal(38, 10)) d38,
  id % 2 = 0 flag, if(id = 3, null, 'Grüße ' || repeat('x', cast(id * 6 as int))) s, cast('ab' as binary) bin,
  date'1969-12-30' + cast(id as int) day, timestamp'1969-12-31 23:59:59.123456' + make_interval(0, 0, 0, id) t,
  named_struct('a', id, 'n', named_struct('z', if(id < 5, null, 'q'))) st, array(id) ar, map('k', id) m,
  cast(null as string) nothing
from range(10)
"""
PARTITIONED = """
select id, case id when 0 then '' when 1 then null when 2 then 'a b/%=:?#' when 3 then 'é😀' else 'plain' end g,
  timestamp'2024-10-27 00:30:00.5' + make_interval(0, 0, 0, 0, id) t, cast(id / 3 as decimal(5, 2)) dc,
  date'2024-02-28' + cast(id as int) day, id % 2 = 0 flag
from range(6)
"""
NTZ = "select id, timestamp_ntz'2024-03-31 02:30:00.123456' n from range(3)"
CASES = {
    "plain": Case(PLAIN),
    "partitioned": Case(PARTITIONED, ("g", "t", "dc", "day", "flag")),
    "mapped by name": Case(
        "select id, named_struct('x y', id, 'z', 'q') `st,r`, id % 2 g from range(4)",
        ("g",),
        {"delta.columnMapping.mode": "name"},
        rust_reads=False,
        by_name=False,
    ),
    "all at once": Case(
        NTZ.replace(" from", """, parse_json('{"a": 1}') v from"""),
        (),
        {
            "delta.enableDeletionVectors": "true",
            "delta.enableChangeDataFeed": "true",
            "delta.enableRowTracking": "true",
            "delta.enableInCommitTimestamps": "true",
        },
        rust_reads=False,
    ),
    "few statistics": Case(PLAIN, (), {"delta.dataSkippingNumIndexedCols": "3"}),
    "named statistics": Case(PLAIN, (), {"delta.dataSkippingStatsColumns": "id,st.n,s"}),
    "short statistics": Case(
        "select repeat('a', 9) a, repeat('é', 9) b, repeat('😀', 40) c, '' d",
        (),
        {"delta.dataSkippingStringPrefixLength": "5"},
    ),
    "no statistics": Case(PLAIN, (), {"delta.dataSkippingNumIndexedCols": "0"}),
}


def statistics(path: Path) -> list[dict[str, Any]]:
    """Those of all files, ordered."""
    found = [json.loads(add.stats or "{}") for add in Table(path).snapshot().add_actions()]
    return sorted(found, key=str)


def compared(stats: dict[str, Any]) -> dict[str, Any]:
    """Without what a footer cannot tell: nulls of arrays and maps."""
    if "nullCount" not in stats:
        return stats
    nulls = {name: count for name, count in stats["nullCount"].items() if name not in ("ar", "m")}
    return {**stats, "nullCount": nulls}


@pytest.mark.parametrize("name", CASES)
def test_rows_are_the_same_to_everybody(small_delta_spark: DeltaSpark, tmp_path: Path, name: str) -> None:
    case = CASES[name]
    spark = small_delta_spark.spark
    rows = spark.sql(case.rows).coalesce(1)
    ours, theirs = tmp_path / "ours", tmp_path / "theirs"
    ds.write(rows, ours, partition_by=case.partition_by, properties=case.properties)
    writer = rows.write.format("delta").options(**case.properties)
    (writer.partitionBy(*case.partition_by) if case.partition_by else writer).save(str(theirs))

    wanted = sorted(map(str, rows.collect()))
    given = small_delta_spark.read(ours)
    if "g" in rows.columns and case.partition_by:
        wanted = sorted(map(str, small_delta_spark.read(theirs).collect()))  # an empty string comes back as null
    assert sorted(map(str, given.collect())) == wanted
    assert sorted(map(str, ds.read(spark, ours).collect())) == wanted
    if case.rust_reads:
        assert deltalake.DeltaTable(ours).to_pyarrow_dataset().count_rows() == len(wanted)
    assert Table(ours).protocol == Table(theirs).protocol
    if case.by_name:
        assert [compared(each) for each in statistics(ours)] == [compared(each) for each in statistics(theirs)]
    partitions = [
        sorted(
            (sorted(add.partition_values.values(), key=str) for add in Table(path).snapshot().add_actions()), key=str
        )
        for path in (ours, theirs)
    ]
    assert partitions[0] == partitions[1]


def test_delta_spark_continues_to_write_where_this_library_stopped(
    small_delta_spark: DeltaSpark, tmp_path: Path
) -> None:
    """Appends, deletes and changes after ours, by both in turn."""
    spark, path = small_delta_spark.spark, tmp_path / "t"
    properties = {"delta.enableChangeDataFeed": "true", "delta.enableDeletionVectors": "true"}
    ds.write(spark.range(100).coalesce(1), path, properties=properties)
    ds.delete(spark, path, "id % 10 = 3")
    assert small_delta_spark.read(path).count() == 90
    small_delta_spark.sql("DELETE FROM {table} WHERE id % 10 = 4", path)
    ds.delete(spark, path, "id % 10 in (4, 5)")
    small_delta_spark.write(spark.range(1000, 1001), path)
    ds.write(spark.range(7, 8), path, mode="overwrite", options={"replaceWhere": "id < 10"})
    wanted = sorted([7, 1000, *(each for each in range(10, 100) if each % 10 not in (3, 4, 5))])
    assert sorted(row.id for row in small_delta_spark.read(path).collect()) == wanted
    assert sorted(row.id for row in ds.read(spark, path).collect()) == wanted
    feed = spark.read.format("delta").option("readChangeFeed", "true").option("startingVersion", 0).load(str(path))
    kinds = {row["_change_type"]: row["count"] for row in feed.groupBy("_change_type").count().collect()}
    assert kinds == {"insert": 102, "delete": 37}
    small_delta_spark.sql("VACUUM {table}", path)
    assert small_delta_spark.read(path).count() == len(wanted)
