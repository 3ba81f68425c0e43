"""Shallow clones of one table, here and by delta-spark: equal tables, and the source's files stay untouched."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any
from urllib.parse import unquote

import pytest

import deltaresolver.spark as ds
from deltaresolver.errors import CloneTargetError, MaintenanceUnsupportedError, TableExistsError
from deltaresolver.spark.tables import DeltaTable
from deltaresolver.table import Table
from tests.peers.delta_spark import DeltaSpark

pytest_plugins = ["tests.peers.fixtures"]
pytestmark = [pytest.mark.peer, pytest.mark.spark]

CHECK = "spark.databricks.delta.retentionDurationCheck.enabled"
PROPERTIES: dict[str, dict[str, str]] = {
    "plain": {},
    "vectors": {"delta.enableDeletionVectors": "true", "delta.enableChangeDataFeed": "true"},
    "row ids": {"delta.enableRowTracking": "true", "delta.enableDeletionVectors": "true"},
    "mapped": {"delta.columnMapping.mode": "name", "delta.enableInCommitTimestamps": "true"},
}


def source(peer: DeltaSpark, folder: Path, properties: dict[str, str]) -> str:
    path = str(folder / "so urce%20ü")
    for start in (0, 10, 20):
        rows = peer.spark.range(start, start + 10).selectExpr("id", "array('a b', 'c/d%', null)[id % 3] p")
        ds.write(rows.coalesce(1), path, mode="append", partition_by="p", properties=properties if start == 0 else {})
    ds.delete(peer.spark, path, "id % 5 = 1")
    if "delta.enableRowTracking" in properties:
        DeltaTable.forPath(peer.spark, path).optimize().executeCompaction()
    return path


def rows_of(frame: Any) -> list[Any]:
    return sorted(map(str, frame.collect()))


def files_below(path: str) -> dict[str, int]:
    return {str(file): file.stat().st_mtime_ns for file in Path(path).rglob("*") if file.is_file()}


@pytest.mark.parametrize("kind", PROPERTIES)
@pytest.mark.parametrize("version", [None, 2])
def test_clones_equal_those_of_delta_spark(
    small_delta_spark: DeltaSpark, tmp_path: Path, kind: str, version: int | None
) -> None:
    spark, peer = small_delta_spark.spark, small_delta_spark
    path = source(peer, tmp_path, PROPERTIES[kind])
    here, there = str(tmp_path / "he re"), str(tmp_path / "th ere")
    before = files_below(path)
    table, given = DeltaTable.forPath(spark, path), {"delta.appendOnly": "false", "mine": "1"}
    spark.conf.set("spark.databricks.delta.properties.defaults.checkpointInterval", "77")
    if version is None:
        ours = table.clone(here, isShallow=True, properties=given)
    else:
        ours = table.cloneAtVersion(version, here, isShallow=True, properties=given)
    at = "" if version is None else f" VERSION AS OF {version}"
    theirs = spark.sql(
        f"CREATE TABLE delta.`{there}` SHALLOW CLONE delta.`{path}`{at} "
        "TBLPROPERTIES ('delta.appendOnly' = 'false', 'mine' = '1')"
    )
    spark.conf.unset("spark.databricks.delta.properties.defaults.checkpointInterval")
    assert files_below(path) == before
    expected = rows_of(peer.read(path, version))
    for clone in (here, there):
        assert rows_of(peer.read(clone)) == rows_of(ds.read(spark, clone)) == expected
    assert rows_of(ours.toDF()) == expected
    one, other = Table(here), Table(there)
    assert one.protocol == other.protocol
    assert one.metadata.schema_string == other.metadata.schema_string
    configurations = [dict(each.metadata.configuration) for each in (one, other)]
    for configuration in configurations:  # names drawn by chance
        for key in [key for key in configuration if "materialized" in key]:
            configuration[key] = ""
    assert configurations[0] == configurations[1]

    def facts(each: Table) -> Any:
        return sorted(
            (
                unquote(add.path),
                unquote(str(add.deletion_vector)),
                str(add.partition_values),
                add.stats,
            )
            for add in each.snapshot().add_actions()
        )

    assert facts(one) == facts(other)
    tracked = [sorted(add.base_row_id is None for add in each.snapshot().add_actions()) for each in (one, other)]
    assert tracked[0] == tracked[1]
    commits = [each.history(1)[0] for each in (one, other)]
    assert commits[0].operation == commits[1].operation == "CLONE"
    assert dict(commits[0].parameters) == dict(commits[1].parameters)
    assert commits[0].info.fields["operationMetrics"] == commits[1].info.fields["operationMetrics"]
    for field in ("readVersion", "isolationLevel", "isBlindAppend"):
        assert commits[0].info.fields.get(field) == commits[1].info.fields.get(field)
    assert theirs.collect()[0].source_num_of_files == len(facts(one))
    _live_apart(peer, here, path, expected)


def _live_apart(peer: DeltaSpark, here: str, path: str, expected: list[Any]) -> None:
    """The clone is changed, compacted and vacuumed; its source is not."""
    spark = peer.spark
    before, rows = files_below(path), rows_of(peer.read(path))
    ds.delete(spark, here, "id = 3")
    ds.delete(spark, here, "p is null and id < 9")
    ds.update(spark, here, {"id": "id + 1000"}, "p = 'a b' and id > 10")
    ds.write(spark.sql("select 1L id, 'new' p"), here, mode="append")
    known = rows_of(ds.read(spark, here))
    assert known == rows_of(peer.read(here))
    DeltaTable.forPath(spark, here).optimize().executeCompaction()
    spark.conf.set(CHECK, "false")
    DeltaTable.forPath(spark, here).vacuum(0)
    spark.conf.unset(CHECK)
    assert files_below(path) == before
    assert rows_of(peer.read(path)) == rows
    assert rows_of(ds.read(spark, here)) == rows_of(peer.read(here)) == known
    DeltaTable.forPath(spark, here).restoreToVersion(0)
    assert rows_of(peer.read(here)) == expected


def test_clones_of_clones_and_of_moments_equal_those_of_delta_spark(
    small_delta_spark: DeltaSpark, tmp_path: Path
) -> None:
    spark, peer = small_delta_spark.spark, small_delta_spark
    path = source(peer, tmp_path, PROPERTIES["vectors"])
    moment = str(Table(path).snapshot(1).timestamp_ms / 1000)
    first = DeltaTable.forPath(spark, path).cloneAtTimestamp(
        spark.sql(f"select cast(cast({moment} as timestamp) as string)").collect()[0][0], str(tmp_path / "a"), True
    )
    assert first.toDF().count() == 20
    ds.delete(spark, str(tmp_path / "a"), "id = 15")
    second = first.clone(str(tmp_path / "b"), isShallow=True)
    assert rows_of(second.toDF()) == rows_of(peer.read(tmp_path / "b")) == rows_of(peer.read(tmp_path / "a"))
    ds.delete(spark, str(tmp_path / "b"), "id = 16")
    assert ds.read(spark, str(tmp_path / "b")).count() == 18
    assert ds.read(spark, str(tmp_path / "a")).count() == 19


def test_where_a_clone_may_be(small_delta_spark: DeltaSpark, tmp_path: Path) -> None:
    spark = small_delta_spark.spark
    path = source(small_delta_spark, tmp_path, {})
    table, target = DeltaTable.forPath(spark, path), str(tmp_path / "t")
    untyped: Any = table
    unsupported: list[Callable[[], object]] = [lambda: table.clone(target), lambda: table.clone("db.t", True)]
    for wrong in unsupported:
        with pytest.raises(MaintenanceUnsupportedError):
            wrong()
    bad_arguments: list[Callable[[], object]] = [
        lambda: untyped.clone(1, True),
        lambda: untyped.clone(target, 1),
        lambda: untyped.clone(target, True, 1),
        lambda: untyped.clone(target, True, False, 1),
        lambda: untyped.clone(target, True, False, {"a": 1}),
        lambda: untyped.cloneAtVersion("1", target, True),
        lambda: untyped.cloneAtTimestamp(1, target, True),
    ]
    for bad in bad_arguments:
        with pytest.raises(ValueError, match="needs to be"):
            bad()
    with pytest.raises(CloneTargetError, match="tried to REPLACE"):
        table.clone(path, True, replace=True)
    ds.write(spark.range(1), target)
    with pytest.raises(TableExistsError):
        table.clone(target, True)
    with pytest.raises(CloneTargetError, match="non-empty"):
        table.clone(target, True, replace=True)
    ds.delete(spark, target)
    id_before = Table(target).metadata.id
    assert rows_of(table.clone(target, True, replace=True).toDF()) == rows_of(small_delta_spark.read(path))
    assert rows_of(small_delta_spark.read(target)) == rows_of(small_delta_spark.read(path))
    assert Table(target).metadata.id == id_before
    assert small_delta_spark.read(target, 0).count() == 1
    with pytest.raises(CloneTargetError, match="mapping mode"):
        table.clone(str(tmp_path / "m"), True, properties={"delta.columnMapping.mode": "name"})
    (tmp_path / "full").mkdir()
    (tmp_path / "full/x.parquet").write_bytes(b"x")
    with pytest.raises(TableExistsError, match=r"holds x\.parquet"):
        table.clone(str(tmp_path / "full"), True)
