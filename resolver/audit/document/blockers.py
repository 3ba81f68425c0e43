"""For a release asked about by name: whether it can use a table, and which features would have to go so that it can."""

from __future__ import annotations

from collections.abc import Iterator

import attrs

from deltaresolver.clients.catalogue import ClientAtVersion
from deltaresolver.clients.evidence import Act
from deltaresolver.clients.table_facts import TableFacts
from deltaresolver.clients.table_needs import TableNeeds, feature_of
from deltaresolver.clients.verdicts import ClientKnowledge
from deltaresolver.model.audit_table import Blocked
from deltaresolver.model.catalog import FeatureCatalog
from deltaresolver.model.metadata import Metadata
from deltaresolver.model.protocol import Protocol
from deltaresolver.resolution.prepared import prepare


@attrs.frozen(slots=True)
class AskedTable:
    """One table as far as clients look at it."""

    protocol: Protocol
    metadata: Metadata
    facts: TableFacts
    needs: TableNeeds


@attrs.define(eq=False)
class Blockers:
    """Answers for the releases asked about, each worked out once for all tables that demand the same."""

    knowledge: ClientKnowledge
    catalog: FeatureCatalog
    _found: dict[tuple[str, Act, TableNeeds], Blocked | None] = attrs.field(factory=dict, init=False)

    def blocked(self, table: AskedTable, releases: tuple[ClientAtVersion, ...]) -> Iterator[Blocked]:
        """One entry for each act that a release cannot do for certain."""
        for release in releases:
            for act in (Act.READ, Act.APPEND):
                key = (str(release), act, table.needs)
                if key not in self._found:
                    self._found[key] = self._ask(table, release, act)
                found = self._found[key]
                if found is not None:
                    yield found

    def _ask(self, table: AskedTable, release: ClientAtVersion, act: Act) -> Blocked | None:
        verdict = self.knowledge.verdict(release, table.needs, act)
        if verdict.works:
            return None
        drops = self._drops(table, release, act)
        return Blocked(str(release), act.value, verdict.outcome.value, verdict.reason, drops)

    def _drops(self, table: AskedTable, release: ClientAtVersion, act: Act) -> tuple[str, ...]:
        """Drop what is at fault until it works, then put back whatever was dropped in vain; empty if nothing helps."""
        dropped: frozenset[str] = frozenset()
        while True:
            verdict = self.knowledge.verdict(release, self._needs_without(table, dropped), act)
            if verdict.works:
                break
            more = self._with_dependants(verdict.feature, table.protocol, dropped)
            if more is None:
                return ()
            dropped = more
        for name in sorted(dropped):
            fewer = dropped - {name}
            closed = all(not self.catalog.get(other).requires & fewer for other in self._left(table.protocol, fewer))
            if closed and self.knowledge.verdict(release, self._needs_without(table, fewer), act).works:
                dropped = fewer
        return tuple(sorted(dropped))

    def _with_dependants(
        self, feature: str | None, protocol: Protocol, dropped: frozenset[str]
    ) -> frozenset[str] | None:
        """The next set to try; None where the fault is no feature, or one that cannot be dropped."""
        supported = prepare(self.catalog).supported(protocol)
        if feature is None:
            # A version alone is at fault: it goes down when the features that raise it go.
            raising = [name for name in supported - dropped if self.catalog.get(name).is_removable]
            return dropped | frozenset(raising) if raising else None
        wanted = {name for name in supported if name.startswith(feature)} - dropped
        if not wanted:
            return None
        closures = prepare(self.catalog).closures
        wanted |= {name for name in supported - dropped if closures[name] & wanted}
        return dropped | wanted if all(self.catalog.get(name).is_removable for name in wanted) else None

    def _left(self, protocol: Protocol, dropped: frozenset[str]) -> frozenset[str]:
        return prepare(self.catalog).supported(protocol) - dropped

    def _needs_without(self, table: AskedTable, dropped: frozenset[str]) -> TableNeeds:
        if not dropped:
            return table.needs
        protocol = prepare(self.catalog).lowest_protocol(self._left(table.protocol, dropped))
        needs = TableNeeds.of(protocol, table.metadata, table.facts, self.catalog)
        return TableNeeds(frozenset(one for one in needs.demands if feature_of(one) not in dropped))
