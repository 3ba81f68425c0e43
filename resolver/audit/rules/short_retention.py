"""short-retention: deleted files or commits go before slow readers and time travel are done with them."""

from __future__ import annotations

from collections.abc import Iterator

from deltaresolver.errors import PropertyInvalidError
from deltaresolver.log.upkeep.retention import (
    LOG_RETENTION,
    TOMBSTONE_RETENTION,
    log_retention_ms,
    tombstone_retention_ms,
)
from deltaresolver.model.audit_finding import Severity
from deltaresolver.model.audit_rule import AuditedTable, AuditRule, Observation
from deltaresolver.plugins import hookimpl

DAY = 86_400_000


def check(table: AuditedTable) -> Iterator[Observation]:
    """One observation for each of the two retentions."""
    if table.metadata is None:
        return
    for key, read in ((TOMBSTONE_RETENTION, tombstone_retention_ms), (LOG_RETENTION, log_retention_ms)):
        if key not in table.metadata.configuration:
            continue
        try:
            kept = read(table.metadata)
        except PropertyInvalidError:
            continue  # the rule conflicting-properties reports it
        if kept < DAY:
            value = table.metadata.configuration[key]
            yield Observation(
                f"{key} = {value}: a reader that takes longer will miss files.",
                f"Set {key} to a week or more.",
                table.altering({key: "interval 1 week"}),
                details={"key": key, "milliseconds": kept},
            )


@hookimpl
def audit_rules() -> AuditRule:
    """Declare short-retention."""
    return AuditRule(
        name="short-retention",
        severity=Severity.WARNING,
        title="Deleted files or commits are kept for a very short time",
        remedy="Raise the retention.",
        check=check,
    )
