"""old-checkpoint: readers replay many commits, because nobody writes checkpoints any more."""

from __future__ import annotations

from collections.abc import Iterator

from deltaresolver.model.audit_finding import Severity
from deltaresolver.model.audit_rule import AuditedTable, AuditRule, Observation
from deltaresolver.plugins import hookimpl

CHECKPOINT_INTERVAL = "delta.checkpointInterval"
DEFAULT_INTERVAL = "10"
LATE = 5
"""Late by this many intervals."""
AT_LEAST = 50


def check(table: AuditedTable) -> Iterator[Observation]:
    """Compares with the table's own interval."""
    health, metadata = table.audit.health, table.metadata
    if metadata is None or metadata.configuration.get(CHECKPOINT_INTERVAL, "1").strip("0123456789"):
        return
    interval = int(metadata.configuration.get(CHECKPOINT_INTERVAL, DEFAULT_INTERVAL)) or 1
    replayed = health.commits_since_checkpoint
    if replayed >= max(LATE * interval, AT_LEAST):
        last = health.checkpoint_version
        newest = "there is no checkpoint" if last is None else f"the newest is of version {last}"
        yield Observation(
            f"Readers replay {replayed:,} commits: {newest}, where one is due every {interval}.",
            details={"commits": replayed, "interval": interval, "checkpoint": health.checkpoint_version},
        )


@hookimpl
def audit_rules() -> AuditRule:
    """Declare old-checkpoint."""
    return AuditRule(
        name="old-checkpoint",
        severity=Severity.WARNING,
        title="Readers replay many commits after the newest checkpoint",
        remedy="Write a checkpoint, and see why the table's writers write none.",
        check=check,
    )
