"""What of one version of a table still uses a feature."""

from __future__ import annotations

from deltaresolver.model.behaviour import RemainingTable
from deltaresolver.model.feature import Removal, TableFeature
from deltaresolver.model.view import TableView


def find_trace(feature: TableFeature, removal: Removal, table: RemainingTable) -> str | None:
    """What of a version still uses the feature, in words; None if nothing does."""
    if feature.behaviour is not None:
        trace = feature.behaviour.find_trace(table)
        if trace is not None:
            return trace
    if feature.trigger is None:
        return None
    gone = {key.lower() for key in removal.drops_properties}
    kept = {key: value for key, value in table.metadata.configuration.items() if key.lower() not in gone}
    view = TableView(table.metadata.with_configuration(kept), table.supported - {feature.name})
    evidence = feature.trigger.evidence(view)
    return "; ".join(map(str, evidence)) if evidence else None
