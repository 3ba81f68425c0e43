"""Advice about one table of an audit. Its data files are listed only where a plan needs them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

import attrs

from deltaresolver.audit.scan.log_reading import LogReading
from deltaresolver.clients.evidence import Act
from deltaresolver.clients.table_facts import TableFacts
from deltaresolver.errors import DeltaResolverError
from deltaresolver.log.snapshot import Snapshot
from deltaresolver.log.tail import TableTail
from deltaresolver.model.catalog import FeatureCatalog
from deltaresolver.planning.advice import Advice, Adviser
from deltaresolver.planning.state import FileCounts, PlanState
from deltaresolver.planning.table_reading import checkpoint_form, keeps_domains, refusal_of_log, state_of_snapshot
from deltaresolver.table import Table

MAX_LISTED_BYTES = 64_000_000
"""The files of a larger log are not listed: its plan has no sizes, and is made again when it is carried out."""


@attrs.define(eq=False)
class TableAdvice:
    """Finds plans for the table at `location`; its methods return None where no plan is harmless for all clients."""

    adviser: Adviser
    catalog: FeatureCatalog
    location: str
    storage_options: Mapping[str, str] = attrs.field(repr=False)
    facts: TableFacts
    reading: LogReading = attrs.field(repr=False)
    _state: PlanState | None = attrs.field(default=None, init=False)
    _table: Table | None = attrs.field(default=None, init=False)
    _is_read: bool = attrs.field(default=False, init=False)
    _without: dict[tuple[str, ...], Advice | None] = attrs.field(factory=dict, init=False)

    def state(self) -> PlanState | None:
        """The state that plans start from; None where the table's files cannot be listed."""
        if not self._is_read:
            self._is_read = True
            self._state = self._known()
            try:
                self._state = self._state or self._read(self._snapshot())
            except DeltaResolverError:
                self._state = None
        return self._state

    def _opened(self) -> Table:
        if self._table is None:
            self._table = Table(self.location, self.storage_options, catalog=self.catalog)
        return self._table

    def _snapshot(self) -> Snapshot:
        """The newest version; from the files that the audit has read already, if all of them are sound."""
        reading = self.reading
        store, segment, protocol, metadata = reading.store, reading.segment, reading.protocol, reading.metadata
        if store is None or segment is None or protocol is None or metadata is None or self._is_damaged:
            return self._opened().update()
        return Snapshot(store, segment, tail=TableTail(segment.table_version, protocol, metadata))

    @property
    def _is_damaged(self) -> bool:
        return bool(self.reading.torn_files or self.reading.missing_sidecars)

    def _known(self) -> PlanState | None:
        """The state from facts that the audit has read already; None where data files or domains can matter."""
        reading = self.reading
        protocol, metadata = reading.protocol, reading.metadata
        if protocol is None or metadata is None or reading.segment is None or reading.store is None:
            return None
        if self._is_damaged or keeps_domains(protocol):
            return None
        form = checkpoint_form(protocol, reading.segment.checkpoint)
        state = PlanState(
            self.catalog,
            protocol,
            metadata,
            TableFacts(deletion_vectors=False, checkpoint=form, commits_cleaned=self.facts.commits_cleaned),
            totals=FileCounts(),
            table_version=reading.segment.table_version,
            location=self.location,
            refusal=refusal_of_log(reading.store, reading.segment, metadata),
        )
        return None if self.adviser.needs_files(state) else state

    def _read(self, snapshot: Snapshot) -> PlanState:
        checkpoint, commits = snapshot.segment.checkpoint, snapshot.segment.commits
        size = sum(commit.size for commit in commits) + (0 if checkpoint is None else sum(checkpoint.sizes))
        if size > MAX_LISTED_BYTES:
            known = PlanState(self.catalog, snapshot.protocol, snapshot.metadata, self.facts)
            return attrs.evolve(known, table_version=snapshot.table_version, location=self.location)
        found = state_of_snapshot(self.catalog, snapshot, self.adviser.needs_files, self.facts.commits_cleaned)
        return attrs.evolve(found, location=self.location)

    def of_unreadable(self) -> MendingAdvice:
        """Advice that does not depend on the table's demands."""
        return MendingAdvice(self.adviser, self.location, self._opened())

    def without(self, features: Iterable[str]) -> Advice | None:
        """The plan that drops these features."""
        names = tuple(sorted(features))
        if names not in self._without:
            state = self.state()
            self._without[names] = None if state is None else self.adviser.without(state, names)
        return self._without[names]

    def lower(self, unused: Iterable[str]) -> Advice | None:
        """The plan that reaches a lower protocol by dropping unused features."""
        state = self.state()
        return None if state is None else self.adviser.lower(state, unused, self.without)

    def open_to(self, client: str, act: Act) -> Advice | None:
        """The plan by which a client can use the table."""
        state = self.state()
        return None if state is None else self.adviser.open_to(state, client, act)

    def alter(
        self, to_set: Mapping[str, str] | None = None, unset: Iterable[str] = (), add: Iterable[str] = ()
    ) -> str | None:
        """The command that changes properties or adds features, as `TableAdviser` of the audit rules has it."""
        state = self.state()
        if state is None:
            return None
        return self.adviser.altered(
            self._opened, state, to_set or {}, unset, add, is_sound=not self._is_damaged and state.totals is not None
        )


@attrs.frozen(slots=True, eq=False)
class MendingAdvice:
    """Finds commands for a table whose demands cannot be worked out: they unset the properties in the way."""

    adviser: Adviser
    location: str
    table: Table

    def alter(
        self, to_set: Mapping[str, str] | None = None, unset: Iterable[str] = (), add: Iterable[str] = ()
    ) -> str | None:
        """The command that unsets properties; None for all other changes, which cannot be judged."""
        return None if to_set or add else self.adviser.unsetting(self.location, self.table, tuple(unset))
