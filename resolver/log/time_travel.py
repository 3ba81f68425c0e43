"""Which version was current at a moment: by in-commit timestamps where the table has them, else by file times."""

from __future__ import annotations

import bisect
from collections.abc import Sequence
from datetime import UTC, datetime

from deltaresolver.errors import LogTruncatedError, TimestampOutOfRangeError
from deltaresolver.log.listing import LogFiles
from deltaresolver.log.segment import CommitFile
from deltaresolver.log.snapshot import Snapshot
from deltaresolver.log.timestamps import Enablement, find_enablement, increasing, read_in_commit_timestamp


def find_version_at(files: LogFiles, latest: Snapshot, timestamp_ms: int) -> int:
    """The last version committed at or before `timestamp_ms` that can still be rebuilt.

    `files` is the whole log. Raises `TimestampOutOfRangeError` before the first such version and after
    the latest one, as delta-spark does: a time still to come has no settled answer.
    """
    location = latest.store.location
    earliest = earliest_rebuildable_version(files, location)
    commits = [commit for commit in files.commits if earliest <= commit.first_version <= latest.table_version]
    since = find_enablement(latest.metadata) or Enablement(latest.table_version + 1, timestamp_ms + 1)
    split = bisect.bisect_left(commits, since.table_version, key=lambda commit: commit.first_version)
    by_file, by_commit = commits[:split], commits[split:]
    if by_commit and (since.timestamp_ms <= timestamp_ms or not by_file):
        index = bisect.bisect_right(
            by_commit, timestamp_ms, key=lambda commit: read_in_commit_timestamp(latest.store, commit)
        )
        found, first = _pick(by_commit, index), by_commit[0]
        first_ms = read_in_commit_timestamp(latest.store, first) if index == 0 else 0
    else:
        times = increasing(commit.modified_ms for commit in by_file)
        index = bisect.bisect_right(times, timestamp_ms)
        found, first_ms = _pick(by_file, index), times[0] if times else 0
    if found is None:
        raise _too_early(location, timestamp_ms, first_ms)
    _check_not_after_latest(found, latest, timestamp_ms, by_file)
    return found.last_version


def _pick(commits: Sequence[CommitFile], index: int) -> CommitFile | None:
    return commits[index - 1] if index else None


def earliest_rebuildable_version(files: LogFiles, location: str) -> int:
    """The lowest version the log still holds everything for. Raises `LogTruncatedError`."""
    first = files.commits[0].first_version if files.commits else None
    if first == 0:
        return 0
    for checkpoint in files.checkpoints:
        if first is None or checkpoint.table_version >= first - 1:
            return checkpoint.table_version
    raise LogTruncatedError(
        f"No version of {location} can be rebuilt: the log starts at commit {first} without a checkpoint.",
        fix="Restore the missing commit files or a checkpoint.",
        details={"location": location, "first": first},
        delta_class="DeltaAnalysisException",
        delta_condition="DELTA_NO_RECREATABLE_HISTORY_FOUND",
    )


def _check_not_after_latest(
    found: CommitFile, latest: Snapshot, timestamp_ms: int, by_file: Sequence[CommitFile]
) -> None:
    if found.last_version != latest.table_version:
        return
    last_ms = latest.timestamp_ms
    if by_file and by_file[-1] == found:
        last_ms = increasing(commit.modified_ms for commit in by_file)[-1]
    if last_ms < timestamp_ms:
        raise TimestampOutOfRangeError(
            f"{as_text(timestamp_ms)} is after the latest version of {latest.store.location}, "
            f"version {latest.table_version} of {as_text(last_ms)}.",
            fix=f"Ask for {as_text(last_ms)} or earlier, or for the latest version.",
            details={"timestamp_ms": timestamp_ms, "latest_ms": last_ms, "table_version": latest.table_version},
            delta_class="DeltaErrors$TemporallyUnstableInputException",
            delta_condition="DELTA_TIMESTAMP_GREATER_THAN_COMMIT",
        )


def _too_early(location: str, timestamp_ms: int, first_ms: int) -> TimestampOutOfRangeError:
    return TimestampOutOfRangeError(
        f"{as_text(timestamp_ms)} is before the first version of {location} that can be rebuilt, "
        f"which is of {as_text(first_ms)}.",
        fix=f"Ask for {as_text(first_ms)} or later.",
        details={"timestamp_ms": timestamp_ms, "first_ms": first_ms},
    )


def as_text(timestamp_ms: int) -> str:
    """A timestamp for messages, in UTC; as a plain number where no calendar reaches."""
    try:
        return datetime.fromtimestamp(timestamp_ms / 1000, UTC).isoformat(timespec="milliseconds")
    except (OverflowError, ValueError, OSError):
        return f"{timestamp_ms} ms"
