"""What we create, alter and drop, delta-spark and delta-rs read as the same state, and history shows our operations."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest
from deltalake import write_deltalake

from deltaresolver.log.snapshot import Snapshot
from deltaresolver.table import Table
from tests.peers.delta_spark import DeltaSpark
from tests.peers.snapshot_facts import delta_rs_facts, delta_spark_facts

pytest_plugins = ["tests.peers.fixtures"]
pytestmark = pytest.mark.peer

SCHEMA = pa.schema([("id", pa.int64()), ("day", pa.string())])
ROWS = pa.table({"id": [1, 2, 3], "day": ["a", "a", "b"]})

Change = Callable[[Table], object]


def created(table: Table) -> None:
    """Nothing more."""


def row_tracking(table: Table) -> None:
    table.alter({"delta.enableRowTracking": "true"})


def deletion_vectors(table: Table) -> None:
    table.alter({"delta.enableDeletionVectors": "true", "comment": "marked rows"}, add_features=["v2Checkpoint"])


def timestamps(table: Table) -> None:
    table.alter({"delta.enableInCommitTimestamps": "true"})
    table.alter({"a": "1"})
    table.alter({"b": "2"}, ["a"])


def mapped(table: Table) -> None:
    table.alter({"delta.columnMapping.mode": "name"})


def tracked_and_dropped(table: Table) -> None:
    row_tracking(table)
    table.drop_feature("rowTracking")
    table.drop_feature("domainMetadata")


def marked_and_dropped(table: Table) -> None:
    deletion_vectors(table)
    table.drop_feature("deletionVectors")
    table.drop_feature("v2Checkpoint")


CHANGES: tuple[Change, ...] = (
    created,
    row_tracking,
    deletion_vectors,
    timestamps,
    mapped,
    tracked_and_dropped,
    marked_and_dropped,
)


def make(folder: Path, change: Change) -> Table:
    table = Table.create(folder, SCHEMA, partition_columns=["day"], description="rows")
    write_deltalake(str(folder), ROWS, mode="append")
    change(table)
    table.update()
    return table


def assert_same(snapshot: Snapshot, facts: dict[str, Any]) -> None:
    """What the peer tells is what our snapshot says."""
    assert facts["table_version"] == snapshot.table_version
    expected = {key: value for key, value in snapshot.protocol.to_json().items() if value}
    assert {key: value for key, value in facts["protocol"].items() if value} == expected
    assert facts["metadata"]["configuration"] == dict(snapshot.metadata.configuration)
    assert facts["metadata"]["partitionColumns"] == list(snapshot.metadata.partition_columns)
    assert facts["metadata"].get("description") == snapshot.metadata.description
    assert sorted(facts["files"]) == sorted(file.path for file in snapshot.add_actions())


@pytest.mark.parametrize("change", CHANGES, ids=lambda change: change.__name__)
def test_delta_spark_reads_the_same(change: Change, tmp_path: Path, delta_spark: DeltaSpark) -> None:
    table = make(tmp_path / "t", change)
    facts = delta_spark_facts(tmp_path / "t")
    assert_same(table.snapshot(), facts)
    ids = {file.path: file.base_row_id for file in table.snapshot().add_actions()}
    assert {path: file.get("baseRowId") for path, file in facts["files"].items()} == ids


@pytest.mark.parametrize("change", [created, timestamps, tracked_and_dropped], ids=lambda change: change.__name__)
def test_delta_rs_reads_the_same(change: Change, tmp_path: Path) -> None:
    table = make(tmp_path / "t", change)
    assert_same(table.snapshot(), delta_rs_facts(tmp_path / "t"))


def test_describe_history_shows_our_operations(tmp_path: Path, delta_spark: DeltaSpark) -> None:
    table = make(tmp_path / "t", marked_and_dropped)
    rows = delta_spark.sql(f"DESCRIBE HISTORY delta.`{tmp_path / 't'}`").collect()
    shown = [(row["version"], row["operation"]) for row in rows]
    assert shown == [(entry.table_version, entry.operation) for entry in table.history()]
    parameters = {row["operation"]: row["operationParameters"] for row in rows}
    assert parameters["CREATE TABLE"]["partitionBy"] == '["day"]'
    assert parameters["DROP FEATURE"]["featureName"] in ("deletionVectors", "v2Checkpoint")


def test_delta_spark_continues_to_write_where_this_library_stopped(tmp_path: Path, delta_spark: DeltaSpark) -> None:
    make(tmp_path / "t", marked_and_dropped)
    name = f"delta.`{tmp_path / 't'}`"
    delta_spark.sql(f"INSERT INTO {name} VALUES (4, 'b')")
    delta_spark.sql(f"DELETE FROM {name} WHERE id = 1")
    assert sorted(row["id"] for row in delta_spark.sql(f"SELECT id FROM {name}").collect()) == [2, 3, 4]
    old = delta_spark.sql(f"SELECT count(*) AS n FROM {name} VERSION AS OF 1").collect()
    assert old[0]["n"] == 3
