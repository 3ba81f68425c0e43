"""The files that commits took out of a table, read from its log: what VACUUM LITE deletes without a listing.

How far the log has been gone through is kept beside it, so that the next VACUUM LITE begins there.
"""

from __future__ import annotations

import json
from collections.abc import Iterator

from deltaresolver.errors import LiteVacuumUnavailableError, LogError, TimestampOutOfRangeError
from deltaresolver.log.deletion_vectors import relative_path
from deltaresolver.log.find_actions import find_actions
from deltaresolver.log.listing import list_log
from deltaresolver.log.names import LOG_FOLDER
from deltaresolver.log.snapshot import Snapshot
from deltaresolver.log.storage.log_store import LogStore, StoredFile
from deltaresolver.log.time_travel import find_version_at
from deltaresolver.model.actions import ChangeFile, RemoveFile
from deltaresolver.model.file_key import path_in_table

LAST_VACUUM = f"{LOG_FOLDER}/_last_vacuum_info"
_FIELD = "latestCommitVersionOutsideOfRetentionWindow"


def find_last_expired_version(snapshot: Snapshot, cutoff_ms: int) -> int | None:
    """The version that was current at the cut-off; None if the log begins later."""
    files = list_log(snapshot.store, 0, snapshot.table_version)
    try:
        return find_version_at(files, snapshot, cutoff_ms)
    except TimestampOutOfRangeError as error:
        return snapshot.table_version if "latest_ms" in error.details else None


def removed_files(snapshot: Snapshot, last_expired: int | None) -> list[StoredFile]:
    """Files that commits up to `last_expired` removed, change data among them, since the last VACUUM LITE.

    Raises `LiteVacuumUnavailableError` where some of these commits are gone from the log.
    """
    store = snapshot.store
    commits = list_log(store, 0, snapshot.table_version).commits
    if last_expired is None or not commits:
        return []
    done, earliest = read_last_vacuum(store), commits[0].first_version
    if earliest != 0 and (done is None or done < earliest):
        raise LiteVacuumUnavailableError(
            f"The log of {store.location} begins at version {earliest}, and VACUUM LITE has not seen those before it.",
            fix="Run VACUUM FULL, which lists the table's folder.",
            details={"location": store.location, "earliest": earliest, "seen": done},
        )
    first = earliest if done is None else done + 1
    found: dict[str, StoredFile] = {}
    for commit in commits:
        if first <= commit.first_version <= last_expired:
            found.update((file.path, file) for file in _removed_by(store.read(commit.path), commit.path))
    return list(found.values())


def removed_since(snapshot: Snapshot, cutoff_ms: int) -> Iterator[str]:
    """Paths that commits since the cut-off removed, as far as they are in the log.

    Checkpoints forget removals that are older than the table's own retention, so for a longer one commits are asked.
    """
    for commit in list_log(snapshot.store, 0, snapshot.table_version).commits:
        if commit.modified_ms >= cutoff_ms:
            for file in _removed_by(snapshot.store.read(commit.path), commit.path):
                yield file.path


def read_last_vacuum(store: LogStore) -> int | None:
    """The last version that VACUUM LITE has gone through; None where that is not known."""
    try:
        data = store.find(LAST_VACUUM)
        found = json.loads(data or b"{}").get(_FIELD)
    except (LogError, ValueError, AttributeError, RecursionError):
        return None
    return found if isinstance(found, int) else None


def write_last_vacuum(store: LogStore, last_expired: int | None) -> None:
    """Remember it. Not to know only means more work for the next VACUUM LITE."""
    fields = {} if last_expired is None else {_FIELD: last_expired}
    store.put(LAST_VACUUM, json.dumps(fields, separators=(",", ":")).encode() + b"\n")


def _removed_by(data: bytes, path: str) -> Iterator[StoredFile]:
    found = find_actions(data, ("remove", "cdc"), path)
    for action in (*found.get("remove", ()), *found.get("cdc", ())):
        if isinstance(action, RemoveFile):
            removed_at, vector = action.deletion_timestamp or 0, action.deletion_vector
            yield StoredFile(path_in_table(action.path), action.size or 0, removed_at)
            if vector is not None and vector.storage_type == "u":
                yield StoredFile(relative_path(vector), vector.size_in_bytes, removed_at)
        elif isinstance(action, ChangeFile):
            yield StoredFile(path_in_table(action.path), action.size, 0)
