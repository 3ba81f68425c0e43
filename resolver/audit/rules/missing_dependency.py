"""missing-dependency: a feature is listed without one it depends on."""

from __future__ import annotations

from collections.abc import Iterator

from deltaresolver.model.audit_finding import Severity
from deltaresolver.model.audit_rule import AuditedTable, AuditRule, Observation
from deltaresolver.plugins import hookimpl
from deltaresolver.resolution.prepared import prepare


def check(table: AuditedTable) -> Iterator[Observation]:
    """One observation for each missing feature. The command adds all of them: one by one each would be refused."""
    if table.protocol is None:
        return
    prepared = prepare(table.catalog)
    supported = prepared.supported(table.protocol)
    missing = tuple(sorted(prepared.closure(supported) - supported))
    command = table.altering(add=missing) if missing else None
    for name in missing:
        needing = sorted(other for other in supported if name in table.catalog.get(other).requires)
        message = f"{', '.join(needing) or 'A feature'} depends on {name}, which the protocol does not list."
        yield Observation(
            message,
            f"Add {name} to the protocol.",
            command,
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
