"""Which version a moment means, by file times and by in-commit timestamps."""

from __future__ import annotations

import os
from collections.abc import Iterator
from datetime import UTC, date, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

from deltaresolver.errors import (
    InCommitTimestampMissingError,
    LogTruncatedError,
    PropertyInvalidError,
    TimestampOutOfRangeError,
)
from deltaresolver.log.log import DeltaLog, as_milliseconds
from deltaresolver.log.names import commit_path
from deltaresolver.log.storage.log_store import StoredFile
from tests.logs import PROTOCOL, CountingStore, LogBuilder, add, info, metadata

ICT = {"delta.enableInCommitTimestamps": "true"}


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


@pytest.mark.parametrize(("moment", "version"), [(10_000, 0), (19_999, 0), (20_000, 1), (29_999, 1), (30_000, 2)])
def test_a_moment_gives_the_last_version_at_or_before_it(tmp_path: Path, moment: int, version: int) -> None:
    table = DeltaLog(timed(tmp_path, 10, 20, 30).store)
    assert table.snapshot(timestamp=moment).table_version == version
    when = datetime.fromtimestamp(moment / 1000, UTC)
    assert table.snapshot(timestamp=when).table_version == version
    assert table.snapshot(timestamp=when.replace(tzinfo=None)).table_version == version
    assert table.snapshot(timestamp=when.isoformat()).table_version == version


def test_file_times_that_go_backwards_are_made_to_increase(tmp_path: Path) -> None:
    table = DeltaLog(timed(tmp_path, 10, 30, 20, 20, 40).store)
    found = [
        table.snapshot(timestamp=moment).table_version for moment in (10_000, 29_999, 30_000, 30_001, 30_002, 40_000)
    ]
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


@pytest.mark.parametrize("moment", ["soon", "", "2024-13-01", 1.5, [1]])
def test_what_is_not_a_moment_is_refused(tmp_path: Path, moment: Any) -> None:
    with pytest.raises(PropertyInvalidError, match="is not a timestamp"):
        DeltaLog(timed(tmp_path, 10).store).snapshot(timestamp=moment)


@pytest.mark.parametrize("version", ["0", 0.0, [0]])
def test_what_is_not_a_version_is_refused(tmp_path: Path, version: Any) -> None:
    with pytest.raises(PropertyInvalidError, match="is not a table version"):
        DeltaLog(timed(tmp_path, 10).store).snapshot(version=version)


def test_a_commit_of_the_following_millisecond_is_after_the_moment(tmp_path: Path) -> None:
    table = DeltaLog(timed(tmp_path, 10, 10, 86_400).store)
    os.utime(tmp_path / commit_path(1), ns=(0, 10_001_000_000))
    moment = datetime(1970, 1, 1, 0, 0, 10, 999, tzinfo=UTC)
    assert table.snapshot(timestamp=moment).table_version == 0
    assert table.snapshot(timestamp=moment + timedelta(microseconds=1)).table_version == 1
    assert table.snapshot(timestamp=date(1970, 1, 2)).table_version == 2
    assert as_milliseconds(datetime(1969, 12, 31, 23, 59, 59, 999_999, tzinfo=UTC)) == -1
    assert as_milliseconds(datetime.max) == 253_402_300_799_999


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


class LateStore(CountingStore):
    """Its listing shows the newest checkpoint and not yet the newest commit."""

    def list_from(self, path: str) -> Iterator[StoredFile]:
        return iter([file for file in super().list_from(path) if file.path != commit_path(2)])


@pytest.mark.parametrize("is_there", [True, False])
def test_a_commit_that_the_listing_lacks_has_its_timestamp_all_the_same(is_there: bool) -> None:
    log = LogBuilder(LateStore()).commit(info(inCommitTimestamp=1), PROTOCOL, metadata(ICT))
    log.commit(info(inCommitTimestamp=2)).commit(info(inCommitTimestamp=3))
    log.checkpoint(2, [PROTOCOL, metadata(ICT)])
    if not is_there:
        log.delete(commit_path(2))
    snapshot = DeltaLog(log.store).snapshot()
    assert snapshot.table_version == 2
    if is_there:
        assert snapshot.timestamp_ms == 3
    else:
        with pytest.raises(InCommitTimestampMissingError, match="version 2 is gone"):
            _ = snapshot.timestamp_ms


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
