"""client-locked-out: a client that was asked about cannot use the table."""

from __future__ import annotations

from collections.abc import Iterator

from deltaresolver.audit.scan.feature_uses import quoted
from deltaresolver.model.audit_finding import Severity
from deltaresolver.model.audit_rule import AuditedTable, AuditRule, Observation
from deltaresolver.plugins import hookimpl


def check(table: AuditedTable) -> Iterator[Observation]:
    """One observation for each act of each client."""
    for one in table.audit.blocked:
        drops = list(one.drops)
        plan = f"deltaresolver plan {quoted(table.audit.location)} --client {one.release}:{one.act}"
        wrong = one.outcome == "silently wrong"
        yield Observation(
            f"{one.release} cannot {one.act}: {one.outcome}, {one.reason}.",
            f"Drop {' and '.join(drops)}." if drops else None,
            plan if drops else None,
            Severity.ERROR if wrong else Severity.INFO if one.outcome == "unknown" else None,
            {"release": one.release, "act": one.act, "outcome": one.outcome, "features": drops},
        )


@hookimpl
def audit_rules() -> AuditRule:
    """Declare client-locked-out."""
    return AuditRule(
        name="client-locked-out",
        severity=Severity.WARNING,
        title="A client that was asked about cannot use the table",
        remedy="Use another client for this table, or copy it.",
        check=check,
    )
