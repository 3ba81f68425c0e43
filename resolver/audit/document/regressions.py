"""Regressions: both audits are sorted by location, so that only one table of each is in memory at a time."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

import attrs

from deltaresolver.audit.document.document import Regression
from deltaresolver.audit.scan.rule_set import RULE_FAILED
from deltaresolver.model.audit_finding import Finding, Severity
from deltaresolver.model.audit_table import ProtocolFacts, TableAudit
from deltaresolver.resolution.explain.phrases import listing


@attrs.frozen(slots=True)
class Judged:
    """What the earlier audit checked: releases asked about by name, and rules."""

    releases: frozenset[str]
    rules: frozenset[str]


def regressions(
    before: Iterable[TableAudit],
    after: Iterable[TableAudit],
    asked_before: frozenset[str] = frozenset(),
    rules_before: frozenset[str] = frozenset(),
) -> Iterator[Regression]:
    """Every regression, by location; both sides are sorted by location.

    A client that is locked out is a regression only if the earlier audit asked about it too, and a finding only if
    the earlier audit had its rule.
    """
    judged = Judged(asked_before, rules_before)
    earlier = iter(before)
    old = next(earlier, None)
    for new in after:
        while old is not None and old.location < new.location:
            yield _gone(old)
            old = next(earlier, None)
        if old is not None and old.location == new.location:
            yield from _compare(old, new, judged)
            old = next(earlier, None)
    while old is not None:
        yield _gone(old)
        old = next(earlier, None)


def _gone(table: TableAudit) -> Regression:
    return Regression(table.location, "gone", "It was in the earlier audit and was not found now.", Severity.INFO)


def _compare(old: TableAudit, new: TableAudit, judged: Judged) -> Iterator[Regression]:
    if new.error is not None:
        if old.error is None:
            yield Regression(
                new.location, "unreadable", f"It can no longer be read: {new.error.message}", Severity.ERROR
            )
        return
    if old.protocol is not None and new.protocol is not None:
        yield from _raised(old, new, old.protocol, new.protocol)
    yield from _locked_out(old, new, judged.releases)
    found = {(finding.rule, _looking(finding)) for finding in old.findings}
    for finding in new.findings:
        rule = _looking(finding)
        if finding.severity > Severity.INFO and (finding.rule, rule) not in found and rule in judged.rules:
            yield Regression(new.location, "new finding", finding.message, finding.severity, None, finding.rule)


def _looking(finding: Finding) -> str:
    """The rule behind a finding; for the failure of a rule that rule, not the one its failure is reported under."""
    return str(finding.details.get("rule")) if finding.rule == RULE_FAILED else finding.rule


def _raised(before_it: TableAudit, table: TableAudit, old: ProtocolFacts, new: ProtocolFacts) -> Iterator[Regression]:
    listed = {*(new.writer_features or ()), *(new.reader_features or ())}
    # A feature that a legacy version implied before and that is named now is not new to the table.
    added = sorted(listed - {*(old.writer_features or ())} - {one.name for one in before_it.features})
    higher = new.reader_version > old.reader_version or new.writer_version > old.writer_version
    if not added and not higher:
        return
    who = next((event for event in table.history if event.raises), None)
    by = "" if who is None else f" by {who.user or who.engine or 'somebody'} at version {who.table_version}"
    before, after = (f"{one.reader_version}, {one.writer_version}" for one in (old, new))
    if not higher:
        message = f"Its protocol ({after}) got {listing(added)}{by}."
    else:
        brought = f", bringing {listing(added)}" if added else ""
        message = f"Its protocol went from ({before}) to ({after}){by}{brought}."
    yield Regression(table.location, "protocol raised", message, Severity.WARNING, before, after)


def _locked_out(old: TableAudit, new: TableAudit, asked_before: frozenset[str]) -> Iterator[Regression]:
    before = {(one.release, one.act) for one in old.blocked}
    for one in new.blocked:
        if one.release in asked_before and (one.release, one.act) not in before:
            message = f"{one.release} can no longer {one.act}: {one.reason}."
            yield Regression(new.location, "client locked out", message, Severity.WARNING, None, one.release)
