"""Snapshots: facts at a version, fallbacks, time travel, and updates that carry over what was read."""

from __future__ import annotations

from pathlib import Path

import pytest

from deltaresolver.errors import (
    CheckpointUnusableError,
    CommitMalformedError,
    LogGapError,
    PropertyInvalidError,
    StorageUnavailableError,
    TableNotFoundError,
    VersionNotFoundError,
)
from deltaresolver.expressions.predicates import col
from deltaresolver.log.columnar.file_columns import FileColumns
from deltaresolver.log.log import DeltaLog
from deltaresolver.log.names import checkpoint_path, commit_path, staged_commit_path, v2_checkpoint_path
from deltaresolver.log.segment import CommitFile
from deltaresolver.log.snapshot import Snapshot
from deltaresolver.log.storage.local_store import LocalStore
from deltaresolver.log.upkeep.retention import TRANSACTION_RETENTION, duration_ms
from deltaresolver.model.actions import AddFile, RemoveFile
from deltaresolver.model.protocol import Protocol
from tests import nasty
from tests.logs import (
    PROTOCOL,
    CountingStore,
    Json,
    LogBuilder,
    add,
    domain,
    info,
    lines,
    metadata,
    parquet,
    remove,
    txn,
)


def paths(snapshot: Snapshot) -> list[str]:
    return sorted(snapshot.files().column("path").to_pylist())


def test_a_table_that_does_not_exist_is_an_error(tmp_path: Path) -> None:
    for folder in (tmp_path / "nowhere", tmp_path):
        with pytest.raises(TableNotFoundError) as caught:
            DeltaLog(LocalStore(folder)).snapshot()
        assert caught.value.delta_condition == "DELTA_TABLE_NOT_FOUND"
        assert str(folder) in caught.value.message


def test_a_snapshot_knows_before_which_moment_removed_files_may_be_gone() -> None:
    log = LogBuilder().commit(PROTOCOL, metadata({"delta.deletedFileRetentionDuration": "interval 2 hours"}))
    snapshot = DeltaLog(log.store, clock=lambda: 10_000_000).snapshot()
    assert snapshot.min_file_retention_timestamp == 10_000_000 - 2 * 3_600_000


def test_every_version_has_its_own_state() -> None:
    log = LogBuilder.started(add("a"), txn("app", 1)).commit(add("b"), domain("d")).commit(remove("a"), txn("app", 2))
    table = DeltaLog(log.store)
    assert [paths(table.snapshot(version=number)) for number in range(3)] == [["a"], ["a", "b"], ["b"]]
    first, last = table.snapshot(version=0), table.snapshot()
    assert (first.transactions["app"].app_version, last.transactions["app"].app_version) == (1, 2)
    assert (list(first.domains), list(last.domains)) == ([], ["d"])
    assert list(last.add_actions()) == [AddFile("b", size=1, modification_time=1, data_change=True)]
    assert [action.path for action in last.remove_actions()] == ["a"]
    assert all(isinstance(action, RemoveFile) for action in last.remove_actions())
    assert "version 2" in repr(last)


def test_a_choice_of_columns_is_the_same_rows() -> None:
    log = LogBuilder.started(add("a", stats='{"numRecords":1}')).commit(add("b"))
    snapshot = DeltaLog(log.store).snapshot()
    assert snapshot.files(columns=FileColumns.PATHS).column_names == ["path"]
    assert snapshot.files(columns=FileColumns.PATHS).column("path").equals(snapshot.files().column("path"))
    assert snapshot.files(columns=FileColumns.PATHS).column_names == ["path"]


def test_a_predicate_leaves_out_only_files_that_cannot_match() -> None:
    stats = [f'{{"numRecords":1,"minValues":{{"id":{low}}},"maxValues":{{"id":{low + 4}}}}}' for low in (1, 5)]
    log = LogBuilder.started(add("low", stats=stats[0]), add("high", stats=stats[1]), add("unknown"))
    snapshot = DeltaLog(log.store).snapshot()
    assert snapshot.files(col("id") > 5).column("path").to_pylist() == ["high", "unknown"]
    assert snapshot.files(col("id") == 5, columns=FileColumns.PATHS).num_rows == 3


