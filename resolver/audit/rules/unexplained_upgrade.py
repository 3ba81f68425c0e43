"""unexplained-upgrade: a commit raised the protocol, and nothing in it shows why."""

from __future__ import annotations

from collections.abc import Iterator

from deltaresolver.model.audit_finding import Severity
from deltaresolver.model.audit_rule import AuditedTable, AuditRule, Observation
from deltaresolver.plugins import hookimpl


def check(table: AuditedTable) -> Iterator[Observation]:
    """One observation for each commit."""
    for event in table.audit.history:
        silent = [cause.feature for cause in event.causes if not cause.because]
        if event.raises and silent:
            who = event.user or event.engine or "somebody"
            yield Observation(
                f"Version {event.table_version} ({event.operation or 'unknown operation'}, by {who}) brought "
                f"{', '.join(silent)}, and nothing in that commit shows why.",
                details={"table_version": event.table_version, "features": silent},
            )


@hookimpl
def audit_rules() -> AuditRule:
    """Declare unexplained-upgrade."""
    return AuditRule(
        name="unexplained-upgrade",
        severity=Severity.INFO,
        title="A commit raised the protocol for no visible reason",
        remedy="Ask whoever made the commit, and drop what nobody needs.",
        check=check,
    )
