"""unknown-feature: a feature that no installed plugin knows."""

from __future__ import annotations

from collections.abc import Iterator

from deltaresolver.audit.document.wording import first_few
from deltaresolver.model.audit_finding import Severity
from deltaresolver.model.audit_rule import AuditedTable, AuditRule, Observation
from deltaresolver.model.audit_table import FeatureUse
from deltaresolver.plugins import hookimpl


def check(table: AuditedTable) -> Iterator[Observation]:
    """One observation, naming the features."""
    unknown = [
        one.name for one in table.audit.features if one.use is FeatureUse.UNKNOWN and one.name not in table.catalog
    ]
    if unknown:
        yield Observation(f"No installed package knows {first_few(unknown)}.", details={"features": unknown})


@hookimpl
def audit_rules() -> AuditRule:
    """Declare unknown-feature."""
    return AuditRule(
        name="unknown-feature",
        severity=Severity.WARNING,
        title="A feature is unknown here",
        remedy="Install the plugin that registers the feature, or upgrade deltaresolver.",
        check=check,
    )
