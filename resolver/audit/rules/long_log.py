"""long-log: commits are kept far beyond the table's own log retention."""

from __future__ import annotations

from collections.abc import Iterator

from deltaresolver.log.upkeep.settings import EXPIRED_LOG_CLEANUP
from deltaresolver.model.audit_finding import Severity
from deltaresolver.model.audit_rule import AuditedTable, AuditRule, Observation
from deltaresolver.plugins import hookimpl

MANY = 2_000
"""The number of commits from which a log is long; every listing has to go through all of them."""


def check(table: AuditedTable) -> Iterator[Observation]:
    """Told by the spread between oldest and newest commit, so that a table at rest is left alone."""
    health = table.audit.health
    if health.commits >= MANY:
        yield Observation(
            f"The log keeps {health.commits:,} commits of {health.commit_bytes / 1e6:,.1f} MB together.",
            details={"commits": health.commits, "bytes": health.commit_bytes},
        )


@hookimpl
def audit_rules() -> AuditRule:
    """Declare long-log."""
    return AuditRule(
        name="long-log",
        severity=Severity.INFO,
        title="Commits are kept far beyond the log retention",
        remedy=f"Write a checkpoint with {EXPIRED_LOG_CLEANUP} on; cleaning up goes with it.",
        check=check,
    )
