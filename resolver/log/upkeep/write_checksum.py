"""Write a version checksum (`.crc`): from the one before it where that is sure to be right, else from the snapshot."""

from __future__ import annotations

from typing import Any

import msgspec

from deltaresolver.errors import LogError, StoredFileExistsError
from deltaresolver.log.checksum import find_valid_checksum
from deltaresolver.log.commits import decode_commit
from deltaresolver.log.listing import list_log
from deltaresolver.log.names import checksum_path
from deltaresolver.log.segment import LogSegment
from deltaresolver.log.snapshot import Snapshot
from deltaresolver.log.storage.log_store import LogStore
from deltaresolver.log.upkeep.checksum_totals import FileTotals, find_totals, totals_of_actions, totals_of_version
from deltaresolver.model.actions import Action, AddFile, CommitInfo, RemoveFile, write_action
from deltaresolver.model.facts.keys import IN_COMMIT_TIMESTAMPS

MAX_LISTED = 100
"""Up to so many transactions or domains are written out; beyond, the field is left out, as it may be."""

_NEW_FILES_ONLY = frozenset(
    {
        "CREATE TABLE AS SELECT",
        "CREATE OR REPLACE TABLE AS SELECT",
        "DELETE",
        "MERGE",
        "OPTIMIZE",
        "REPLACE TABLE AS SELECT",
        "STREAMING UPDATE",
        "UPDATE",
        "WRITE",
    }
)
"""Operations that never add a file which is there already, nor remove one that is not."""

_TRUSTED_ENGINES = ("Apache-Spark/", "deltaresolver/")
"""Writers that keep to that, and give every file a name of its own."""

_decoder = msgspec.json.Decoder(dict[str, Any])


def write_checksum(snapshot: Snapshot, store: LogStore) -> str | None:
    """Write the checksum of the snapshot's version and return its path; None where there is one already.

    Raises what reading the snapshot raises.
    """
    actions = _commit_actions(snapshot, store)
    value = _head(snapshot, actions)
    totals = _totals_by_commit(snapshot, store, actions)
    if totals is None:
        totals = totals_of_version(snapshot)
    value.update(totals.to_json(with_vectors=_has_vectors(snapshot)))
    path = checksum_path(snapshot.table_version)
    try:
        store.put_if_absent(path, msgspec.json.encode(value) + b"\n")
    except StoredFileExistsError:
        return None
    return path


def _commit_actions(snapshot: Snapshot, store: LogStore) -> list[Action]:
    """The actions of the commit that made the version; none where that commit is gone."""
    commit = snapshot.segment.last_commit
    return [] if commit is None else decode_commit(store.read(commit.path), commit.path)


def _head(snapshot: Snapshot, actions: list[Action]) -> dict[str, Any]:
    value: dict[str, Any] = {"numMetadata": 1, "numProtocol": 1}
    info = next((action for action in actions if isinstance(action, CommitInfo)), CommitInfo())
    if info.transaction_id:
        value["txnId"] = info.transaction_id
    if snapshot.metadata.is_on(IN_COMMIT_TIMESTAMPS):
        value["inCommitTimestampOpt"] = info.in_commit_timestamp
    value["metadata"] = snapshot.metadata.to_json()
    value["protocol"] = snapshot.protocol.to_json()
    for name, kept in (("setTransactions", snapshot.transactions), ("domainMetadata", snapshot.domains)):
        if len(kept) <= MAX_LISTED:
            value[name] = [next(iter(write_action(each).values())) for each in kept.values()]
    return value


def _has_vectors(snapshot: Snapshot) -> bool:
    return "deletionVectors" in snapshot.protocol.writer_feature_names


def _totals_by_commit(snapshot: Snapshot, store: LogStore, actions: list[Action]) -> FileTotals | None:
    """The totals of the version before and what the commit changed; None unless both are beyond doubt."""
    if not actions or not _says_all(actions):
        return None
    earlier = _find_earlier(store, snapshot.table_version - 1, with_vectors=_has_vectors(snapshot))
    if earlier is None:
        return None
    added = totals_of_actions(action for action in actions if isinstance(action, AddFile))
    removed = totals_of_actions(action for action in actions if isinstance(action, RemoveFile))
    totals = earlier + added - removed
    return totals if totals.is_possible else None


def _says_all(actions: list[Action]) -> bool:
    """Whether the commit's file actions are exactly what the totals change by."""
    files = [action for action in actions if isinstance(action, AddFile | RemoveFile)]
    if not files:
        return True
    info = next((action for action in actions if isinstance(action, CommitInfo)), CommitInfo())
    operation, engine = info.find_text("operation"), info.find_text("engineInfo") or ""
    if operation not in _NEW_FILES_ONLY or not engine.startswith(_TRUSTED_ENGINES):
        return False
    if len({file.key for file in files}) < len(files):
        return False
    return all(
        file.size is not None and (isinstance(file, RemoveFile) or file.data_change or operation == "OPTIMIZE")
        for file in files
    )


def _find_earlier(store: LogStore, table_version: int, *, with_vectors: bool) -> FileTotals | None:
    if table_version < 0:
        return None
    files = list_log(store, table_version, table_version)
    path = files.checksums.get(table_version)
    segment = LogSegment(table_version, (), last_commit=files.commits[0] if files.commits else None, checksum_path=path)
    try:
        if path is None or find_valid_checksum(store, segment) is None:
            return None
        return find_totals(_decoder.decode(store.read(path)), with_vectors=with_vectors)
    except (LogError, msgspec.DecodeError, RecursionError, UnicodeDecodeError):
        return None
