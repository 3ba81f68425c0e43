"""RESTORE: the table becomes what it was, whatever came since, and nothing that readers need is lowered."""

from __future__ import annotations

import time
from pathlib import Path

import pytest

import deltaresolver as dr
from deltaresolver.errors import (
    PropertyInvalidError,
    RestoreFilesMissingError,
    RestoreVersionError,
    VersionNotFoundError,
)
from deltaresolver.transaction import operation as operations
from tests.transactions import add, remove

DDL = "id LONG, p STRING"


def table_of(folder: Path, **properties: str) -> dr.Table:
    return dr.Table.create(folder, DDL, partition_columns=["p"], properties=properties)


def commit(table: dr.Table, *actions: object) -> None:
    table.start_transaction().commit(list(actions), operations.write())  # type: ignore[arg-type]
    for action in actions:
        path = Path(table.log.store.location, getattr(action, "path"))  # noqa: B009 - of any action
        path.parent.mkdir(exist_ok=True)
        path.write_bytes(b"x")


def paths(table: dr.Table, version: int | None = None) -> set[str]:
    return {file.path for file in table.snapshot(version).add_actions()}


def test_files_are_restored_and_removed_with_the_metrics_of_delta_spark(tmp_path: Path) -> None:
    table = table_of(tmp_path)
    commit(table, add("a"), add("b"))
    commit(table, remove("a"), add("c"))
    outcome = table.restore(1)
    assert paths(table) == {"a", "b"}
    assert paths(table, 2) == {"b", "c"}
    assert outcome.metrics() == {
        "table_size_after_restore": 200,
        "num_of_files_after_restore": 2,
        "num_removed_files": 1,
        "num_restored_files": 1,
        "removed_files_size": 100,
        "restored_files_size": 100,
    }
    entry = table.history(1)[0]
    assert (entry.operation, dict(entry.parameters)) == ("RESTORE", {"version": 1, "timestamp": None})
    assert entry.info.fields["operationMetrics"]["numRestoredFiles"] == "1"
    assert outcome.committed is not None
    assert all(getattr(action, "data_change", True) for action in outcome.committed.actions)


def test_to_restore_again_changes_no_file(tmp_path: Path) -> None:
    table = table_of(tmp_path)
    commit(table, add("a"))
    commit(table, remove("a"))
    table.restore(1)
    again = table.restore(1)
    assert (again.num_removed_files, again.num_restored_files) == (0, 0)
    assert paths(table) == {"a"}


def test_metadata_and_properties_are_restored_and_the_protocol_is_not_lowered(tmp_path: Path) -> None:
    table = table_of(tmp_path)
    commit(table, add("a"))
    table.alter(set={"delta.enableDeletionVectors": "true", "mine": "1"})
    raised = table.protocol
    table.restore(1)
    table.update()
    assert "delta.enableDeletionVectors" not in table.metadata.configuration
    assert table.metadata.configuration == table.snapshot(1).metadata.configuration
    assert table.protocol == raised


def test_a_file_that_vacuum_deleted_is_named(tmp_path: Path) -> None:
    table = table_of(tmp_path)
    commit(table, add("a b"))
    commit(table, remove("a b"))
    (tmp_path / "a b").unlink()
    with pytest.raises(RestoreFilesMissingError, match=r"version 1 are available in file system.*a b"):
        table.restore(1)
    assert table.update().table_version == 2
    dr.Table(tmp_path, session={"spark.sql.files.ignoreMissingFiles": "true"}).restore(1)
    assert paths(table) == {"a b"}


def test_the_latest_version_is_there_already(tmp_path: Path) -> None:
    table = table_of(tmp_path)
    commit(table, add("a"))
    outcome = table.restore(1)
    assert (outcome.committed, outcome.restored_version, outcome.num_of_files_after_restore) == (None, 1, 1)
    assert table.snapshot().table_version == 1


