"""torn-file: a log file is empty or cut off, as a writer that died may leave it."""

from __future__ import annotations

from collections.abc import Iterator

from deltaresolver.audit.document.wording import first_few
from deltaresolver.model.audit_finding import Severity
from deltaresolver.model.audit_rule import AuditedTable, AuditRule, Observation
from deltaresolver.plugins import hookimpl


def check(table: AuditedTable) -> Iterator[Observation]:
    """One observation, naming the files."""
    torn = table.audit.health.torn_files
    if torn:
        yield Observation(f"Damaged, cut off or empty: {first_few(torn)}.", details={"files": list(torn)})


@hookimpl
def audit_rules() -> AuditRule:
    """Declare torn-file."""
    return AuditRule(
        name="torn-file",
        severity=Severity.ERROR,
        title="A file of the log is damaged, cut off or empty",
        remedy="Restore the file from a backup, or find the writer that left it like this.",
        check=check,
    )
