"""One attempt to write a commit: it is there, somebody else's is, or it takes another try to tell."""

from __future__ import annotations

import enum

import attrs

from deltaresolver.errors import (
    CommitOutcomeUnknownError,
    PutOutcomeUnknownError,
    StorageUnavailableError,
    StoredFileExistsError,
    StoredFileMissingError,
)
from deltaresolver.log.names import commit_path
from deltaresolver.log.storage.log_store import LogStore
from deltaresolver.log.timestamps import find_commit_info
from deltaresolver.model.actions import Action, RemoveFile, encode_actions
from deltaresolver.model.behaviour import Draft
from deltaresolver.transaction.commit.back_off import BackOff

MAX_READ_BACKS = 8


class AttemptOutcome(enum.Enum):
    """How an attempt ended."""

    COMMITTED = "committed"
    LOST = "lost"
    """Another commit has the version."""
    ABSENT = "absent"
    """Nothing arrived; the same version may be tried again."""


def encode_commit(draft: Draft) -> bytes:
    """The commit file: where it comes from first, then the actions in order."""
    return encode_actions([draft.commit_info, *map(_as_written, draft.actions)])


def _as_written(action: Action) -> Action:
    """As delta-spark writes it: a partition column that a remove does not name is null; an add names every one."""
    if not isinstance(action, RemoveFile) or None not in (action.partition_values or {}).values():
        return action
    named = {name: value for name, value in (action.partition_values or {}).items() if value is not None}
    return attrs.evolve(action, partition_values=named)


def attempt(store: LogStore, draft: Draft, transaction_id: str, back_off: BackOff) -> AttemptOutcome:
    """Write the draft as its version, once.

    An answer that got lost is settled by reading the file back. Raises `CommitOutcomeUnknownError` if that fails
    too, and what the store raises for anything but a lost race.
    """
    try:
        store.put_if_absent(commit_path(draft.table_version), encode_commit(draft))
    except StoredFileExistsError:
        return AttemptOutcome.LOST
    except PutOutcomeUnknownError as error:
        return _settle(store, draft.table_version, transaction_id, back_off, error)
    return AttemptOutcome.COMMITTED


def _settle(
    store: LogStore, table_version: int, transaction_id: str, back_off: BackOff, doubt: PutOutcomeUnknownError
) -> AttemptOutcome:
    path = commit_path(table_version)
    for _ in range(MAX_READ_BACKS):
        try:
            info = find_commit_info(store.read(path), path)
        except StoredFileMissingError:
            return AttemptOutcome.ABSENT
        except StorageUnavailableError:
            back_off.wait()
        else:
            return (
                AttemptOutcome.COMMITTED
                if info is not None and info.transaction_id == transaction_id
                else AttemptOutcome.LOST
            )
    raise outcome_unknown(store, table_version, transaction_id, doubt.message) from doubt


def outcome_unknown(store: LogStore, table_version: int, transaction_id: str, reason: str) -> CommitOutcomeUnknownError:
    """The error for a commit that may be there, or may still arrive."""
    path = commit_path(table_version)
    return CommitOutcomeUnknownError(
        f"Whether version {table_version} of {store.location} was committed is unknown: {reason}",
        fix=f"Look into {path}: if its commitInfo has txnId {transaction_id}, the commit stands; else repeat it.",
        details={"location": store.location, "table_version": table_version, "transaction_id": transaction_id},
    )
