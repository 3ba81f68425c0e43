"""client-locked-out: a client that was asked about cannot use the table."""

from __future__ import annotations

from collections.abc import Iterator

from deltaresolver.audit.document.wording import ways_out
from deltaresolver.model.audit_finding import Severity
from deltaresolver.model.audit_rule import AuditedTable, AuditRule, Observation
from deltaresolver.plugins import hookimpl

REMEDY = "Use another client for this table, or copy it."


def check(table: AuditedTable) -> Iterator[Observation]:
    """One observation for each act of each client; silently-wrong is about those that give no error."""
    for one in table.audit.blocked:
        if one.outcome == "silently wrong":
            continue
        where = f" on its path {one.path}" if one.path else ""
        yield Observation(
            f"{one.release} cannot {one.act}{where}: {one.outcome}, {one.reason}.",
            ways_out(one) or REMEDY,
            one.command,
            Severity.INFO if one.outcome == "unknown" else None,
            {"release": one.release, "act": one.act, "outcome": one.outcome, "features": list(one.drops)},
        )


@hookimpl
def audit_rules() -> AuditRule:
    """Declare client-locked-out."""
    return AuditRule(
        name="client-locked-out",
        severity=Severity.WARNING,
        title="A client that was asked about cannot use the table",
        remedy=REMEDY,
        check=check,
    )
