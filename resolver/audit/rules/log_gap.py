"""log-gap: a commit is missing in the middle of the log."""

from __future__ import annotations

from collections.abc import Iterator

from deltaresolver.audit.document.wording import first_few
from deltaresolver.model.audit_finding import Severity
from deltaresolver.model.audit_rule import AuditedTable, AuditRule, Observation
from deltaresolver.plugins import hookimpl


def check(table: AuditedTable) -> Iterator[Observation]:
    """One observation, naming the versions."""
    gaps, compactions = table.audit.health.gaps, table.audit.health.compactions_over_gaps
    if not gaps:
        return
    message = f"The log lacks {first_few(map(str, gaps), 'version')}."
    remedy = None
    if compactions:
        message += f" Their result is in {first_few(compactions)}, but no reader uses that in their place."
        remedy = "Restore the missing commits; if they are lost, make a checkpoint by hand that holds that file."
    yield Observation(message, remedy, details={"versions": list(gaps), "compactions": list(compactions)})


@hookimpl
def audit_rules() -> AuditRule:
    """Declare log-gap."""
    return AuditRule(
        name="log-gap",
        severity=Severity.ERROR,
        title="Commits are missing in the middle of the log",
        remedy="Restore the missing commits from a backup or from the storage's version history.",
        check=check,
    )
