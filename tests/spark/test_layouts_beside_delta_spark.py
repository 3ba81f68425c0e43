"""Z-order, clustered tables and REORG on two copies of a table, here and by delta-spark."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import deltaresolver.spark as ds
from deltaresolver.errors import ClusteredOptimizeError, ZOrderColumnError
from deltaresolver.spark.tables import DeltaOptimizeBuilder, DeltaTable
from deltaresolver.table import Table
from tests.peers.delta_spark import DeltaSpark
from tests.spark.test_upkeep_beside_delta_spark import last_commits

pytest_plugins = ["tests.peers.fixtures"]
pytestmark = [pytest.mark.peer, pytest.mark.spark]

TIMED = ("startTimeMs", "endTimeMs", "totalClusterParallelism", "totalScheduledTasks", "filesAdded", "filesRemoved")
MAX_SIZE = "spark.databricks.delta.optimize.maxFileSize"
COLUMNS = (
    "id",
    "(id * 7919) % 1000 a",
    "cast((id * 104729) % 1000 as string) b",
    "named_struct('c', date_add(date'2020-01-01', cast(id % 99 as int))) s",
    "cast(id % 2 as int) p",
)


def two_tables(
    peer: DeltaSpark, folder: Path, properties: dict[str, str], *, partition_by: tuple[str, ...] = (), rows: int = 3000
) -> tuple[str, str]:
    here, there = str(folder / "here"), str(folder / "there")
    for part in range(3):
        frame = peer.spark.range(part * rows // 3, (part + 1) * rows // 3).selectExpr(*COLUMNS)
        ds.write(
            frame.coalesce(1), here, mode="append", partition_by=partition_by, properties={} if part else properties
        )
    ds.delete(peer.spark, here, "id % 50 = 1")
    shutil.copytree(here, there)
    return here, there


def rows_of(frame: Any) -> list[str]:
    return sorted(map(str, frame.collect()))


def of_interest(frame: Any) -> dict[str, Any]:
    found = frame.collect()[0].metrics.asDict(recursive=True)
    for kind in ("zOrderStats", "clusteringStats"):  # sizes of files differ a little between writers
        for key, value in (found[kind] or {}).items():
            if isinstance(value, dict):
                found[kind][key] = {name: each for name, each in value.items() if name != "size"}
    return {key: value for key, value in found.items() if key not in TIMED}


def width(path: str, column: str) -> float:
    """The part of a column's values that lies between a file's bounds, on average."""
    bounds = []
    for add in Table(path).snapshot().add_actions():
        stats = json.loads(add.stats or "{}")
        bounds.append((stats["minValues"][column], stats["maxValues"][column]))
    low, high = min(each[0] for each in bounds), max(each[1] for each in bounds)
    return float(sum((each[1] - each[0]) / (high - low) for each in bounds) / len(bounds))


KINDS: dict[str, dict[str, str]] = {
    "plain": {},
    "row ids": {"delta.enableRowTracking": "true", "delta.enableDeletionVectors": "true"},
    "mapped": {"delta.columnMapping.mode": "name", "delta.enableChangeDataFeed": "true"},
}


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize(
    ("columns", "where"), [(["id"], None), (["a", "b"], None), (["b", "s.c", "a"], "p = 1")], ids=["1", "2", "3"]
)
def test_z_order_leaves_the_same_rows_as_delta_spark(
    small_delta_spark: DeltaSpark, tmp_path: Path, kind: str, columns: list[str], where: str | None
) -> None:
    spark = small_delta_spark.spark
    here, there = two_tables(small_delta_spark, tmp_path, KINDS[kind], partition_by=("p",) if where else ())
    rows = rows_of(small_delta_spark.read(here))
    builder = DeltaTable.forPath(spark, here).optimize()
    ours = (builder if where is None else builder.where(where)).executeZOrderBy(columns)
    condition = "" if where is None else f" WHERE {where}"
    theirs = spark.sql(f"OPTIMIZE delta.`{there}`{condition} ZORDER BY ({', '.join(columns)})")
    assert of_interest(ours) == of_interest(theirs)
    one, other = last_commits(here, 1)[0], last_commits(there, 1)[0]
    if where is not None:
        one[1].pop("predicate"), other[1].pop("predicate")
    assert one == other
    for path in (here, there):
        assert rows_of(small_delta_spark.read(path)) == rows_of(ds.read(spark, path)) == rows
        assert rows_of(small_delta_spark.read(path, 3)) == rows
    committed = Table(here).snapshot(4)
    assert not any(add.deletion_vector for add in committed.add_actions() if where is None)
    if kind == "row ids":
        ids = [
            rows_of(small_delta_spark.read(path).selectExpr("id", "_metadata.row_id", "_metadata.row_commit_version"))
            for path in (here, there)
        ]
        assert ids[0] == ids[1]
    if kind == "mapped":
        assert ds.read(spark, here, change_feed=ds.ChangeFeed(starting_version=4)).count() == 0


def test_equal_values_are_clustered_in_few_files(small_delta_spark: DeltaSpark, tmp_path: Path) -> None:
    spark = small_delta_spark.spark
    here, there = two_tables(small_delta_spark, tmp_path, {}, rows=9000)
    size = sum(add.size for add in Table(here).snapshot().add_actions())
    spark.conf.set(MAX_SIZE, str(size // 16))
    try:
        ds.optimize(spark, here, z_order_by=["id", "a"])
        spark.sql(f"OPTIMIZE delta.`{there}` ZORDER BY (id, a)")
    finally:
        spark.conf.unset(MAX_SIZE)
    assert 12 <= len(Table(here).snapshot().files()) <= 17
    for column in ("id", "a"):
        assert width(here, column) < 0.45
        assert width(here, column) < width(there, column) + 0.1
    assert rows_of(small_delta_spark.read(here)) == rows_of(small_delta_spark.read(there))


def test_columns_that_rows_cannot_be_ordered_by_are_refused(small_delta_spark: DeltaSpark, tmp_path: Path) -> None:
    spark = small_delta_spark.spark
    properties = {"delta.dataSkippingNumIndexedCols": "2"}
    here, there = two_tables(small_delta_spark, tmp_path, properties, partition_by=("p",))
    builder = DeltaTable.forPath(spark, here).optimize()
    for column in ("nothing", "p", "b"):
        with pytest.raises(Exception) as theirs:  # noqa: PT011 - whatever delta-spark raises
            spark.sql(f"OPTIMIZE delta.`{there}` ZORDER BY ({column})")
        with pytest.raises(ZOrderColumnError) as ours:
            builder.executeZOrderBy(column)
        assert ours.value.delta_condition == theirs.value.getCondition()  # type: ignore[attr-defined]
    with pytest.raises(ClusteredOptimizeError, match="FULL"):
        ds.optimize(spark, here, full=True)
    with pytest.raises(TypeError, match="Z-order column must be str"):
        builder.executeZOrderBy([1])  # type: ignore[list-item]


def clustered(peer: DeltaSpark, folder: Path) -> tuple[str, str]:
    here, there = str(folder / "here"), str(folder / "there")
    DeltaTable.create(peer.spark).location(here).addColumn("id", "bigint").addColumn("a b", "bigint").addColumn(
        "s", "struct<c: string>"
    ).clusterBy("id", "s.c").property("delta.columnMapping.mode", "name").property(
        "delta.enableDeletionVectors", "true"
    ).execute()
    for part in range(3):
        ds.write(some(peer, part).coalesce(1), here, mode="append")
    ds.delete(peer.spark, here, "id % 50 = 1")
    shutil.copytree(here, there)
    return here, there


def some(peer: DeltaSpark, part: int) -> Any:
    expressions = ("id", "id * 7 % 100 `a b`", "named_struct('c', cast(id * 31 % 100 as string)) s")
    return peer.spark.range(part * 100, part * 100 + 100).selectExpr(*expressions)


def cubes(path: str) -> dict[str, list[str]]:
    found: dict[str, list[str]] = {}
    for add in Table(path).snapshot().add_actions():
        tags = add.tags or {}
        key = f"{'cube' if 'ZCUBE_ID' in tags else ''} {tags.get('ZCUBE_ZORDER_BY')} {add.clustering_provider}"
        found.setdefault(key, []).append(str(tags.get("ZCUBE_ID")))
    return found


def test_clustered_tables_are_optimized_as_by_delta_spark(small_delta_spark: DeltaSpark, tmp_path: Path) -> None:
    peer, spark = small_delta_spark, small_delta_spark.spark
    here, there = clustered(peer, tmp_path)

    def both(full: bool = False) -> None:
        ours = DeltaTable.forPath(spark, here).optimize().executeCompaction() if not full else None
        if full:
            ds.optimize(spark, here, full=True)
        theirs = spark.sql(f"OPTIMIZE delta.`{there}`{' FULL' if full else ''}")
        if ours is not None:
            assert of_interest(ours) == of_interest(theirs)
        assert last_commits(here, 1) == last_commits(there, 1)
        assert {key: len(set(ids)) for key, ids in cubes(here).items()} == {
            key: len(set(ids)) for key, ids in cubes(there).items()
        }
        assert rows_of(peer.read(here)) == rows_of(peer.read(there)) == rows_of(ds.read(spark, here))

    both()
    both()  # one cube: nothing to do
    for path in (here, there):
        ds.write(some(peer, 3).coalesce(1), path, mode="append")
    both()
    # What one of them has clustered the other knows as clustered.
    spark.sql(f"OPTIMIZE delta.`{here}`")
    assert DeltaTable.forPath(spark, there).optimize().executeCompaction().collect()[0].metrics.numFilesAdded == 0
    for path in (here, there):
        spark.sql(f"ALTER TABLE delta.`{path}` CLUSTER BY (`a b`)")
        ds.write(some(peer, 4).coalesce(1), path, mode="append")
    both()
    both(full=True)
    table = DeltaTable.forPath(spark, here)
    builders: list[Callable[[], DeltaOptimizeBuilder]] = [lambda: table.optimize().where("id = 1"), table.optimize]
    for wrong in builders:
        with pytest.raises(ClusteredOptimizeError):
            wrong().executeZOrderBy("id")
    with pytest.raises(ClusteredOptimizeError, match="partition predicates"):
        table.optimize().where("id = 1").executeCompaction()
    for path in (here, there):
        spark.sql(f"ALTER TABLE delta.`{path}` CLUSTER BY NONE")
        ds.write(some(peer, 5).coalesce(1), path, mode="append")
    both()


@pytest.mark.parametrize("where", [None, "p = 1"])
def test_reorg_purge_leaves_the_same_table_as_delta_spark(
    small_delta_spark: DeltaSpark, tmp_path: Path, where: str | None
) -> None:
    spark = small_delta_spark.spark
    properties = {"delta.columnMapping.mode": "name", "delta.enableDeletionVectors": "true"}
    here, there = two_tables(small_delta_spark, tmp_path, properties, partition_by=("p",))
    for path in (here, there):
        Table(path).sql("ALTER TABLE t DROP COLUMN a")
        ds.write(spark.sql("select 1L id, 'x' b, named_struct('c', date'2024-01-01') s, 0 p"), path, mode="append")
    rows = rows_of(small_delta_spark.read(here))
    ds.reorg_purge(spark, here, where)
    condition = "" if where is None else f" WHERE {where}"
    spark.sql(f"REORG TABLE delta.`{there}`{condition} APPLY (PURGE)")
    one, other = last_commits(here, 1)[0], last_commits(there, 1)[0]
    one[1].pop("predicate"), other[1].pop("predicate")
    assert one == other
    kept = [sorted(str(add.partition_values) for add in Table(path).snapshot().add_actions()) for path in (here, there)]
    assert kept[0] == kept[1]
    for path in (here, there):
        assert rows_of(small_delta_spark.read(path)) == rows_of(ds.read(spark, path)) == rows
    if where is None:
        assert not any(add.deletion_vector for add in Table(here).snapshot().add_actions())
        assert ds.reorg_purge(spark, here) is None
