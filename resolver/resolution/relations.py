"""What features declare about each other beside requirements, held against one table.

A feature is enabled where its trigger fires; one without a trigger, where the protocol supports it.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

import attrs

from deltaresolver.errors import FeatureRelationError
from deltaresolver.model.catalog import FeatureCatalog
from deltaresolver.model.feature import TableFeature
from deltaresolver.model.metadata import Metadata
from deltaresolver.model.view import TableView
from deltaresolver.resolution.prepared import prepare
from deltaresolver.value import Value


@attrs.frozen(slots=True)
class BrokenRelation(Value):
    """A relation that a table does not keep to; `fix` is what to do, and does not tell two of them apart."""

    feature: str
    relation: str
    other: str
    fix: str = attrs.field(eq=False)

    def __str__(self) -> str:
        return f"{self.feature} {self.relation} {self.other}"


def ensure_relations(
    metadata: Metadata, supported: frozenset[str], catalog: FeatureCatalog, kept: Iterable[BrokenRelation] = ()
) -> None:
    """A table with these features and this metadata keeps to what they declare. Raises `FeatureRelationError`.

    Relations that the table did not keep to before do not forbid a change: `kept`.
    """
    before = frozenset(kept)
    broken = next((one for one in broken_relations(metadata, supported, catalog) if one not in before), None)
    if broken is not None:
        raise FeatureRelationError(
            f"{broken}.",
            fix=broken.fix,
            details={"feature": broken.feature, "other": broken.other, "relation": broken.relation},
        )


def broken_relations(
    metadata: Metadata, supported: frozenset[str], catalog: FeatureCatalog
) -> Iterator[BrokenRelation]:
    """Every relation that a table with these features and this metadata does not keep to."""
    for feature in prepare(catalog).restricting:
        if feature.name in supported:
            yield from _broken(feature, metadata, supported, catalog)


def _broken(
    feature: TableFeature, metadata: Metadata, supported: frozenset[str], catalog: FeatureCatalog
) -> Iterator[BrokenRelation]:
    for other in sorted(feature.not_supported_with & supported):
        fix = f"Drop one of the two features from the table, or do not ask for {feature.name}."
        yield BrokenRelation(feature.name, "may not be supported beside", other, fix)
    if not _is_enabled(feature, metadata, supported):
        return
    for other in sorted(feature.enabled_with):
        if not _is_enabled(catalog.get(other), metadata, supported):
            fix = f"Switch on {other} as well, or switch off {feature.name} first."
            yield BrokenRelation(feature.name, "may be switched on only together with", other, fix)
    for other in sorted(feature.not_enabled_with):
        if _is_enabled(catalog.get(other), metadata, supported):
            fix = f"Switch off one of {feature.name} and {other}."
            yield BrokenRelation(feature.name, "may not be switched on beside", other, fix)


def _is_enabled(feature: TableFeature, metadata: Metadata, supported: frozenset[str]) -> bool:
    if feature.trigger is None:
        return feature.name in supported
    return feature.trigger.fires(TableView(metadata, supported - {feature.name}))
