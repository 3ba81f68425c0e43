"""plugin-failed: code of a plugin failed while the table was looked at, so nothing else is known of it.

The table itself may be sound: leave the package out, and audit it again.
"""

from __future__ import annotations

from collections.abc import Iterator

from deltaresolver.errors import PluginCallFailedError, TriggerFailedError
from deltaresolver.model.audit_finding import Severity
from deltaresolver.model.audit_rule import AuditedTable, AuditRule, Observation
from deltaresolver.plugins import hookimpl

CODES = frozenset({PluginCallFailedError.code, TriggerFailedError.code})
"""The codes of errors that are faults of a plugin, not of a table."""


def check(table: AuditedTable) -> Iterator[Observation]:
    """The error with the names of plugin and package."""
    error = table.audit.error
    if error is not None and error.code in CODES:
        yield Observation(error.message, error.fix, details={"code": error.code, **error.details})


@hookimpl
def audit_rules() -> AuditRule:
    """Declare plugin-failed."""
    return AuditRule(
        name="plugin-failed",
        severity=Severity.ERROR,
        title="A plugin failed on the table",
        remedy="Ask the author of the plugin for a fix, or audit without it: --without-plugin PACKAGE.",
        check=check,
    )
