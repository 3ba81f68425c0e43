"""wrong-last-checkpoint: the hint where to start reading cannot be used, or names a checkpoint that is not there."""

from __future__ import annotations

from collections.abc import Iterator

from deltaresolver.model.audit_finding import Severity
from deltaresolver.model.audit_rule import AuditedTable, AuditRule, Observation
from deltaresolver.plugins import hookimpl


def check(table: AuditedTable) -> Iterator[Observation]:
    """One observation: grave where some readers believe the hint, and do not find what it names."""
    problem, dangles = table.audit.health.wrong_hint, table.audit.health.hint_dangles
    if problem is not None:
        # Measured: delta-rs refuses the table; delta-spark retries a damaged hint for three seconds.
        effect = "Some readers refuse the table" if dangles else "Readers try again, and then list the whole log"
        yield Observation(
            f"_last_checkpoint is wrong: {problem}. {effect}.",
            severity=Severity.ERROR if dangles else None,
            details={"problem": problem, "checkpoint": table.audit.health.checkpoint_version},
        )


@hookimpl
def audit_rules() -> AuditRule:
    """Declare wrong-last-checkpoint."""
    return AuditRule(
        name="wrong-last-checkpoint",
        severity=Severity.WARNING,
        title="The pointer to the last checkpoint is damaged, or the checkpoint it names is missing",
        remedy="Delete _delta_log/_last_checkpoint, or write a checkpoint, which replaces it.",
        check=check,
    )
