"""incomplete-checkpoint: parts of a checkpoint are missing, so that readers start further back."""

from __future__ import annotations

from collections.abc import Iterator

from deltaresolver.audit.document.wording import first_few
from deltaresolver.model.audit_finding import Severity
from deltaresolver.model.audit_rule import AuditedTable, AuditRule, Observation
from deltaresolver.plugins import hookimpl


def check(table: AuditedTable) -> Iterator[Observation]:
    """One observation, naming the versions."""
    versions = table.audit.health.incomplete_checkpoints
    if versions:
        told = first_few(map(str, versions), "version")
        yield Observation(f"The checkpoint of {told} lacks parts.", details={"versions": list(versions)})


@hookimpl
def audit_rules() -> AuditRule:
    """Declare incomplete-checkpoint."""
    return AuditRule(
        name="incomplete-checkpoint",
        severity=Severity.WARNING,
        title="A checkpoint lacks parts",
        remedy="Write a new checkpoint, and delete the parts of the broken one.",
        check=check,
    )
