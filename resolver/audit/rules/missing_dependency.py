"""missing-dependency: a feature is listed without one it depends on."""

from __future__ import annotations

from collections.abc import Iterator

from deltaresolver.model.audit_finding import Severity
from deltaresolver.model.audit_rule import AuditedTable, AuditRule, Observation
from deltaresolver.plugins import hookimpl
from deltaresolver.resolution.prepared import prepare


def check(table: AuditedTable) -> Iterator[Observation]:
    """One observation for each missing feature."""
    if table.protocol is None:
        return
    prepared = prepare(table.catalog)
    supported = prepared.supported(table.protocol)
    for name in sorted(prepared.closure(supported) - supported):
        needing = sorted(other for other in supported if name in table.catalog.get(other).requires)
        message = f"{', '.join(needing) or 'A feature'} depends on {name}, which the protocol does not list."
        yield Observation(
            message,
            f"Add {name} to the protocol.",
            table.altering(add=(name,)),
            details={"features": [name]},
        )


@hookimpl
def audit_rules() -> AuditRule:
    """Declare missing-dependency."""
    return AuditRule(
        name="missing-dependency",
        severity=Severity.ERROR,
        title="A feature is listed without one it depends on",
        remedy="Add the missing feature to the protocol.",
        check=check,
    )