def test_a_version_that_is_not_there_is_not_restored(tmp_path: Path) -> None:
    table = table_of(tmp_path)
    commit(table, add("a"))
    with pytest.raises(RestoreVersionError):
        table.restore(2)
    with pytest.raises(VersionNotFoundError):
        table.restore(-1)
    for given in ({}, {"version": 0, "timestamp": "2024-01-01"}):
        with pytest.raises(PropertyInvalidError):
            table.restore(**given)  # type: ignore[arg-type]


def test_a_moment_is_restored(tmp_path: Path) -> None:
    table = table_of(tmp_path)
    commit(table, add("a"))
    time.sleep(0.02)
    moment = time.strftime("%Y-%m-%dT%H:%M:%S", time.gmtime()) + f".{time.time_ns() // 1_000_000 % 1000:03d}"
    time.sleep(0.02)
    commit(table, remove("a"))
    assert table.restore(timestamp=moment).restored_version == 1
    assert paths(table) == {"a"}
    assert table.history(1)[0].parameters["timestamp"] == moment


def test_identity_columns_count_on_after_a_restore(tmp_path: Path) -> None:
    table = dr.Table.create(tmp_path, "id BIGINT GENERATED ALWAYS AS IDENTITY, p STRING")

    def mark() -> object:
        return (table.update().metadata.schema.fields[0].metadata or {}).get("delta.identity.highWaterMark")

    from deltaresolver.model.schema import StructField, StructType

    transaction = table.start_transaction()
    first, *rest = transaction.metadata.schema.fields
    counted = StructField(
        first.name, first.type, first.nullable, {**(first.metadata or {}), "delta.identity.highWaterMark": 40}
    )
    transaction.update_metadata(transaction.metadata.with_schema(StructType((counted, *rest))))
    transaction.commit([], operations.write())
    assert mark() == 40
    table.restore(0)
    assert mark() == 40


def test_clustering_is_restored(tmp_path: Path) -> None:
    table = dr.Table.create(tmp_path, "id LONG, p STRING", cluster_by=["id"])
    table.sql("ALTER TABLE t CLUSTER BY (p)")
    assert '"p"' in table.snapshot().domains["delta.clustering"].configuration
    table.restore(0)
    assert '"id"' in table.snapshot().domains["delta.clustering"].configuration


def test_row_ids_and_in_commit_timestamps_go_on(tmp_path: Path) -> None:
    table = table_of(tmp_path, **{"delta.enableRowTracking": "true", "delta.enableInCommitTimestamps": "true"})
    commit(table, add("a"))
    commit(table, remove("a"), add("b"))
    before = {file.path: file.base_row_id for version in (1, 2) for file in table.snapshot(version).add_actions()}
    table.restore(1)
    (restored,) = table.snapshot().add_actions()
    assert restored.base_row_id == before["a"]
    assert before["b"] is not None
    commit(table, add("c"))
    marks = {file.path: file.base_row_id for file in table.snapshot().add_actions()}
    assert (marks["c"] or 0) > before["b"]
    times = [entry.info.in_commit_timestamp or 0 for entry in table.history()]
    assert times == sorted(times, reverse=True)
    assert len(set(times)) == len(times)


def test_a_renamed_column_has_its_old_name_again(tmp_path: Path) -> None:
    table = dr.Table.create(tmp_path, DDL, properties={"delta.columnMapping.mode": "name"})
    table.sql("ALTER TABLE t RENAME COLUMN p TO q")
    table.sql("ALTER TABLE t ADD COLUMNS (r INT)")
    table.restore(0)
    assert [field.name for field in table.update().metadata.schema.fields] == ["id", "p"]


def test_another_commit_that_lands_first_ends_a_restore(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from deltaresolver.errors import ConcurrentWriteError
    from deltaresolver.transaction import restore_table as module

    table = table_of(tmp_path)
    commit(table, add("a"))
    commit(table, remove("a"))
    monkeypatch.setattr(module, "_ensure_there", lambda *_: commit(dr.Table(tmp_path), add("b")))
    with pytest.raises(ConcurrentWriteError):
        table.restore(1)
    assert paths(table) == {"b"}
