"""Makes the commits that a feature asks for before it comes or goes."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import attrs

from deltaresolver.errors import AmendmentUnsettledError, DeltaResolverError, RemovalUndoneError
from deltaresolver.model.actions import Action, AddFile
from deltaresolver.model.behaviour import RemainingTable
from deltaresolver.model.preparation import PreparatoryCommit
from deltaresolver.model.protocol import Protocol
from deltaresolver.resolution.algebra import unknown_features
from deltaresolver.resolution.prepared import prepare
from deltaresolver.transaction.operation import upgrade_protocol
from deltaresolver.transaction.starter import TransactionStarter

MAX_COMMITS = 2_000
"""Far more than the batches of any table; a feature that asks for more does not come to an end."""
NextCommit = Callable[[RemainingTable, Sequence[str]], PreparatoryCommit | None]


@attrs.frozen(slots=True)
class MadeCommit:
    """One commit of a change that takes several."""

    table_version: int
    operation: str


def make_preparatory_commits(
    starter: TransactionStarter, next_commit: NextCommit, *, leaving: str | None = None
) -> list[MadeCommit]:
    """Commit what `next_commit` asks for, each time from the table as it then is, until it asks for no more.

    `leaving` is the feature whose use these commits end: it adds nothing to them. Raises `RemovalUndoneError` where it
    asks for the same again, what `next_commit` and the commits raise; what was committed until then stands.
    """
    made: list[MadeCommit] = []
    last: PreparatoryCommit | None = None
    while True:
        table = starter.contents(starter.log.update())
        wanted = next_commit(table, [commit.operation for commit in made])
        if wanted is None:
            return made
        if len(made) >= MAX_COMMITS or _asks_again(wanted, last):
            raise _endless(wanted, leaving, len(made))
        made.append(_make(starter, wanted, leaving))
        last = wanted


def _asks_again(wanted: PreparatoryCommit, last: PreparatoryCommit | None) -> bool:
    return last is not None and attrs.evolve(wanted, operation=last.operation) == last


def _endless(wanted: PreparatoryCommit, leaving: str | None, count: int) -> DeltaResolverError:
    name = "PROTOCOL" if wanted.operation is None else wanted.operation.name
    details = {"feature": leaving, "commits": count, "operation": name}
    if leaving is None:
        return AmendmentUnsettledError(
            f"After {count} commits before the change, a feature still asks for another ({name}), as before.",
            fix="Report this to whoever provides the feature: what it does before it is switched on does not end.",
            details=details,
        )
    return RemovalUndoneError(
        f"{leaving} cannot be dropped: after {count} commits that are to end its use it asks for another ({name}), as "
        "if they had done nothing.",
        fix=f"Report this to whoever provides {leaving}: its removal does not end its use.",
        details=details,
    )


def _make(starter: TransactionStarter, wanted: PreparatoryCommit, leaving: str | None) -> MadeCommit:
    transaction = starter.start()
    transaction.leaving = leaving
    actions: list[Action] = list(wanted.actions)
    operation = wanted.operation
    if wanted.supports is not None:
        protocol = protocol_with(transaction.protocol, wanted.supports, starter)
        actions.append(protocol)
        operation = upgrade_protocol(protocol.to_json())
    assert operation is not None
    if wanted.metadata is not None:
        transaction.update_metadata(wanted.metadata)
    if wanted.reads_all:
        transaction.filter_files()
    # Files that are written again were read, so this is not a blind append.
    transaction.track_files_read(action for action in actions if isinstance(action, AddFile))
    return MadeCommit(transaction.commit(actions, operation), operation.name)


def protocol_with(protocol: Protocol, feature: str, starter: TransactionStarter) -> Protocol:
    """The lowest protocol that supports what `protocol` does, the feature, and what it requires."""
    prepared = prepare(starter.catalog)
    wanted = prepared.supported(protocol) | prepared.closure((feature,))
    lowest = prepared.lowest_protocol(wanted)
    if not unknown_features(protocol, starter.catalog):
        return lowest
    # A listed name that the catalog does not have stays, with the versions it may need.
    return Protocol.of(
        max(lowest.min_reader_version, protocol.min_reader_version),
        max(lowest.min_writer_version, protocol.min_writer_version),
        lowest.reader_feature_names | protocol.reader_feature_names,
        lowest.writer_feature_names | protocol.writer_feature_names,
    )
