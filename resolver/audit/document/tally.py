"""The lake in numbers, counted table by table; what is kept grows with the kinds of tables, not with their number."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Mapping

import attrs

from deltaresolver.audit.document.adoption import AdoptionTally
from deltaresolver.audit.document.cards import CardTally
from deltaresolver.audit.document.client_reach import client_reach
from deltaresolver.audit.document.document import (
    ClientProfile,
    FeatureCount,
    LakeSummary,
    ProtocolCount,
    RuleInfo,
)
from deltaresolver.audit.document.outliers import OutlierTally
from deltaresolver.audit.document.unlocks import UnlockTally
from deltaresolver.audit.scan.rule_set import RULE_FAILED
from deltaresolver.clients.catalogue import ClientAtVersion
from deltaresolver.model.audit_finding import Severity
from deltaresolver.model.audit_table import TableAudit
from deltaresolver.plugins import SubmittedRule

SHOWN = 10


@attrs.define(eq=False)
class Tally:
    """Add every table once, then ask. `asked_of` returns the releases and acts that were asked about for a table."""

    asked_of: Callable[[TableAudit], Iterable[tuple[str, str]]]
    tables: int = 0
    broken: int = 0
    with_findings: int = 0
    severities: Counter[Severity] = attrs.field(factory=Counter)
    findings: Counter[str] = attrs.field(factory=Counter)
    tables_of_rule: Counter[str] = attrs.field(factory=Counter)
    places: dict[str, dict[Severity, list[str]]] = attrs.field(factory=lambda: defaultdict(dict))
    """The first few tables of each rule, by severity."""
    protocols: Counter[tuple[int, int]] = attrs.field(factory=Counter)
    uses: dict[str, Counter[str]] = attrs.field(factory=lambda: defaultdict(Counter))
    profiles: Counter[str] = attrs.field(factory=Counter)
    examples: dict[str, str] = attrs.field(factory=dict)
    """The location of one table of each profile."""
    adoption: AdoptionTally = attrs.field(factory=AdoptionTally)
    outliers: OutlierTally = attrs.field(factory=OutlierTally)
    unlocks: UnlockTally = attrs.field(factory=UnlockTally)
    cards: CardTally = attrs.field(factory=CardTally)

    def add(self, table: TableAudit) -> None:
        """Count one table."""
        self.tables += 1
        self.broken += table.error is not None
        self.with_findings += bool(table.findings)
        for finding in table.findings:
            self.severities[finding.severity] += 1
            self.findings[finding.rule] += 1
            shown = self.places[finding.rule].setdefault(finding.severity, [])
            if len(shown) < SHOWN and table.location not in shown:
                shown.append(table.location)
        self.cards.add(table)
        self.tables_of_rule.update({finding.rule for finding in table.findings})
        if table.error is not None or table.protocol is None:
            return
        self.protocols[table.protocol.reader_version, table.protocol.writer_version] += 1
        for feature in table.features:
            self.uses[feature.name][feature.use.value] += 1
        if table.profile is not None:
            self.profiles[table.profile] += 1
            self.examples.setdefault(table.profile, table.location)
        self.adoption.add(table)
        self.outliers.add(table)
        self.unlocks.add(table, self.asked_of(table))

    def fails(self, wanted: Iterable[str]) -> list[str]:
        """The names in `wanted`, rules or severities, that have a finding; a severity covers the graver ones too."""
        severities = {severity.value: severity for severity in Severity}
        return [
            name
            for name in wanted
            if (
                any(count and found >= severities[name] for found, count in self.severities.items())
                if name in severities
                else self.findings[name] > 0
            )
        ]

    def rule_infos(self, submitted: Iterable[SubmittedRule]) -> tuple[RuleInfo, ...]:
        """Every rule with how often it found something, and the rule about rules that failed if one did."""
        infos = [
            RuleInfo(
                one.rule.name,
                max(self.places[one.rule.name], default=one.rule.severity),
                one.rule.title,
                one.source.package,
                self.findings[one.rule.name],
                self.tables_of_rule[one.rule.name],
                self._locations(one.rule.name),
            )
            for one in submitted
        ]
        failed = self.findings[RULE_FAILED]
        if failed:
            tables = self.tables_of_rule[RULE_FAILED]
            infos.append(
                RuleInfo(
                    RULE_FAILED,
                    Severity.WARNING,
                    "A rule failed",
                    findings=failed,
                    tables=tables,
                    locations=self._locations(RULE_FAILED),
                )
            )
        return tuple(infos)

    def _locations(self, rule: str) -> tuple[str, ...]:
        places = self.places[rule]
        gravest_first = (location for severity in sorted(places, reverse=True) for location in places[severity])
        return tuple(dict.fromkeys(gravest_first))[:SHOWN]

    def summary(
        self,
        profiles: Mapping[str, ClientProfile],
        releases: tuple[ClientAtVersion, ...],
        asked: tuple[str, ...],
        when_ms: int,
    ) -> LakeSummary:
        """The lake in numbers."""
        return LakeSummary(
            tables=self.tables,
            broken=self.broken,
            with_findings=self.with_findings,
            by_severity={severity.value: self.severities[severity] for severity in Severity},
            protocols=tuple(
                ProtocolCount(reader, writer, count, f"{reader}, {writer}")
                for (reader, writer), count in sorted(self.protocols.items())
            ),
            features=tuple(
                FeatureCount(name, uses.total(), uses["enabled"], uses["needed"], uses["unused"], uses["unknown"])
                for name, uses in sorted(self.uses.items(), key=lambda one: (-one[1].total(), one[0]))
            ),
            adoption=self.adoption.points(when_ms),
            reach=client_reach(profiles, self.profiles, releases),
            unlocks=self.unlocks.unlocks(asked),
            outliers=self.outliers.outliers(),
        )