@pytest.mark.parametrize("damage", [b"x" * 100, b"PAR1" + b"\0" * 64 + b"PAR1", b"PAR1"])
@pytest.mark.parametrize("with_older", [True, False])
def test_an_unreadable_checkpoint_is_left_aside(damage: bytes, with_older: bool) -> None:
    log = LogBuilder.started(add("a")).commits(4)
    if with_older:
        log.checkpoint(1, [PROTOCOL, metadata(), add("a"), add("file-1")])
    expected = [*(f"file-{number}" for number in range(1, 5)), "a"]
    log.put(checkpoint_path(3), damage)
    for hint in (False, True):
        if hint:
            log.hint(3)
        snapshot = DeltaLog(log.store).snapshot()
        assert paths(snapshot) == sorted(expected)
        assert snapshot.protocol == Protocol.of(1, 2)


def test_a_v2_checkpoint_whose_sidecar_is_gone_is_left_aside() -> None:
    log = LogBuilder.started(add("a")).commits(2)
    top: list[Json] = [
        {"checkpointMetadata": {"version": 2}},
        {"sidecar": {"path": "gone.parquet", "sizeInBytes": 9, "modificationTime": 1}},
        PROTOCOL,
        metadata(),
    ]
    log.put(v2_checkpoint_path(2, "u", "json"), lines(top))
    assert paths(DeltaLog(log.store).snapshot()) == ["a", "file-1", "file-2"]


class SilentStore(CountingStore):
    """Answers no read of a checkpoint, as a storage does while it is down."""

    def read(self, path: str) -> bytes:
        self._ensure_up(path)
        return super().read(path)

    def read_range(self, path: str, start: int, length: int) -> bytes:
        self._ensure_up(path)
        return super().read_range(path, start, length)

    def _ensure_up(self, path: str) -> None:
        if ".checkpoint" in path:
            raise StorageUnavailableError(f"{path} could not be read.", fix="Try again.")


def test_a_checkpoint_that_the_storage_does_not_hand_out_is_not_called_broken() -> None:
    log = LogBuilder(SilentStore()).commit(PROTOCOL, metadata()).commits(3)
    log.put(checkpoint_path(2), parquet([PROTOCOL, metadata()])).forget(0, 1)
    snapshot = DeltaLog(log.store).snapshot()
    with pytest.raises(StorageUnavailableError):
        _ = snapshot.protocol
    with pytest.raises(StorageUnavailableError):
        snapshot.files()


def test_an_unreadable_checkpoint_that_nothing_replaces_is_an_error() -> None:
    log = LogBuilder.started().commits(4).put(checkpoint_path(2), b"x" * 100).forget(0, 1)
    snapshot = DeltaLog(log.store).snapshot()
    with pytest.raises(CheckpointUnusableError, match="version 2"):
        _ = snapshot.protocol
    with pytest.raises(CheckpointUnusableError):
        snapshot.files()


def test_a_torn_commit_is_an_error_and_never_fewer_files() -> None:
    whole = lines([add("b"), add("c")])
    log = LogBuilder.started(add("a")).raw_commit(whole[:-10])
    with pytest.raises(CommitMalformedError):
        DeltaLog(log.store).snapshot().files()
    assert paths(DeltaLog(log.store).snapshot(version=0)) == ["a"]


def test_transactions_past_their_retention_are_hidden() -> None:
    log = LogBuilder.started(
        txn("old", 1, lastUpdated=1_000),
        txn("new", 1, lastUpdated=5_001),
        txn("never", 1),
        configuration={TRANSACTION_RETENTION: "interval 5 seconds"},
    )
    assert list(DeltaLog(log.store, clock=lambda: 10_000).snapshot().transactions) == ["new"]
    assert set(DeltaLog(log.store, clock=lambda: 0).snapshot().transactions) == {"old", "new"}


