"""What happened to a table, commit by commit, and which commits changed its protocol and on what account."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import attrs

from deltaresolver.errors import LogError, StoredFileMissingError
from deltaresolver.log.build_segment import build_segment
from deltaresolver.log.find_actions import find_actions
from deltaresolver.log.protocol_change import ProtocolChange, describe_protocol_change
from deltaresolver.log.segment import CommitFile
from deltaresolver.log.snapshot import Snapshot
from deltaresolver.log.storage.log_store import LogStore
from deltaresolver.log.timestamps import find_enablement, increasing, require_in_commit_timestamp
from deltaresolver.model.actions import Action, CommitInfo
from deltaresolver.model.metadata import Metadata
from deltaresolver.model.protocol import Protocol
from deltaresolver.value import Value

_NAMES = ("commitInfo", "protocol", "metaData")


@attrs.frozen(slots=True)
class HistoryEntry(Value):
    """One commit. What its writer did not record is `None`."""

    table_version: int
    timestamp_ms: int
    info: CommitInfo
    protocol_change: ProtocolChange | None = None
    """How this commit changed the protocol; for the first commit, what the table started with."""

    @property
    def operation(self) -> str | None:
        """What was done: `WRITE`, `SET TBLPROPERTIES`, ..."""
        return self.info.find_text("operation")

    @property
    def parameters(self) -> Mapping[str, Any]:
        """With which parameters."""
        value = self.info.fields.get("operationParameters")
        return value if isinstance(value, Mapping) else {}

    @property
    def user(self) -> str | None:
        """By whom: the user's name, else the id."""
        return self.info.find_text("userName") or self.info.find_text("userId")

    @property
    def engine(self) -> str | None:
        """By which engine or client."""
        return self.info.find_text("engineInfo") or self.info.find_text("clientVersion")

    def to_json(self) -> dict[str, Any]:
        """The entry as a JSON-safe dictionary."""
        return {
            "version": self.table_version,
            "timestamp_ms": self.timestamp_ms,
            "operation": self.operation,
            "parameters": dict(self.parameters),
            "user": self.user,
            "engine": self.engine,
            "protocol_change": None if self.protocol_change is None else self.protocol_change.to_json(),
        }


@attrs.frozen(slots=True)
class _Commit(Value):
    """One commit file with the few actions that history is made of."""

    file: CommitFile
    info: CommitInfo | None
    protocol: Protocol | None
    metadata: Metadata | None


def read_history(store: LogStore, commits: Sequence[CommitFile], latest: Snapshot) -> list[HistoryEntry]:
    """The history of these commits (ascending, without gaps), newest first.

    `latest` decides since when commits carry their own timestamp. A commit file deleted meanwhile is skipped.
    """
    read = list(_read_commits(store, commits))
    timestamps = _timestamps(read, latest)
    changes = _protocol_changes(store, read)
    entries = [
        HistoryEntry(
            commit.file.last_version, timestamp, commit.info or CommitInfo(), changes.get(commit.file.last_version)
        )
        for commit, timestamp in zip(read, timestamps, strict=True)
    ]
    entries.reverse()
    return entries


def _read_commits(store: LogStore, commits: Sequence[CommitFile]) -> Iterator[_Commit]:
    for file in commits:
        try:
            data = store.read(file.path)
        except StoredFileMissingError:
            continue
        found = find_actions(data, _NAMES, file.path)
        yield _Commit(
            file,
            _first(found, "commitInfo", CommitInfo),
            _first(found, "protocol", Protocol),
            _first(found, "metaData", Metadata),
        )


def _first(found: Mapping[str, list[Action]], name: str, kind: type[Any]) -> Any:
    return next((action for action in found.get(name, ()) if isinstance(action, kind)), None)


def _timestamps(commits: Sequence[_Commit], latest: Snapshot) -> list[int]:
    carried = any(commit.info is not None and commit.info.in_commit_timestamp is not None for commit in commits)
    # Where none of them carries its own, the metadata, which may be as far back as the log goes, need not be found.
    since = find_enablement(latest.metadata) if carried or any(commit.metadata for commit in commits) else None
    by_file = [commit for commit in commits if since is None or commit.file.last_version < since.table_version]
    by_commit = commits[len(by_file) :]
    return [
        *increasing(commit.file.modified_ms for commit in by_file),
        *(require_in_commit_timestamp(commit.info, commit.file) for commit in by_commit),
    ]


def _protocol_changes(store: LogStore, commits: Sequence[_Commit]) -> dict[int, ProtocolChange]:
    changes: dict[int, ProtocolChange] = {}
    if not any(commit.protocol for commit in commits):
        return changes
    before = _state_before(store, commits[0].file.first_version)
    for commit in commits:
        protocol, metadata = commit.protocol or before[0], commit.metadata or before[1]
        if protocol is not None and protocol != before[0]:
            changes[commit.file.last_version] = describe_protocol_change(before[0], protocol, before[1], metadata)
        before = (protocol, metadata)
    return changes


def _state_before(store: LogStore, table_version: int) -> tuple[Protocol | None, Metadata | None]:
    if table_version == 0:
        return None, None
    try:
        snapshot = Snapshot(store, build_segment(store, table_version - 1))
        state = snapshot.protocol, snapshot.metadata
    except LogError:
        return None, None  # cleaned up: what the oldest commit left found cannot be known
    return state
