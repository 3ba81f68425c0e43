"""What of one version of a table still uses a feature."""

from __future__ import annotations

from deltaresolver.model.actions import Action, AddFile, DomainMetadata
from deltaresolver.model.behaviour import RemainingTable
from deltaresolver.model.feature import Removal, TableFeature
from deltaresolver.model.view import TableView


def find_trace(feature: TableFeature, removal: Removal, table: RemainingTable) -> str | None:
    """What of a version still uses the feature, in words; None if nothing does."""
    if feature.behaviour is not None:
        trace = feature.behaviour.find_trace(table)
        if trace is not None:
            return trace
    declared = _declared_trace(feature, table)
    if declared is not None or feature.trigger is None:
        return declared
    gone = {key.lower() for key in removal.drops_properties}
    kept = {key: value for key, value in table.metadata.configuration.items() if key.lower() not in gone}
    view = TableView(table.metadata.with_configuration(kept), table.supported - {feature.name})
    evidence = feature.trigger.evidence(view)
    return "; ".join(map(str, evidence)) if evidence else None


def _declared_trace(feature: TableFeature, table: RemainingTable) -> str | None:
    """What the feature declares to be in the log while it is used; a feature with a behaviour looks itself."""
    traces = feature.traces
    if feature.behaviour is not None:
        return None
    kept = sorted(set(traces.domains) & set(table.domains())) if traces.domains else []
    if kept:
        return f"metadata domain {kept[0]}"
    marked = (file.path for file in table.files() if is_declared_trace(feature, file)) if traces.file_tags else ()
    return next((f"file {path}" for path in marked), None)


def is_declared_trace(feature: TableFeature, action: Action) -> bool:
    """Whether the feature declares that such an action is in the log only while it is used."""
    if isinstance(action, DomainMetadata):
        return action.domain in feature.traces.domains and not action.removed
    return isinstance(action, AddFile) and not set(feature.traces.file_tags).isdisjoint(action.tags or ())
