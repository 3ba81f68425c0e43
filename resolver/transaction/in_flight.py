"""What a commit does to writers that read the table before it and commit after it, judged by the real rules."""

from __future__ import annotations

import attrs

from deltaresolver.errors import DeltaResolverError
from deltaresolver.log.snapshot import Snapshot
from deltaresolver.log.stored_column import find_column
from deltaresolver.model.actions import AddFile
from deltaresolver.model.behaviour import Draft, Winner
from deltaresolver.resolution.capability import Capability
from deltaresolver.transaction.behaviours import behaviours_of
from deltaresolver.transaction.conflict import Conflict
from deltaresolver.transaction.conflict_rules import ConflictRules
from deltaresolver.transaction.conflicts import rebase
from deltaresolver.transaction.operation import write
from deltaresolver.transaction.predicate_sql import PartitionJudge
from deltaresolver.transaction.prepare import isolation_of
from deltaresolver.transaction.read_scope import ReadScope
from deltaresolver.transaction.settings import TransactionSettings
from deltaresolver.transaction.starter import TransactionStarter

_STATISTICS = '{"numRecords":1,"tightBounds":true}'


@attrs.frozen(slots=True)
class InFlight:
    """What becomes of an append in flight, the least demanding of writers. `error` is None where it goes through."""

    error: str | None = None
    condition: str | None = None
    message: str | None = None

    @property
    def fails(self) -> bool:
        """Whether it fails and must be repeated."""
        return self.error is not None


def judge_writers_in_flight(starter: TransactionStarter, before: Snapshot, change: Draft) -> InFlight:
    """What an append that read `before` would meet if `change` is committed first."""
    transaction = starter.start(before)
    try:
        append = transaction.preview((_any_file(before),), write())
    except DeltaResolverError:
        # Not one file can be appended as things are, so nobody is in flight.
        return InFlight()
    winner = Winner(
        change.table_version,
        (*(action for action in change.actions if not isinstance(action, AddFile)), change.commit_info),
        tuple,
        change.now_ms,
        append.metadata,
        has_files=False,
    )
    rules = ConflictRules(
        catalog=starter.catalog,
        behaviours=behaviours_of(starter.catalog),
        client=Capability.of_catalog(starter.catalog),
        settings=TransactionSettings.from_session(starter.session),
        isolation=isolation_of(append),
        scope=ReadScope(),
        judge=PartitionJudge.of(append.metadata),
        snapshot_at=starter.log.snapshot,
        is_precise=False,
    )
    try:
        outcome = rebase(append, winner, rules)
    except DeltaResolverError as error:
        return _failing(error)
    return _failing(outcome.to_error()) if isinstance(outcome, Conflict) else InFlight()


def _failing(error: DeltaResolverError) -> InFlight:
    return InFlight(type(error).__name__, error.delta_condition, error.message)


def _any_file(snapshot: Snapshot) -> AddFile:
    from_schema = {find_column(snapshot.metadata, (name,)) for name in snapshot.metadata.partition_columns}
    values = dict.fromkeys((column.physical_path[0] for column in from_schema), None)
    return AddFile("in-flight.parquet", values, 1, 0, data_change=True, stats=_STATISTICS)
