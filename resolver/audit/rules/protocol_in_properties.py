"""protocol-in-properties: instructions that were meant for a command are stuck in the metadata."""

from __future__ import annotations

from collections.abc import Iterator

from deltaresolver.audit.document.wording import first_few
from deltaresolver.model.audit_finding import Severity
from deltaresolver.model.audit_rule import AuditedTable, AuditRule, Observation
from deltaresolver.plugins import hookimpl
from deltaresolver.resolution.instructions import is_instruction


def check(table: AuditedTable) -> Iterator[Observation]:
    """One observation, with the command that removes all of them."""
    keys = [key for key in table.audit.properties if is_instruction(key)]
    if keys:
        yield Observation(
            f"{first_few(keys)} stand{'s' if len(keys) == 1 else ''} in the properties, where writers refuse or copy "
            f"{'it' if len(keys) == 1 else 'them'}.",
            f"Unset {', '.join(keys)}.",
            table.altering(unset=keys),
            details={"keys": keys},
        )


@hookimpl
def audit_rules() -> AuditRule:
    """Declare protocol-in-properties."""
    return AuditRule(
        name="protocol-in-properties",
        severity=Severity.WARNING,
        title="Protocol instructions are stuck in the table's properties",
        remedy="Unset these properties.",
        check=check,
    )
