"""When a version was committed: the in-commit timestamp where the table keeps one, else the file's time.

File times may go backwards (a copied table, clocks of several machines). Where several versions are
compared they are therefore made strictly increasing, each at least one millisecond after the one before.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import attrs

from deltaresolver.errors import InCommitTimestampMissingError, PropertyInvalidError, StoredFileMissingError
from deltaresolver.log.checksum import find_valid_checksum
from deltaresolver.log.find_actions import find_actions
from deltaresolver.log.names import commit_path
from deltaresolver.log.segment import CommitFile, LogSegment
from deltaresolver.log.storage.log_store import LogStore
from deltaresolver.model.actions import CommitInfo
from deltaresolver.model.facts.keys import IN_COMMIT_TIMESTAMPS, TIMESTAMPS_SINCE_TIME, TIMESTAMPS_SINCE_VERSION
from deltaresolver.model.metadata import Metadata
from deltaresolver.value import Value


@attrs.frozen(slots=True)
class Enablement(Value):
    """From which version, and from when, commits carry their own timestamp."""

    table_version: int
    timestamp_ms: int


def in_commit_timestamps_enabled(metadata: Metadata) -> bool:
    """Whether commits of a table with this metadata carry their own timestamp. Raises `PropertyInvalidError`."""
    return metadata.is_on(IN_COMMIT_TIMESTAMPS)


def find_enablement(metadata: Metadata) -> Enablement | None:
    """Since when; `None` when disabled. Without the two properties, the whole log carries timestamps.

    Raises `PropertyInvalidError` when only one of the two is there, or one is not a number.
    """
    if not in_commit_timestamps_enabled(metadata):
        return None
    texts = [metadata.configuration.get(key) for key in (TIMESTAMPS_SINCE_VERSION, TIMESTAMPS_SINCE_TIME)]
    if texts == [None, None]:
        return Enablement(0, 0)
    try:
        return Enablement(int(texts[0] or ""), int(texts[1] or ""))
    except ValueError:
        raise PropertyInvalidError(
            f"{TIMESTAMPS_SINCE_VERSION} and {TIMESTAMPS_SINCE_TIME} must both be whole numbers or both be absent, "
            f"found {texts[0]!r} and {texts[1]!r}.",
            fix=f"Correct or unset {TIMESTAMPS_SINCE_VERSION} and {TIMESTAMPS_SINCE_TIME}.",
            details={TIMESTAMPS_SINCE_VERSION: texts[0], TIMESTAMPS_SINCE_TIME: texts[1]},
        ) from None


def find_commit_info(data: bytes, path: str) -> CommitInfo | None:
    """The first commitInfo in a commit's bytes."""
    for action in find_actions(data, ("commitInfo",), path).get("commitInfo", []):
        if isinstance(action, CommitInfo):
            return action
    return None


def read_in_commit_timestamp(store: LogStore, commit: CommitFile) -> int:
    """The timestamp a commit carries. Raises `InCommitTimestampMissingError`."""
    info = find_commit_info(store.read(commit.path), commit.path)
    return require_in_commit_timestamp(info, commit)


def require_in_commit_timestamp(info: CommitInfo | None, commit: CommitFile) -> int:
    """The timestamp in this commitInfo. Raises `InCommitTimestampMissingError`."""
    if info is not None and info.in_commit_timestamp is not None:
        return info.in_commit_timestamp
    lacking = "no commitInfo" if info is None else "a commitInfo without inCommitTimestamp"
    raise InCommitTimestampMissingError(
        f"Commit {commit.last_version} has {lacking}, though in-commit timestamps are enabled.",
        fix=f"Restore {commit.path}, or disable {IN_COMMIT_TIMESTAMPS} with a writer that supports it.",
        details={"path": commit.path, "table_version": commit.last_version},
        delta_condition="DELTA_MISSING_COMMIT_INFO" if info is None else None,
    )


def read_version_timestamp(store: LogStore, segment: LogSegment, metadata: Metadata) -> int:
    """When the segment's version was committed, in milliseconds since the epoch.

    Raises `InCommitTimestampMissingError`.
    """
    commit = segment.last_commit
    if in_commit_timestamps_enabled(metadata):
        checksum = find_valid_checksum(store, segment)
        if checksum is not None and checksum.in_commit_timestamp is not None:
            return checksum.in_commit_timestamp
        return read_in_commit_timestamp(store, commit) if commit is not None else _read_unlisted(store, segment)
    if commit is not None:
        return commit.modified_ms
    return 0 if segment.checkpoint is None else segment.checkpoint.modified_ms


def _read_unlisted(store: LogStore, segment: LogSegment) -> int:
    """The timestamp where the listing showed only a checkpoint of the version: the commit may be there all the same."""
    table_version = segment.table_version
    path = commit_path(table_version)
    try:
        return read_in_commit_timestamp(store, CommitFile(path, 0, 0, table_version, table_version))
    except StoredFileMissingError:
        raise InCommitTimestampMissingError(
            f"The commit file of version {table_version} is gone, and with it the version's timestamp.",
            fix="Restore the commit file; a checkpoint does not hold the timestamp.",
            details={"table_version": table_version},
        ) from None


def increasing(timestamps: Iterable[int]) -> Sequence[int]:
    """The same timestamps, each raised to at least one more than the one before."""
    result: list[int] = []
    for timestamp in timestamps:
        result.append(max(timestamp, result[-1] + 1) if result else timestamp)
    return result
