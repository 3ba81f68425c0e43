"""implied-feature: a numbered version implies features that nothing uses."""

from __future__ import annotations

from collections.abc import Iterator

from deltaresolver.model.audit_finding import Severity
from deltaresolver.model.audit_rule import AuditedTable, AuditRule, Observation
from deltaresolver.model.audit_table import FeatureUse
from deltaresolver.plugins import hookimpl


def check(table: AuditedTable) -> Iterator[Observation]:
    """One observation, naming the features, where there is a way to a lower version."""
    protocol, way_down = table.audit.protocol, table.audit.way_down
    if protocol is None or way_down is None or protocol.writer_features is not None:
        return
    unused = [one.name for one in table.audit.features if one.use is FeatureUse.UNUSED]
    if unused:
        yield Observation(
            f"Versions {protocol.reader_version} and {protocol.writer_version} imply {', '.join(unused)}, "
            f"which nothing uses.",
            way_down.title,
            way_down.command,
            details={"features": unused},
        )


@hookimpl
def audit_rules() -> AuditRule:
    """Declare implied-feature."""
    return AuditRule(
        name="implied-feature",
        severity=Severity.INFO,
        title="A numbered version is higher than the table needs",
        remedy="Leave it, unless a client is locked out: then drop what it does not know.",
        check=check,
    )
