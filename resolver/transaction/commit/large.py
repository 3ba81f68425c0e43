"""A commit that is the very next version or fails: for CLONE, CONVERT and RESTORE of many files."""

from __future__ import annotations

from collections.abc import Iterable

import attrs

from deltaresolver.errors import ConcurrentWriteError, LogError
from deltaresolver.log.log import DeltaLog
from deltaresolver.log.names import commit_path
from deltaresolver.log.storage.log_store import LogStore, StoredFile
from deltaresolver.model.actions import Action
from deltaresolver.model.behaviour import Draft
from deltaresolver.model.catalog import FeatureCatalog
from deltaresolver.model.commit.draft import IsolationLevel
from deltaresolver.model.metadata import Metadata
from deltaresolver.model.operation import Operation
from deltaresolver.model.protocol import Protocol
from deltaresolver.resolution.capability import Capability
from deltaresolver.transaction.commit.attempt import AttemptOutcome, attempt, outcome_unknown
from deltaresolver.transaction.commit.back_off import BackOff
from deltaresolver.transaction.commit.prepare import Preparation
from deltaresolver.transaction.conflicts.conflict import ConflictKind, conflict_with
from deltaresolver.transaction.conflicts.read_scope import ReadScope
from deltaresolver.transaction.conflicts.winners import decode_winner
from deltaresolver.transaction.protocol_support import ensure_agree, ensure_readable

MAX_ABSENT = 5


def large_draft(
    preparation: Preparation, actions: Iterable[Action], operation: Operation, protocol: Protocol | None
) -> Draft:
    """The draft: metadata always first, then the actions, then the protocol where it changes."""
    metadata = preparation.staged_metadata or preparation.before.metadata
    given: list[Action] = list(actions)
    prepared = attrs.evolve(preparation, staged_protocol=protocol or preparation.staged_protocol)
    draft = prepared.prepare(given, operation, {})
    others = [action for action in draft.actions if not isinstance(action, (Metadata, Protocol))]
    protocols = [action for action in draft.actions if isinstance(action, Protocol)]
    own = next((action for action in draft.actions if isinstance(action, Metadata)), metadata)
    return attrs.evolve(
        draft,
        actions=(own, *others, *protocols),
        notes={**draft.notes, "readVersion": preparation.before.table_version},
        isolation=IsolationLevel.SERIALIZABLE,
        is_blind_append=False,
    )


def write_large(  # noqa: PLR0913 - what an attempt needs, and what judges the table after it
    log: DeltaLog,
    draft: Draft,
    transaction_id: str,
    scope: ReadScope,
    back_off: BackOff,
    *,
    client: Capability,
    catalog: FeatureCatalog,
) -> None:
    """Write the draft.

    Raises `ConcurrentWriteError` when its version is taken, or, where the table cannot be read any more since,
    `ProtocolUnsupportedError` or `ProtocolMismatchError`; `CommitOutcomeUnknownError` in place of an error of the
    storage while an earlier put may still arrive.
    """
    try:
        _write(log.store, draft, transaction_id, scope, back_off)
    except ConcurrentWriteError:
        # Doing it again is no way out where the newest version is one that nobody here may read.
        newest = log.update()
        ensure_readable(newest.protocol, client)
        ensure_agree(newest.protocol, newest.metadata, catalog)
        raise


def _write(store: LogStore, draft: Draft, transaction_id: str, scope: ReadScope, back_off: BackOff) -> None:
    for number in range(MAX_ABSENT):
        try:
            if _is_written(store, draft, transaction_id, scope, back_off):
                return
        except LogError as error:
            if number == 0:
                raise
            raise outcome_unknown(store, draft.table_version, transaction_id, error.message) from error
        back_off.wait()
    reason = f"{MAX_ABSENT} puts were not answered."
    raise outcome_unknown(store, draft.table_version, transaction_id, reason)


def _is_written(store: LogStore, draft: Draft, transaction_id: str, scope: ReadScope, back_off: BackOff) -> bool:
    """One attempt; false if nothing arrived yet. Raises `ConcurrentWriteError` when the version is taken."""
    outcome = attempt(store, draft, transaction_id, back_off)
    if outcome is not AttemptOutcome.LOST:
        return outcome is AttemptOutcome.COMMITTED
    path = commit_path(draft.table_version)
    data = store.read(path)
    winner = decode_winner(data, StoredFile(path, len(data), 0), draft.table_version, draft.metadata)
    if winner.commit_info is not None and winner.commit_info.transaction_id == transaction_id:
        return True
    raise conflict_with(winner, ConflictKind.VERSION_TAKEN, scope.describe()).to_error()
