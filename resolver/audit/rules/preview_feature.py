"""preview-feature: a preview form of a feature, which newer clients may stop reading."""

from __future__ import annotations

from collections.abc import Iterator

from deltaresolver.model.audit_finding import Severity
from deltaresolver.model.audit_rule import AuditedTable, AuditRule, Observation
from deltaresolver.model.feature import Maturity
from deltaresolver.plugins import hookimpl


def check(table: AuditedTable) -> Iterator[Observation]:
    """One observation for each feature."""
    for feature in table.audit.features:
        known = table.catalog.find(feature.name)
        if known is not None and known.maturity is Maturity.PREVIEW:
            yield Observation(f"The protocol lists {feature.name}, a preview.", details={"features": [feature.name]})


@hookimpl
def audit_rules() -> AuditRule:
    """Declare preview-feature."""
    return AuditRule(
        name="preview-feature",
        severity=Severity.INFO,
        title="A feature is listed in its preview form",
        remedy="Move to the final form: it needs a rewrite or a copy of the table.",
        check=check,
    )
