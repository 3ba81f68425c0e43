"""unreadable-table: nobody can say what is in it."""

from __future__ import annotations

from collections.abc import Iterator

from deltaresolver.audit.rules.plugin_failed import CODES
from deltaresolver.errors import PropertyInvalidError
from deltaresolver.model.audit_finding import Severity
from deltaresolver.model.audit_rule import AuditedTable, AuditRule, Observation
from deltaresolver.model.audit_table import TableError
from deltaresolver.plugins import hookimpl
from deltaresolver.resolution.explain.phrases import listing


def check(table: AuditedTable) -> Iterator[Observation]:
    """The error that reading ended with, unless a plugin is to blame for it."""
    error = table.audit.error
    if error is None or error.code in CODES:
        return
    keys = _unreadable(error, table)
    command = table.altering(unset=keys) if keys else None
    remedy = error.fix if command is None else f"{error.fix.rstrip('.')}; the command unsets {listing(keys)}."
    yield Observation(error.message, remedy, command, details={"code": error.code})


def _unreadable(error: TableError, table: AuditedTable) -> tuple[str, ...]:
    """The table's properties that nobody can read, if it is for them that the table cannot be read."""
    if error.code != PropertyInvalidError.code or table.metadata is None:
        return ()
    errors = (error.details, *(one["details"] for one in error.details.get("also", ())))
    keys = tuple(str(one.get("key")) for one in errors)
    return keys if table.metadata.configuration.keys() >= set(keys) else ()


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