@pytest.mark.parametrize(
    ("text", "milliseconds"),
    [
        ("interval 1 week", 604_800_000),
        ("INTERVAL 2 Days 3 hours", 183_600_000),
        ("30 days", 2_592_000_000),
        ("interval 1.5 seconds", 1_500),
        ("interval 1500 microseconds", 1),
        ("interval 0 days", 0),
        ("interval -1 minute", -60_000),
    ],
)
def test_durations_are_read_as_spark_writes_them(text: str, milliseconds: int) -> None:
    assert duration_ms(text, "k") == milliseconds


@pytest.mark.parametrize(
    "text",
    ["", "interval", "1 month", "interval 1 year", "1 day and", "day", "1", "1 dayz", *nasty.ENDLESS_DURATIONS],
)
def test_other_durations_are_refused(text: str) -> None:
    with pytest.raises(PropertyInvalidError, match="k must be a duration"):
        duration_ms(text, "k")


def test_update_returns_the_same_snapshot_when_nothing_happened() -> None:
    table = DeltaLog(LogBuilder.started(add("a")).store)
    assert table.update() is table.update()


def test_update_reads_only_the_new_commits() -> None:
    log = LogBuilder.started(add("a"), add("b"), txn("app", 1), domain("d")).commits(3)
    store = log.store
    assert isinstance(store, CountingStore)
    table = DeltaLog(store)
    before = table.update()
    _ = (before.files(), before.transactions, before.protocol)
    log.commit(remove("b"), add("z"), txn("app", 2), domain("d", removed=True)).commit(metadata({"k": "v"}))
    store.reads.clear()
    after = table.update()
    assert paths(after) == ["a", "file-1", "file-2", "file-3", "z"]
    assert after.metadata.configuration == {"k": "v"}
    assert after.transactions["app"].app_version == 2
    assert (after.domains, after.protocol) == ({}, before.protocol)
    assert set(store.reads) == {commit_path(4), commit_path(5)}
    assert paths(before) == ["a", "b", "file-1", "file-2", "file-3"]


def test_update_of_a_replaced_log_starts_over() -> None:
    log = LogBuilder.started(add("a")).commits(2)
    table = DeltaLog(log.store)
    assert "a" in paths(table.update())
    log.forget(0, 1, 2)
    log.next_version = 0
    log.commit(PROTOCOL, metadata(table_id="other"), add("new"))
    after = table.update()
    assert (after.table_version, after.metadata.id, paths(after)) == (0, "other", ["new"])


def test_update_over_a_gap_is_an_error() -> None:
    log = LogBuilder.started(add("a"))
    table = DeltaLog(log.store)
    table.update().files()
    log.commits(2).forget(1)
    with pytest.raises(LogGapError):
        table.update()


def test_commits_cleaned_up_after_listing_are_read_from_the_newer_checkpoint() -> None:
    log = LogBuilder.started(add("a")).commits(3)
    snapshot = DeltaLog(log.store).snapshot()
    log.checkpoint(2, [PROTOCOL, metadata(), add("a"), add("file-1"), add("file-2")]).forget(0, 1)
    assert paths(snapshot) == ["a", "file-1", "file-2", "file-3"]
    assert snapshot.protocol == Protocol.of(1, 2)
    lost = DeltaLog(log.store).snapshot()
    log.forget(3)
    with pytest.raises(VersionNotFoundError):
        lost.files()


def test_commits_that_a_catalog_confirms_are_part_of_the_table() -> None:
    log = LogBuilder.started(add("a"))
    staged = []
    for number, action in ((1, add("b")), (2, txn("app", 1))):
        path, data = staged_commit_path(number, "u"), lines([info(operation=f"STEP {number}"), action])
        log.put(path, data)
        staged.append(CommitFile(path, len(data), 0, number, number))
    table = DeltaLog(log.store, staged)
    snapshot = table.snapshot()
    assert (snapshot.table_version, paths(snapshot)) == (2, ["a", "b"])
    assert snapshot.transactions["app"].app_version == 1
    assert paths(table.snapshot(version=0)) == ["a"]
    assert [entry.operation for entry in table.history()] == ["STEP 2", "STEP 1", None]
    log.put(commit_path(1), log.store.read(staged[0].path))
    assert paths(table.update()) == ["a", "b"]
    assert DeltaLog(log.store).snapshot().table_version == 1
