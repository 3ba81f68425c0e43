"""The commits that end the use of a feature, and what of a table still uses it."""

from __future__ import annotations

from collections.abc import Sequence

import attrs

from deltaresolver.errors import FeatureInUseError
from deltaresolver.model.actions import Action, AddFile, DomainMetadata
from deltaresolver.model.behaviour import RemainingTable
from deltaresolver.model.feature import Removal, TableFeature
from deltaresolver.model.metadata import Metadata
from deltaresolver.model.preparation import PreparatoryCommit
from deltaresolver.model.view import TableView
from deltaresolver.resolution.instructions import without_instructions
from deltaresolver.transaction.operation import unset_properties


def removal_commit(feature: TableFeature, table: RemainingTable, made: Sequence[str]) -> PreparatoryCommit | None:
    """The next commit that ends the use of the feature; None when there is none left. Raises `FeatureInUseError`."""
    wanted = _wanted(feature, table, made)
    if wanted is None:
        return None
    metadata = None if wanted.metadata is None else without_stuck(wanted.metadata)
    actions = tuple(without_stuck(one) if isinstance(one, Metadata) else one for one in wanted.actions)
    return attrs.evolve(wanted, metadata=metadata, actions=actions)


def without_stuck(metadata: Metadata) -> Metadata:
    """The metadata without instructions about the protocol that other clients left among its properties.

    Whoever takes something away did not ask for what they would add.
    """
    return metadata.with_configuration(without_instructions(metadata.configuration))


def _wanted(feature: TableFeature, table: RemainingTable, made: Sequence[str]) -> PreparatoryCommit | None:
    assert feature.removal is not None
    if feature.behaviour is not None:
        wanted = feature.behaviour.removal_commit(table, made)
        if wanted is not None:
            return wanted
    present = [key for key in feature.removal.unsets_first if key in table.metadata.configuration]
    if present:
        kept = {key: value for key, value in table.metadata.configuration.items() if key not in present}
        return PreparatoryCommit(
            unset_properties(present, if_exists=True), metadata=table.metadata.with_configuration(kept)
        )
    trace = find_trace(feature, feature.removal, table)
    if trace is not None and not made and feature.behaviour is None:
        raise FeatureInUseError(
            f"{feature.name} cannot be dropped while the table uses it: {trace}.",
            fix=_remedy(feature, table),
            details={"feature": feature.name, "trace": trace},
        )
    return None


def _remedy(feature: TableFeature, table: RemainingTable) -> str:
    view = TableView(table.metadata, table.supported)
    told = [str(remedy) for remedy in feature.trigger.remedies(view)] if feature.trigger is not None else []
    return f"First do this: {'; '.join(told)}." if told else "Remove what uses the feature first."


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
