"""conflicting-properties: a property has a value nobody can read, or lacks its other half."""

from __future__ import annotations

from collections.abc import Iterator

from deltaresolver.model.audit_finding import Severity
from deltaresolver.model.audit_rule import AuditedTable, AuditRule, Observation
from deltaresolver.plugins import hookimpl
from deltaresolver.resolution.instructions import is_instruction


def check(table: AuditedTable) -> Iterator[Observation]:
    """One observation for each property."""
    for one in table.audit.health.conflicting_properties:
        if not is_instruction(one.key):
            yield Observation(
                f"{one.key} = {one.value}: {one.problem}.",
                f"Correct or unset {one.key}.",
                details={"key": one.key, "value": one.value},
            )


@hookimpl
def audit_rules() -> AuditRule:
    """Declare conflicting-properties."""
    return AuditRule(
        name="conflicting-properties",
        severity=Severity.WARNING,
        title="Properties cannot be read or contradict each other",
        remedy="Correct or unset the property.",
        check=check,
    )
