"""Makes the commits that a feature asks for before it comes or goes."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import attrs

from deltaresolver.model.actions import Action, AddFile
from deltaresolver.model.behaviour import RemainingTable
from deltaresolver.model.preparation import PreparatoryCommit
from deltaresolver.model.protocol import WRITER_VERSION_WITH_FEATURE_LIST, Protocol
from deltaresolver.resolution.prepared import prepare
from deltaresolver.transaction.operation import upgrade_protocol
from deltaresolver.transaction.starter import TransactionStarter

NextCommit = Callable[[RemainingTable, Sequence[str]], PreparatoryCommit | None]


@attrs.frozen(slots=True)
class MadeCommit:
    """One commit of a change that takes several."""

    table_version: int
    operation: str


def make_preparatory_commits(starter: TransactionStarter, next_commit: NextCommit) -> list[MadeCommit]:
    """Commit what `next_commit` asks for, each time from the table as it then is, until it asks for no more.

    Raises what `next_commit` and the commits raise; what was committed until then stands.
    """
    made: list[MadeCommit] = []
    while True:
        table = starter.contents(starter.log.update())
        wanted = next_commit(table, [commit.operation for commit in made])
        if wanted is None:
            return made
        made.append(_make(starter, wanted))


def _make(starter: TransactionStarter, wanted: PreparatoryCommit) -> MadeCommit:
    transaction = starter.start()
    actions: list[Action] = list(wanted.actions)
    operation = wanted.operation
    if wanted.supports is not None:
        protocol = protocol_with(transaction.protocol, wanted.supports, starter)
        actions.append(protocol)
        operation = upgrade_protocol(protocol.to_json())
    assert operation is not None
    if wanted.metadata is not None:
        transaction.update_metadata(wanted.metadata)
    # Files that are written again were read, so this is no blind append.
    transaction.track_files_read(action for action in actions if isinstance(action, AddFile))
    return MadeCommit(transaction.commit(actions, operation), operation.name)


def protocol_with(protocol: Protocol, feature: str, starter: TransactionStarter) -> Protocol:
    """The lowest protocol that supports what `protocol` does, the feature, and what it requires."""
    prepared = prepare(starter.catalog)
    wanted = prepared.supported(protocol) | prepared.closure((feature,))
    lowest = prepared.lowest_protocol(wanted)
    if lowest.min_writer_version < WRITER_VERSION_WITH_FEATURE_LIST:
        return lowest
    # A listed name that the catalog does not have stays, and no version goes down.
    return Protocol.of(
        max(lowest.min_reader_version, protocol.min_reader_version),
        max(lowest.min_writer_version, protocol.min_writer_version),
        lowest.reader_feature_names | protocol.reader_feature_names,
        lowest.writer_feature_names | protocol.writer_feature_names,
    )
