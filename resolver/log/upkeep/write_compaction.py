"""Write a log compaction file: the commits of a range reconciled into one, every line as its writer spelt it."""

from __future__ import annotations

from collections.abc import Hashable, Iterable

import msgspec

from deltaresolver.errors import CompactionRangeError, StoredFileExistsError
from deltaresolver.log.commits import decode_action, decode_line, numbered_lines
from deltaresolver.log.listing import list_log
from deltaresolver.log.names import compaction_path
from deltaresolver.log.segment import CommitFile
from deltaresolver.log.storage.log_store import LogStore
from deltaresolver.model.actions import (
    Action,
    AddFile,
    ChangeFile,
    CommitInfo,
    DomainMetadata,
    RemoveFile,
    SetTransaction,
)

_NOT_KEPT = (CommitInfo, ChangeFile)
_FILES = (AddFile, RemoveFile)


def compact_log(store: LogStore, first: int, last: int) -> str:
    """Compact the commits from version `first` to `last` and return the file's path; one already there is kept.

    Tombstones and removed domains stay, since they cancel what is older than the range. So do actions unknown
    here, all of them. Raises `CompactionRangeError`, `CommitMalformedError`.
    """
    _ensure_range(store, first, last, first < last and first >= 0)
    commits = list_log(store, first, last).commits
    is_whole = len(commits) == last - first + 1 and commits[0].first_version == first
    _ensure_range(store, first, last, is_whole)
    path = compaction_path(first, last)
    lines = _reconciled(store, commits)
    try:
        store.put_if_absent(path, b"".join(line + b"\n" for line in lines))
    except StoredFileExistsError:
        return path
    return path


def _ensure_range(store: LogStore, first: int, last: int, is_good: bool) -> None:
    if not is_good:
        raise CompactionRangeError(
            f"Versions {first} to {last} of {store.location} cannot be compacted: "
            "the range must hold two commits or more, and all of them must be in the log.",
            fix="Choose a range of commits that are there.",
            details={"location": store.location, "first": first, "last": last},
        )


def _reconciled(store: LogStore, commits: Iterable[CommitFile]) -> list[bytes]:
    newest: dict[Hashable, bytes] = {}
    files: dict[Hashable, bytes] = {}
    for commit in commits:
        for number, line in numbered_lines(store.read(commit.path)):
            wrapped = {
                name: value for name, value in decode_line(line, commit.path, number).items() if value is not None
            }
            for name, value in wrapped.items():
                action = decode_action(name, value, commit.path, number)
                if isinstance(action, _NOT_KEPT):
                    continue
                spelt = line if len(wrapped) == 1 else msgspec.json.encode({name: value})
                kept = files if isinstance(action, _FILES) else newest
                key = _subject(name, action)
                key = (commit.path, number, name) if key is None else key
                # The newest action on a subject stays in the place where it was.
                kept.pop(key, None)
                kept[key] = spelt
    return [*newest.values(), *files.values()]


def _subject(name: str, action: Action) -> Hashable:
    """What the action has the last word on; None for an action of which that is unknown."""
    if isinstance(action, _FILES):
        return action.key
    if isinstance(action, SetTransaction):
        return name, action.app_id
    if isinstance(action, DomainMetadata):
        return name, action.domain
    return name if name in ("protocol", "metaData") else None
