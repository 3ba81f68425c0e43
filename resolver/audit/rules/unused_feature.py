"""unused-feature: a feature is listed, locks clients out, nothing uses it, and it can go."""

from __future__ import annotations

from collections.abc import Iterator

from deltaresolver.model.audit_finding import Severity
from deltaresolver.model.audit_rule import AuditedTable, AuditRule, Observation
from deltaresolver.model.audit_table import FeatureUse
from deltaresolver.plugins import hookimpl
from deltaresolver.resolution.explain.phrases import counted


def check(table: AuditedTable) -> Iterator[Observation]:
    """One observation for each feature that can go without harm, where some known release can use the table then.

    What a numbered version implies is the business of another rule.
    """
    for feature in table.audit.features:
        if feature.use is FeatureUse.UNUSED and feature.listed and feature.command is not None and feature.opens:
            who = "Readers and writers" if feature.for_readers else "Writers"
            yield Observation(
                f"{who} must know {feature.name}, but nothing in the table's metadata uses it; without it "
                f"{counted(feature.opens, 'more known release')} can use the table.",
                feature.advice,
                feature.command,
                details={"features": [feature.name]},
            )


@hookimpl
def audit_rules() -> AuditRule:
    """Declare unused-feature."""
    return AuditRule(
        name="unused-feature",
        severity=Severity.WARNING,
        title="The table supports a feature that nothing uses",
        remedy="Drop the feature.",
        check=check,
    )
