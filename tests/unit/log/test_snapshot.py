"""Snapshots: facts at a version, fallbacks, time travel, and updates that carry over what was read."""

from __future__ import annotations

import os
from datetime import UTC, datetime
from pathlib import Path

import pytest

from deltaresolver.errors import (
    CheckpointUnusableError,
    CommitMalformedError,
    InCommitTimestampMissingError,
    LogGapError,
    LogTruncatedError,
    PropertyInvalidError,
    TableNotFoundError,
    TimestampOutOfRangeError,
    VersionNotFoundError,
)
from deltaresolver.model.actions import AddFile, RemoveFile
from deltaresolver.log.columnar import FileColumns
from deltaresolver.log.local_store import LocalStore
from deltaresolver.log.log import DeltaLog
from deltaresolver.log.names import checkpoint_path, commit_path, v2_checkpoint_path
from deltaresolver.log.retention import TRANSACTION_RETENTION, duration_ms
from deltaresolver.log.snapshot import Snapshot
from deltaresolver.model.protocol import Protocol
from tests.logs import PROTOCOL, CountingStore, LogBuilder, add, domain, info, lines, metadata, remove, txn

ICT = {"delta.enableInCommitTimestamps": "true"}


def paths(snapshot: Snapshot) -> list[str]:
    return sorted(snapshot.files().column("path").to_pylist())


def test_a_table_that_is_not_there_is_said_so(tmp_path: Path) -> None:
    for folder in (tmp_path / "nowhere", tmp_path):
        with pytest.raises(TableNotFoundError) as caught:
            DeltaLog(LocalStore(folder)).snapshot()
        assert caught.value.delta_condition == "DELTA_TABLE_NOT_FOUND"
        assert str(folder) in caught.value.message


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
    assert snapshot.files(FileColumns.PATHS).column_names == ["path"]
    assert snapshot.files(FileColumns.PATHS).column("path").equals(snapshot.files().column("path"))
    assert snapshot.files(FileColumns.PATHS).column_names == ["path"]


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
    top = [
        {"checkpointMetadata": {"version": 2}},
        {"sidecar": {"path": "gone.parquet", "sizeInBytes": 9, "modificationTime": 1}},
        PROTOCOL,
        metadata(),
    ]
    log.put(v2_checkpoint_path(2, "u", "json"), lines(top))
    assert paths(DeltaLog(log.store).snapshot()) == ["a", "file-1", "file-2"]


def test_an_unreadable_checkpoint_that_nothing_stands_for_is_an_error() -> None:
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
        txn("old", 1, lastUpdated=1_000), txn("new", 1, lastUpdated=5_001), txn("never", 1),
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


@pytest.mark.parametrize("text", ["", "interval", "1 month", "interval 1 year", "1 day and", "day", "1", "1 dayz"])
def test_other_durations_are_refused(text: str) -> None:
    with pytest.raises(PropertyInvalidError, match="k must be a duration"):
        duration_ms(text, "k")


def timed(tmp_path: Path, *seconds: int, configuration: dict[str, str] | None = None) -> LogBuilder:
    """A local log whose commit files carry these times."""
    log = LogBuilder.local(tmp_path)
    for number in range(len(seconds)):
        first = [PROTOCOL, metadata(configuration)] if number == 0 else []
        log.commit(*first, add(f"f{number}"))
    for number, second in enumerate(seconds):
        os.utime(tmp_path / commit_path(number), (second, second))
    return log


def test_without_in_commit_timestamps_the_file_time_counts(tmp_path: Path) -> None:
    table = DeltaLog(timed(tmp_path, 10, 20, 30).store)
    assert table.snapshot().timestamp_ms == 30_000
    assert table.snapshot(version=1).timestamp_ms == 20_000


@pytest.mark.parametrize(
    ("moment", "version"), [(10_000, 0), (19_999, 0), (20_000, 1), (29_999, 1), (30_000, 2)]
)
def test_a_moment_gives_the_last_version_at_or_before_it(tmp_path: Path, moment: int, version: int) -> None:
    table = DeltaLog(timed(tmp_path, 10, 20, 30).store)
    assert table.snapshot(timestamp=moment).table_version == version
    when = datetime.fromtimestamp(moment / 1000, UTC)
    assert table.snapshot(timestamp=when).table_version == version
    assert table.snapshot(timestamp=when.replace(tzinfo=None)).table_version == version
    assert table.snapshot(timestamp=when.isoformat()).table_version == version


