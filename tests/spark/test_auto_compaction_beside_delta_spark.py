"""Auto compaction and optimized writes, here and by delta-spark: equal rows, and as few files."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

import deltaresolver.spark as ds
import deltaresolver.spark.maintenance.optimize as optimize_module
from deltaresolver.table import Table
from tests.peers.delta_spark import DeltaSpark
from tests.spark.test_upkeep_beside_delta_spark import last_commits

pytest_plugins = ["tests.peers.fixtures"]
pytestmark = [pytest.mark.peer, pytest.mark.spark]

PREFIX = "spark.databricks.delta.autoCompact."
SETTINGS = {PREFIX + "minNumFiles": "3", "spark.sql.adaptive.enabled": "true"}
ON = {"delta.autoOptimize.autoCompact": "true"}


@pytest.fixture
def peer(small_delta_spark: DeltaSpark) -> Iterator[DeltaSpark]:
    conf = small_delta_spark.spark.conf
    before = {key: conf.get(key, None) for key in SETTINGS}
    for key, value in SETTINGS.items():
        conf.set(key, value)
    yield small_delta_spark
    for key, kept in before.items():
        conf.unset(key) if kept is None else conf.set(key, kept)


def operations(path: str) -> list[str]:
    return [str(entry.operation) for entry in reversed(Table(path).history())]


def files(path: str) -> int:
    return len(Table(path).snapshot().files())


def rows_of(frame: Any) -> list[str]:
    return sorted(map(str, frame.collect()))


def append(peer: DeltaSpark, path: str, start: int, properties: dict[str, str]) -> None:
    rows = peer.spark.range(start, start + 4).selectExpr("id", "cast(id % 2 as int) p").coalesce(1)
    ds.write(rows, path, mode="append", partition_by="p", properties=properties if start == 0 else {})


def test_small_files_are_written_together_after_a_write(peer: DeltaSpark, tmp_path: Path) -> None:
    here, there = str(tmp_path / "here"), str(tmp_path / "there")
    for start in (0, 4, 8):
        append(peer, here, start, ON)
        rows = peer.spark.range(start, start + 4).selectExpr("id", "cast(id % 2 as int) p").coalesce(1)
        options = ON if start == 0 else {}
        rows.write.format("delta").partitionBy("p").mode("append").options(**options).save(there)
    assert operations(here) == ["WRITE", "WRITE", "WRITE", "OPTIMIZE"]
    assert operations(there)[-1] == "OPTIMIZE"
    assert last_commits(here, 1)[0][1]["auto"] is True
    assert last_commits(here, 1)[0][1] == {**last_commits(there, 1)[0][1], "predicate": "[]"}
    assert files(here) == files(there) == 2
    assert rows_of(peer.read(here)) == rows_of(peer.read(there)) == rows_of(ds.read(peer.spark, here))
    assert not any(getattr(action, "data_change", False) for action in Table(here).snapshot(3).add_actions())


def test_only_partitions_just_written_to_are_compacted(peer: DeltaSpark, tmp_path: Path) -> None:
    path = str(tmp_path / "t")
    for start in (0, 4, 8, 12):
        append(peer, path, start, {})
    Table(path).alter(ON)
    ds.delete(peer.spark, path, "id = 2")  # rewrites a file of p = 0
    assert operations(path)[-2:] == ["DELETE", "OPTIMIZE"]
    assert files(path) == 1 + 4
    assert peer.read(path).count() == 15


def fail(*_: object) -> None:
    raise RuntimeError("no compaction today")


def test_the_setting_of_the_session_comes_before_the_property(
    peer: DeltaSpark, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path, conf = str(tmp_path / "t"), peer.spark.conf
    conf.set(PREFIX + "enabled", "false")
    for start in (0, 4, 8):
        append(peer, path, start, ON)
    conf.unset(PREFIX + "enabled")
    with monkeypatch.context() as patched:  # the hook fails, and the write stands
        patched.setattr(optimize_module, "optimize", fail)
        append(peer, path, 12, {})
    assert operations(path) == ["WRITE"] * 4
    with ds.transaction(peer.spark, path):
        append(peer, path, 16, {})
    assert "OPTIMIZE" not in operations(path)
    conf.set(PREFIX + "enabled", "true")
    append(peer, path, 20, {})
    conf.unset(PREFIX + "enabled")
    assert operations(path)[-1] == "OPTIMIZE"
    assert peer.read(path).count() == 24


@pytest.mark.parametrize("how", ["option", "session", "property", "off"])
def test_optimized_writes_leave_as_few_files_as_delta_spark(peer: DeltaSpark, tmp_path: Path, how: str) -> None:
    here, there, conf = str(tmp_path / "here"), str(tmp_path / "there"), peer.spark.conf
    rows = peer.spark.range(0, 200, 1, 8).selectExpr("id", "cast(id % 3 as int) p")
    option = {"optimizeWrite": "true"} if how == "option" else {}
    properties = {"delta.autoOptimize.optimizeWrite": "true"} if how == "property" else {}
    if how == "session":
        conf.set("spark.databricks.delta.optimizeWrite.enabled", "true")
    ds.write(rows, here, partition_by="p", options=option, properties=properties)
    rows.write.format("delta").partitionBy("p").options(**option, **properties).save(there)
    conf.unset("spark.databricks.delta.optimizeWrite.enabled")
    assert files(here) == files(there) == (24 if how == "off" else 3)
    assert rows_of(peer.read(here)) == rows_of(peer.read(there))
    assert conf.get("spark.sql.adaptive.advisoryPartitionSizeInBytes") != "512m"
