"""wrong-checksum: the checksum of the newest version says something else than the log."""

from __future__ import annotations

from collections.abc import Iterator

from deltaresolver.model.audit_finding import Severity
from deltaresolver.model.audit_rule import AuditedTable, AuditRule, Observation
from deltaresolver.plugins import hookimpl


def check(table: AuditedTable) -> Iterator[Observation]:
    """One observation: grave where readers believe the checksum, since its transaction id is that of the commit."""
    health = table.audit.health
    if health.wrong_checksum is not None:
        believed = health.checksum_is_believed
        told = "Some readers believe it and see a different table" if believed else "Readers ignore it and read the log"
        yield Observation(
            f"The checksum of version {table.audit.table_version} is wrong: {health.wrong_checksum}. {told}.",
            severity=Severity.ERROR if believed else None,
            details={"problem": health.wrong_checksum, "believed": believed},
        )


@hookimpl
def audit_rules() -> AuditRule:
    """Declare wrong-checksum."""
    return AuditRule(
        name="wrong-checksum",
        severity=Severity.WARNING,
        title="The newest version's checksum disagrees with the log",
        remedy="Delete the checksum (.crc) of that version: readers do without, and the next commit writes one.",
        check=check,
    )
