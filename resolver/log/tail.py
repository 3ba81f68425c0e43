"""Protocol, metadata and the other small facts of a version, found from the newest file backwards.

No file action is parsed: the newest protocol and the newest metadata decide, wherever they are. A valid
checksum names both at once; transactions and domains are always taken from the log, as delta-spark does.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import attrs

from deltaresolver.errors import MetadataMissingError, ProtocolMissingError
from deltaresolver.log.checksum import find_valid_checksum
from deltaresolver.log.find_actions import find_actions, key_of
from deltaresolver.log.read_ahead import iterate_matching
from deltaresolver.log.segment import CommitFile, LogSegment
from deltaresolver.log.storage.log_store import LogStore
from deltaresolver.model.actions import Action, DomainMetadata, SetTransaction
from deltaresolver.model.metadata import Metadata
from deltaresolver.model.protocol import Protocol
from deltaresolver.value import Value


@attrs.frozen(slots=True)
class TableTail(Value):
    """The small facts of one version. Transactions and domains are `None` unless they were asked for."""

    table_version: int
    protocol: Protocol
    metadata: Metadata
    transactions: Mapping[str, SetTransaction] | None = None
    domains: Mapping[str, DomainMetadata] | None = None


def read_tail(
    store: LogStore,
    segment: LogSegment,
    known: TableTail | None = None,
    *,
    transactions: bool = False,
    domains: bool = False,
) -> TableTail:
    """The small facts of `segment`'s version, of which `known` may tell the protocol and the metadata.

    Raises `ProtocolMissingError`, `MetadataMissingError`, `CommitMalformedError`, `CheckpointUnusableError`.
    """
    search = _Search(transactions, domains)
    told = known or find_valid_checksum(store, segment)
    if told is not None:
        search.take({"protocol": [told.protocol], "metaData": [told.metadata]})
    search.take_commits(store, segment.commits)
    if segment.checkpoint is not None and search.wanted:
        # Most logs hold what is wanted in their last commits, and those are read without Arrow.
        from deltaresolver.log.checkpoint.read import read_small_actions  # noqa: PLC0415

        by_name: dict[str, list[Action]] = {}
        for action in read_small_actions(store, segment.checkpoint, search.wanted):
            by_name.setdefault(_NAME_OF[type(action)], []).append(action)
        search.take(by_name)
    return search.result(segment, store.location)


def extend_tail(store: LogStore, tail: TableTail, commits: Sequence[CommitFile]) -> TableTail:
    """The small facts after `commits`, which follow right on `tail`. Raises `CommitMalformedError`."""
    search = _Search(tail.transactions is not None, tail.domains is not None)
    search.take_commits(store, commits)
    return TableTail(
        commits[-1].last_version,
        search.protocol or tail.protocol,
        search.metadata or tail.metadata,
        None if search.transactions is None else {**(tail.transactions or {}), **search.transactions},
        None if search.domains is None else _live({**(tail.domains or {}), **search.domains}),
    )


def _live(domains: Mapping[str, DomainMetadata]) -> dict[str, DomainMetadata]:
    return {name: domain for name, domain in domains.items() if not domain.removed}


_NAME_OF = {Protocol: "protocol", Metadata: "metaData", SetTransaction: "txn", DomainMetadata: "domainMetadata"}


class _Search:
    """What is still wanted, and what was found in newer files."""

    def __init__(self, transactions: bool, domains: bool) -> None:
        self.wanted = ["protocol", "metaData"] + ["txn"] * transactions + ["domainMetadata"] * domains
        self.protocol: Protocol | None = None
        self.metadata: Metadata | None = None
        self.transactions: dict[str, SetTransaction] | None = {} if transactions else None
        self.domains: dict[str, DomainMetadata] | None = {} if domains else None

    def take_commits(self, store: LogStore, commits: Sequence[CommitFile]) -> None:
        """Search commits (ascending) from the last one back, until nothing is wanted any more."""
        if not self.wanted:
            return
        for commit, data in iterate_matching(store, commits[::-1], [key_of(name) for name in self.wanted]):
            self.take(find_actions(data, tuple(self.wanted), commit.path))
            if not self.wanted:
                break

    def take(self, found: Mapping[str, list[Action]]) -> None:
        """Keep what no newer file has set already; inside one file the last action counts."""
        for actions in found.values():
            for action in reversed(actions):
                self._take_one(action)

    def _take_one(self, action: Action) -> None:
        if isinstance(action, Protocol) and self.protocol is None:
            self.protocol = action
            self.wanted.remove("protocol")
        elif isinstance(action, Metadata) and self.metadata is None:
            self.metadata = action
            self.wanted.remove("metaData")
        elif isinstance(action, SetTransaction) and self.transactions is not None:
            self.transactions.setdefault(action.app_id, action)
        elif isinstance(action, DomainMetadata) and self.domains is not None:
            self.domains.setdefault(action.domain, action)

    def result(self, segment: LogSegment, location: str) -> TableTail:
        """The tail. Raises `ProtocolMissingError` or `MetadataMissingError`."""
        if self.protocol is None:
            raise ProtocolMissingError(
                _missing("protocol", segment, location), fix=_RESTORE, details=_where(segment, location)
            )
        if self.metadata is None:
            raise MetadataMissingError(
                _missing("metaData", segment, location), fix=_RESTORE, details=_where(segment, location)
            )
        domains = None if self.domains is None else _live(self.domains)
        return TableTail(segment.table_version, self.protocol, self.metadata, self.transactions, domains)


_RESTORE = "Restore the log files that were lost; a first commit without protocol and metaData makes no Delta table."


def _missing(action: str, segment: LogSegment, location: str) -> str:
    start = "its first commit" if segment.checkpoint is None else f"checkpoint {segment.checkpoint.table_version}"
    return f"Version {segment.table_version} of {location} has no {action} action anywhere from {start} on."


def _where(segment: LogSegment, location: str) -> dict[str, object]:
    checkpoint = None if segment.checkpoint is None else list(segment.checkpoint.paths)
    return {"location": location, "table_version": segment.table_version, "checkpoint": checkpoint}