def test_file_times_that_go_backwards_are_made_to_increase(tmp_path: Path) -> None:
    table = DeltaLog(timed(tmp_path, 10, 30, 20, 20, 40).store)
    found = [table.snapshot(timestamp=moment).table_version for moment in (10_000, 29_999, 30_000, 30_001, 30_002, 40_000)]
    assert found == [0, 0, 1, 2, 3, 4]
    assert [entry.timestamp_ms for entry in table.history()] == [40_000, 30_002, 30_001, 30_000, 10_000]


def test_a_moment_outside_the_log_is_refused(tmp_path: Path) -> None:
    table = DeltaLog(timed(tmp_path, 10, 20).store)
    with pytest.raises(TimestampOutOfRangeError) as early:
        table.snapshot(timestamp=9_999)
    assert early.value.delta_condition == "DELTA_TIMESTAMP_EARLIER_THAN_COMMIT_RETENTION"
    with pytest.raises(TimestampOutOfRangeError) as late:
        table.snapshot(timestamp=20_001)
    assert late.value.delta_condition == "DELTA_TIMESTAMP_GREATER_THAN_COMMIT"
    assert late.value.details["latest_ms"] == 20_000


def test_only_versions_that_can_be_rebuilt_are_found_by_time(tmp_path: Path) -> None:
    log = timed(tmp_path, 10, 20, 30, 40).forget(0)
    with pytest.raises(LogTruncatedError):
        DeltaLog(log.store).snapshot(timestamp=20_000)
    log.checkpoint(2, [PROTOCOL, metadata(), add("f2")])
    table = DeltaLog(log.store)
    assert table.snapshot(timestamp=30_000).table_version == 2
    with pytest.raises(TimestampOutOfRangeError):
        table.snapshot(timestamp=20_000)


def test_version_and_moment_together_are_refused(tmp_path: Path) -> None:
    table = DeltaLog(timed(tmp_path, 10).store)
    with pytest.raises(PropertyInvalidError):
        table.snapshot(version=0, timestamp=10_000)
    with pytest.raises(PropertyInvalidError, match="'soon' is not a timestamp"):
        table.snapshot(timestamp="soon")


def test_in_commit_timestamps_are_used_where_enabled(tmp_path: Path) -> None:
    log = LogBuilder.local(tmp_path)
    log.commit(info(inCommitTimestamp=1_000), PROTOCOL, metadata(ICT)).commit(info(inCommitTimestamp=2_000), add("a"))
    table = DeltaLog(log.store)
    assert table.snapshot().timestamp_ms == 2_000
    assert table.snapshot(timestamp=1_999).table_version == 0
    assert [entry.timestamp_ms for entry in table.history()] == [2_000, 1_000]
    with pytest.raises(TimestampOutOfRangeError):
        table.snapshot(timestamp=999)
    with pytest.raises(TimestampOutOfRangeError):
        table.snapshot(timestamp=2_001)


def test_before_their_enablement_file_times_count(tmp_path: Path) -> None:
    log = timed(tmp_path, 10, 20)
    enabled = {
        **ICT,
        "delta.inCommitTimestampEnablementVersion": "2",
        "delta.inCommitTimestampEnablementTimestamp": "25000",
    }
    log.commit(info(inCommitTimestamp=25_000), metadata(enabled)).commit(info(inCommitTimestamp=40_000))
    table = DeltaLog(log.store)
    moments = (10_000, 20_000, 24_999, 25_000, 39_999, 40_000)
    assert [table.snapshot(timestamp=moment).table_version for moment in moments] == [0, 1, 1, 2, 2, 3]
    assert [entry.timestamp_ms for entry in table.history()] == [40_000, 25_000, 20_000, 10_000]
    assert table.snapshot(version=1).timestamp_ms == 20_000


@pytest.mark.parametrize("actions", [[add("a")], [info(), add("a")], [info(inCommitTimestamp="soon")]])
def test_a_commit_without_its_timestamp_is_an_error(actions: list[dict[str, object]]) -> None:
    log = LogBuilder().commit(info(inCommitTimestamp=1), PROTOCOL, metadata(ICT)).commit(*actions)
    with pytest.raises(InCommitTimestampMissingError):
        _ = DeltaLog(log.store).snapshot().timestamp_ms


def test_half_an_enablement_is_an_error() -> None:
    configuration = {**ICT, "delta.inCommitTimestampEnablementVersion": "1"}
    log = LogBuilder().commit(info(inCommitTimestamp=1), PROTOCOL, metadata(configuration))
    with pytest.raises(PropertyInvalidError, match="both"):
        DeltaLog(log.store).history()


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
    log.commit(PROTOCOL, metadata(id="other"), add("new"))
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
