"""unreadable-table: nobody can say what is in it."""

from __future__ import annotations

from collections.abc import Iterator

from deltaresolver.audit.rules.plugin_failed import CODES
from deltaresolver.errors import PropertyInvalidError
from deltaresolver.model.audit_finding import Severity
from deltaresolver.model.audit_rule import AuditedTable, AuditRule, Observation
from deltaresolver.plugins import hookimpl


def check(table: AuditedTable) -> Iterator[Observation]:
    """The error that reading ended with, unless a rule of its own tells of it: a plugin's, or of a property."""
    error = table.audit.error
    if error is not None and error.code not in CODES and not properties_in_the_way(table):
        yield Observation(error.message, error.fix, details={"code": error.code})


def properties_in_the_way(table: AuditedTable) -> dict[str, str]:
    """The properties that make it impossible to work out the table's demands, each with its value."""
    error = table.audit.error
    if error is None or error.code != PropertyInvalidError.code or table.metadata is None:
        return {}
    errors = (error.details, *(one["details"] for one in error.details.get("also", ())))
    keys, properties = [str(one.get("key")) for one in errors], table.metadata.configuration
    return {key: properties[key] for key in keys} if properties.keys() >= set(keys) else {}


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
