"""What the page offers to switch: properties that features look at, with the values they know; features; types."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from deltaresolver.model.catalog import FeatureCatalog
from deltaresolver.model.rules import AllOf, AnyOf, PropertyIsOneOf, PropertyIsTrue, Rule
from deltaresolver.model.schema import StructField
from deltaresolver.planning.state import PlanState

COLUMN_TYPES = (
    "STRING",
    "BIGINT",
    "INT",
    "DOUBLE",
    "DECIMAL(10,2)",
    "BOOLEAN",
    "DATE",
    "TIMESTAMP",
    "TIMESTAMP_NTZ",
    "BINARY",
    "VARIANT",
)
"""Beside each other in the page's list; a statement that is typed may name any type."""


def choices_for(state: PlanState) -> dict[str, Any]:
    """The controls of the page for one table."""
    return {
        "properties": _properties(state),
        "features": [_feature(state, feature.name) for feature in state.catalog],
        "columns": [{"name": field.name, "type": _type_of(field)} for field in state.metadata.schema.fields],
        "types": list(COLUMN_TYPES),
    }


def _properties(state: PlanState) -> list[dict[str, Any]]:
    """Known ones and those the table has, each with the values it may take; none where any text may be one."""
    known = dict(_known_properties(state.catalog))
    values = state.metadata.configuration
    return [
        {"key": key, "values": list(known.get(key, ())), "value": values.get(key)}
        for key in sorted(known.keys() | values.keys(), key=str.lower)
    ]


def _known_properties(catalog: FeatureCatalog) -> Iterator[tuple[str, tuple[str, ...]]]:
    for feature in catalog:
        if feature.trigger is not None:
            yield from ((key, ()) for key in feature.trigger.hints().properties)
    for feature in catalog:
        if feature.trigger is not None:
            yield from _valued(feature.trigger)


def _valued(rule: Rule) -> Iterator[tuple[str, tuple[str, ...]]]:
    if isinstance(rule, AnyOf | AllOf):
        for part in rule.rules:
            yield from _valued(part)
    elif isinstance(rule, PropertyIsTrue):
        yield rule.key, ("true", "false")
    elif isinstance(rule, PropertyIsOneOf):
        yield rule.key, (*rule.harmless, *rule.values)


def _feature(state: PlanState, name: str) -> dict[str, Any]:
    feature = state.catalog.get(name)
    return {
        "name": name,
        "summary": feature.summary,
        "supported": name in state.supported,
        "removable": feature.is_removable,
    }


def _type_of(field: StructField) -> str:
    """The type's name; of a nested one its kind, since the page lists columns and not their parts."""
    return field.type if isinstance(field.type, str) else type(field.type).__name__.removesuffix("Type").lower()
