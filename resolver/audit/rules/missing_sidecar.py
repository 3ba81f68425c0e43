"""missing-sidecar: the newest checkpoint points at files that are not there."""

from __future__ import annotations

from collections.abc import Iterator

from deltaresolver.audit.document.wording import first_few
from deltaresolver.model.audit_finding import Severity
from deltaresolver.model.audit_rule import AuditedTable, AuditRule, Observation
from deltaresolver.plugins import hookimpl


def check(table: AuditedTable) -> Iterator[Observation]:
    """One observation, naming the files."""
    health = table.audit.health
    if health.missing_sidecars:
        told = first_few((path.rpartition("/")[2] for path in health.missing_sidecars), "sidecar")
        yield Observation(
            f"The checkpoint of version {health.checkpoint_version} points at {told}, missing or empty: "
            f"its list of files cannot be read.",
            details={"files": list(health.missing_sidecars), "table_version": health.checkpoint_version},
        )


@hookimpl
def audit_rules() -> AuditRule:
    """Declare missing-sidecar."""
    return AuditRule(
        name="missing-sidecar",
        severity=Severity.ERROR,
        title="Sidecars of the newest checkpoint are missing",
        remedy="Restore them from a backup, or delete that checkpoint if all commits it stands for are still there.",
        check=check,
    )
