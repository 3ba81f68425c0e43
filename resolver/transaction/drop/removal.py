"""The commits that end the use of a feature before it is dropped, each worked out from what the table is by then."""

from __future__ import annotations

from collections.abc import Sequence

from deltaresolver.errors import FeatureInUseError
from deltaresolver.model.behaviour import RemainingTable
from deltaresolver.model.feature import TableFeature
from deltaresolver.model.preparation import PreparatoryCommit
from deltaresolver.model.view import TableView
from deltaresolver.transaction.drop.feature_trace import find_trace
from deltaresolver.transaction.operation import unset_properties


def removal_commit(feature: TableFeature, table: RemainingTable, made: Sequence[str]) -> PreparatoryCommit | None:
    """The next commit that ends the use of the feature; None when there is none left. Raises `FeatureInUseError`."""
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
