"""What features declare about each other beside requirements, held against one table.

A feature is enabled where its trigger fires; one without a trigger, where the protocol supports it.
"""

from __future__ import annotations

from collections.abc import Iterator

from deltaresolver.errors import FeatureRelationError
from deltaresolver.model.catalog import FeatureCatalog
from deltaresolver.model.feature import TableFeature
from deltaresolver.model.metadata import Metadata
from deltaresolver.model.view import TableView
from deltaresolver.resolution.prepared import prepare


def ensure_relations(metadata: Metadata, supported: frozenset[str], catalog: FeatureCatalog) -> None:
    """A table with these features and this metadata keeps to what they declare. Raises `FeatureRelationError`."""
    for feature in prepare(catalog).restricting:
        if feature.name not in supported:
            continue
        broken = next(_broken(feature, metadata, supported, catalog), None)
        if broken is not None:
            relation, other, fix = broken
            raise FeatureRelationError(
                f"{feature.name} {relation} {other}.",
                fix=fix,
                details={"feature": feature.name, "other": other, "relation": relation},
            )


def _broken(
    feature: TableFeature, metadata: Metadata, supported: frozenset[str], catalog: FeatureCatalog
) -> Iterator[tuple[str, str, str]]:
    """Each relation that does not hold: in words, with which feature, and what to do."""
    for other in sorted(feature.not_supported_with & supported):
        fix = f"Drop one of the two features from the table, or do not ask for {feature.name}."
        yield "may not be supported beside", other, fix
    if not _is_enabled(feature, metadata, supported):
        return
    for other in sorted(feature.enabled_with):
        if not _is_enabled(catalog.get(other), metadata, supported):
            yield "may be switched on only together with", other, f"Switch on {other} as well."
    for other in sorted(feature.not_enabled_with):
        if _is_enabled(catalog.get(other), metadata, supported):
            yield "may not be switched on beside", other, f"Switch off one of {feature.name} and {other}."


def _is_enabled(feature: TableFeature, metadata: Metadata, supported: frozenset[str]) -> bool:
    if feature.trigger is None:
        return feature.name in supported
    return feature.trigger.fires(TableView(metadata, supported - {feature.name}))
