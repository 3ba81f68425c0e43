"""What a change and commits of others that started from the same version do to each other, by the real rules.

An append stands for others' writes: it is the least demanding, so what stops it stops them all.
"""

from __future__ import annotations

import attrs

from deltaresolver.errors import DeltaResolverError
from deltaresolver.expressions.conditions import PartitionJudge
from deltaresolver.expressions.stored_column import find_column
from deltaresolver.log.snapshot import Snapshot
from deltaresolver.model.actions import Action, AddFile
from deltaresolver.model.behaviour import Draft, Winner
from deltaresolver.resolution.capability import Capability
from deltaresolver.transaction.behaviours import behaviours_of
from deltaresolver.transaction.commit.prepare import isolation_of
from deltaresolver.transaction.conflicts.conflict import Conflict
from deltaresolver.transaction.conflicts.read_scope import ReadScope
from deltaresolver.transaction.conflicts.rebase import rebase
from deltaresolver.transaction.conflicts.rules import ConflictRules
from deltaresolver.transaction.operation import write
from deltaresolver.transaction.settings import TransactionSettings
from deltaresolver.transaction.starter import TransactionStarter

RIVAL_PROPERTY = "deltaresolver.inFlight"
"""Stands for any property; it is never written."""
_STATISTICS = '{"numRecords":1,"tightBounds":true}'


@attrs.frozen(slots=True)
class InFlight:
    """What becomes of a commit that others came before. `error` is None where it goes through."""

    error: str | None = None
    condition: str | None = None
    message: str | None = None

    @property
    def fails(self) -> bool:
        """Whether it fails and must be repeated."""
        return self.error is not None


@attrs.frozen(slots=True)
class Rivalry:
    """What becomes of a change of the table and of commits of others that started from the same version."""

    append_after: InFlight
    """An append that commits after the change."""
    after_append: InFlight
    """The change, after an append."""
    after_change: InFlight
    """The change, after a change of the table's properties."""


def judge_rivals(starter: TransactionStarter, before: Snapshot, change: Draft, scope: ReadScope) -> Rivalry:
    """What `change`, which read `scope` of the version `before`, and others' commits do to each other."""
    rival = before.metadata.with_configuration({**before.metadata.configuration, RIVAL_PROPERTY: "changed"})
    after_change = _after(starter, change, scope, _winner(change, (rival, change.commit_info)))
    transaction = starter.start(before, asked_for={name.lower() for name in change.supported})
    try:
        append = transaction.preview((_any_file(before),), write())
    except DeltaResolverError:
        # Not one file can be appended as things are, so nobody appends.
        return Rivalry(InFlight(), InFlight(), after_change)
    small = tuple(action for action in change.actions if not isinstance(action, AddFile))
    files = tuple(action for action in append.actions if isinstance(action, AddFile))
    return Rivalry(
        _after(starter, append, ReadScope(), _winner(change, (*small, change.commit_info))),
        _after(starter, change, scope, _winner(change, (append.commit_info,), files)),
        after_change,
    )


def _winner(change: Draft, small: tuple[Action, ...], files: tuple[AddFile, ...] = ()) -> Winner:
    """A commit of the version that the change would have."""
    return Winner(change.table_version, small, lambda: files, change.now_ms, change.before.metadata, bool(files))


def _after(starter: TransactionStarter, draft: Draft, scope: ReadScope, winner: Winner) -> InFlight:
    """What becomes of the draft if the winner comes first."""
    rules = ConflictRules(
        catalog=starter.catalog,
        behaviours=behaviours_of(starter.catalog),
        client=Capability.of_support(starter.catalog),
        settings=TransactionSettings.from_session(starter.session),
        isolation=isolation_of(draft),
        scope=scope,
        judge=PartitionJudge.of(draft.before.metadata),
        snapshot_at=starter.log.snapshot,
        is_precise=False,
    )
    try:
        outcome = rebase(draft, winner, rules)
    except DeltaResolverError as error:
        return _failing(error)
    return _failing(outcome.to_error()) if isinstance(outcome, Conflict) else InFlight()


def _failing(error: DeltaResolverError) -> InFlight:
    return InFlight(type(error).__name__, error.delta_condition, error.message)


def _any_file(snapshot: Snapshot) -> AddFile:
    from_schema = {find_column(snapshot.metadata, (name,)) for name in snapshot.metadata.partition_columns}
    values = dict.fromkeys((column.physical_path[0] for column in from_schema), None)
    return AddFile("in-flight.parquet", values, 1, 0, data_change=True, stats=_STATISTICS)
