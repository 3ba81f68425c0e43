"""unknown-version: a reader or writer version that does not exist yet."""

from __future__ import annotations

from collections.abc import Iterator

from deltaresolver.model.audit_finding import Severity
from deltaresolver.model.audit_rule import AuditedTable, AuditRule, Observation
from deltaresolver.model.protocol import READER_VERSION_WITH_FEATURE_LIST, WRITER_VERSION_WITH_FEATURE_LIST
from deltaresolver.plugins import hookimpl


def check(table: AuditedTable) -> Iterator[Observation]:
    """One observation, naming both versions."""
    protocol = table.protocol
    if protocol is not None and (
        protocol.min_reader_version > READER_VERSION_WITH_FEATURE_LIST
        or protocol.min_writer_version > WRITER_VERSION_WITH_FEATURE_LIST
    ):
        yield Observation(
            f"Versions {protocol.min_reader_version} and {protocol.min_writer_version} are higher than any known.",
            details={"reader_version": protocol.min_reader_version, "writer_version": protocol.min_writer_version},
        )


@hookimpl
def audit_rules() -> AuditRule:
    """Declare unknown-version."""
    return AuditRule(
        name="unknown-version",
        severity=Severity.ERROR,
        title="The protocol has a version that is not known",
        remedy="Upgrade deltaresolver if there is a release that knows it; otherwise ask whoever wrote it.",
        check=check,
    )
