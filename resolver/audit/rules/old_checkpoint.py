"""old-checkpoint: readers replay many commits, because nobody writes checkpoints any more."""

from __future__ import annotations

from collections.abc import Iterator

from deltaresolver.errors import PropertyInvalidError
from deltaresolver.log.upkeep.retention import LOG_RETENTION, log_retention_ms
from deltaresolver.log.upkeep.settings import CHECKPOINT_INTERVAL
from deltaresolver.model.audit_finding import Severity
from deltaresolver.model.audit_rule import AuditedTable, AuditRule, Observation
from deltaresolver.model.metadata import Metadata
from deltaresolver.plugins import hookimpl

DEFAULT_INTERVAL = "10"
LATE = 5
"""A checkpoint is late after this many intervals."""
AT_LEAST = 50
_USUAL_RETENTION_MS = log_retention_ms(Metadata())


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
    elif replayed and _is_beyond_retention(table, metadata):
        yield Observation(
            f"The newest checkpoint, of version {health.checkpoint_version}, is older than the newest commit by more "
            f"than the log retention: no commit after it can be cleaned up.",
            severity=Severity.INFO,
            details={"checkpoint": health.checkpoint_version, "commits": replayed},
        )


def _is_beyond_retention(table: AuditedTable, metadata: Metadata) -> bool:
    health = table.audit.health
    if health.checkpoint_ms is None or health.last_commit_ms is None:
        return False
    behind_ms = health.last_commit_ms - health.checkpoint_ms
    if LOG_RETENTION not in metadata.configuration:
        return behind_ms > _USUAL_RETENTION_MS
    try:
        return behind_ms > log_retention_ms(metadata)
    except PropertyInvalidError:
        return False


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
