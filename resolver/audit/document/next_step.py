"""The one thing to do next about a table."""

from __future__ import annotations

from deltaresolver.model.audit_finding import SILENTLY_WRONG, Finding
from deltaresolver.model.audit_table import NextStep, TableAudit


def next_step(audit: TableAudit) -> NextStep | None:
    """The remedy of the gravest finding that one can act on, those with a command first; None if all is well."""
    if not audit.findings:
        return None
    first = max(audit.findings, key=_urgency)
    gains = tuple(f"{one.release} can {one.act}" for one in audit.blocked if _helps(one.drops, first))
    return NextStep(first.remedy, first.command, gains)


def _urgency(finding: Finding) -> tuple[object, ...]:
    return finding.severity, finding.rule == SILENTLY_WRONG, finding.command is not None


def _helps(drops: tuple[str, ...], finding: Finding) -> bool:
    return bool(drops) and set(drops) <= set(finding.details.get("features", ()))
