"""An audit rule of one's own: every table must name an owner."""

from collections.abc import Iterator

from deltaresolver.plugin import AuditedTable, AuditRule, Observation, Severity, hookimpl

PROPERTY = "sample.owner"


def check(table: AuditedTable) -> Iterator[Observation]:
    """One observation where the owner is missing."""
    if table.metadata is not None and not table.metadata.configuration.get(PROPERTY):
        yield Observation(f"The property {PROPERTY} is not set.")


@hookimpl
def audit_rules() -> AuditRule:
    """Declare sample-owner."""
    return AuditRule("sample-owner", Severity.WARNING, "No owner is named", f"Set {PROPERTY}.", check)
