"""unreadable-table: nobody can say what is in it."""

from __future__ import annotations

from collections.abc import Iterator

from deltaresolver.audit.rules.plugin_failed import CODES
from deltaresolver.model.audit_finding import Severity
from deltaresolver.model.audit_rule import AuditedTable, AuditRule, Observation
from deltaresolver.plugins import hookimpl


def check(table: AuditedTable) -> Iterator[Observation]:
    """The error that reading ended with, unless a plugin is to blame for it."""
    error = table.audit.error
    if error is not None and error.code not in CODES:
        yield Observation(error.message, error.fix, details={"code": error.code})


@hookimpl
def audit_rules() -> AuditRule:
    """Declare unreadable-table."""
    return AuditRule(
        name="unreadable-table",
        severity=Severity.ERROR,
        title="The table cannot be read",
        remedy="Do what the error of each table says.",
        check=check,
    )
