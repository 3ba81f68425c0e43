"""Hypothesis strategies: catalogs of third-party features, and tables and protocols that fit a catalog.

Needs hypothesis, which the library itself does not.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import lru_cache
from typing import Any

from hypothesis import strategies as st

from deltaresolver.log.upkeep.settings import CHECKPOINT_POLICY
from deltaresolver.model import Metadata, Protocol
from deltaresolver.model.catalog import FeatureCatalog
from deltaresolver.model.facts.columns import counting_from
from deltaresolver.model.facts.keys import (
    COLLATIONS,
    CONSTRAINT_PREFIX,
    GENERATION_EXPRESSION,
    IDENTITY,
    IDENTITY_START,
    INVARIANTS,
    MAPPING_MODE,
)
from deltaresolver.model.feature import FeatureKind, LegacyVersion, Removal, TableFeature
from deltaresolver.model.rules import (
    AllOf,
    AnyOf,
    FieldHasMetadata,
    PropertyIsTrue,
    PropertyPrefix,
    PropertyPresent,
    Rule,
    SchemaHasType,
    UnlessSupported,
)
from deltaresolver.model.schema import ArrayType, DataType, MapType, StructField, StructType, encode_schema
from deltaresolver.resolution.instructions import (
    FEATURE_PREFIX,
    IGNORE_PROTOCOL_DEFAULTS,
    MIN_READER_VERSION,
    MIN_WRITER_VERSION,
)
from deltaresolver.testing.odd_metadata import ODD_FIELD_VALUES, ODD_NAMES, ODD_VALUES

LEAF_TYPES = ("string", "integer", "long", "double", "decimal(10,2)", "timestamp", "date", "binary", "boolean")
WELL_FORMED_VALUES: Mapping[str, Sequence[str]] = {
    MAPPING_MODE: ("name", "id", "NAME", "none"),
    CHECKPOINT_POLICY: ("v2", "classic"),
    "delta.redirectReaderWriter-preview": ('{"type": "PathBasedRedirect", "state": "REDIRECT-READY"}', "{}"),
    "delta.redirectWriterOnly-preview": ('{"type": "PathBasedRedirect", "state": "REDIRECT-READY"}', "{}"),
}
"""Values for properties that are not boolean."""

WHOLE_FIELD_METADATA: Mapping[str, Mapping[str, Any]] = {
    IDENTITY: counting_from(1, 1, allows_explicit=True),
    INVARIANTS: {INVARIANTS: '{"expression": {"expression": "c > 0"}}'},
}
"""The other keys that a key of field metadata needs to be complete."""

_NO_KEY = ("false",)

# A strategy that is made for each draw is also checked for each draw, which takes longer than the draw itself.
_kept = lru_cache(maxsize=4096)


@_kept
def _one_of(values: tuple[Any, ...]) -> st.SearchStrategy[Any]:
    return st.sampled_from(values)


@_kept
def _some_of(values: tuple[str, ...], most: int) -> st.SearchStrategy[list[str]]:
    return st.lists(_one_of(values), unique=True, max_size=most)


@_kept
def _set_of(values: tuple[str, ...], most: int) -> st.SearchStrategy[frozenset[str]]:
    return st.frozensets(_one_of(values), max_size=most)


@_kept
def _legacy(reader_versions: tuple[int, ...]) -> st.SearchStrategy[LegacyVersion | None]:
    return st.none() | st.builds(LegacyVersion, _one_of(reader_versions), st.integers(2, 6))


# --- catalogs -------------------------------------------------------------------------------------


@st.composite
def catalogs(
    draw: st.DrawFn, *, max_features: int = 6, standing_back: bool = True, always_upgrading: bool = False
) -> FeatureCatalog:
    """A catalog of invented features that admission accepts: any kinds, versions, triggers and dependencies.

    With `standing_back`, triggers may not fire while another feature is supported. With `always_upgrading`, every
    feature upgrades an existing table when its trigger fires.
    """
    features: list[TableFeature] = []
    for position in range(draw(st.integers(1, max_features))):
        features.append(draw(_feature(f"acme{position}", features, standing_back, always_upgrading)))
    return FeatureCatalog(features)


@st.composite
def _feature(
    draw: st.DrawFn, name: str, earlier: Sequence[TableFeature], standing_back: bool, always_upgrading: bool
) -> TableFeature:
    kind = draw(_one_of(tuple(FeatureKind)))
    legacy = draw(_legacy((1, 2) if kind is FeatureKind.READER_WRITER else (0,)))
    requirable = tuple(one.name for one in earlier if legacy is None or _implied_with(legacy, one))
    trigger = draw(_no_or_a_trigger(name, tuple(one.name for one in earlier) if standing_back else ()))
    return TableFeature(
        name=name,
        kind=kind,
        summary=f"Made up for a test, as {name}.",
        spec_url="https://example.com/made-up",
        legacy=legacy,
        requires=draw(_set_of(requirable, 3)) if requirable else frozenset(),
        trigger=trigger,
        upgrades_existing_table=always_upgrading or legacy is not None or draw(st.booleans()),
        removal=draw(_REMOVALS),
    )


def _implied_with(legacy: LegacyVersion, other: TableFeature) -> bool:
    return (
        other.legacy is not None
        and other.legacy.reader_version <= max(1, legacy.reader_version)
        and other.legacy.writer_version <= legacy.writer_version
    )


_REMOVALS = st.sampled_from((None, Removal()))


@_kept
def _no_or_a_trigger(name: str, others: tuple[str, ...]) -> st.SearchStrategy[Rule | None]:
    return st.none() | _trigger(name, others)


@st.composite
def _trigger(draw: st.DrawFn, name: str, others: tuple[str, ...]) -> Rule:
    simple = _simple_rules(name)
    rule = draw(simple)
    if draw(st.booleans()):
        pair = (rule, draw(simple))
        rule = AnyOf(pair) if draw(st.booleans()) else AllOf(pair)
    if len(others) > 0 and draw(st.booleans()):
        rule = AllOf((rule, UnlessSupported((draw(_one_of(others)),))))
    return rule


@_kept
def _simple_rules(name: str) -> st.SearchStrategy[Rule]:
    rules: tuple[Rule, ...] = (
        PropertyIsTrue(f"acme.{name}"),
        PropertyPresent(f"acme.present.{name}"),
        PropertyPrefix(f"acme.prefix.{name}."),
        SchemaHasType((f"acme_{name}",)),
        FieldHasMetadata((f"acme.{name}",)),
    )
    return st.sampled_from(rules)


# --- tables ---------------------------------------------------------------------------------------


@st.composite
def metadata(draw: st.DrawFn, catalog: FeatureCatalog, *, instructions: bool = True) -> Metadata:
    """Metadata that enables some features of the catalog; all values are well-formed.

    With `instructions` it may also ask for features and versions by property.
    """
    properties = draw(_properties(catalog))
    if instructions:
        properties |= draw(instruction_properties(catalog))
    schema = draw(schemas(catalog))
    return Metadata(schema_string=schema, configuration=properties)


@st.composite
def _properties(draw: st.DrawFn, catalog: FeatureCatalog) -> dict[str, str]:
    hints = [feature.trigger.hints() for feature in catalog if feature.trigger is not None]
    keys = sorted({key for hint in hints for key in hint.properties})
    prefixes = sorted({prefix for hint in hints for prefix in hint.property_prefixes})
    found: dict[str, str] = {}
    for key in draw(_some_of(tuple(keys), 5)) if keys else ():
        found[key] = draw(_one_of(tuple(WELL_FORMED_VALUES.get(key, ("true", "TRUE", "false")))))
    for prefix in draw(_some_of(tuple(prefixes), 1)) if prefixes else ():
        found[prefix + "name"] = "c0 > 0"
    return found


@st.composite
def instruction_properties(draw: st.DrawFn, catalog: FeatureCatalog) -> dict[str, str]:
    """Properties that ask for features and versions, never for a contradiction."""
    found: dict[str, str] = {}
    names = tuple(feature.name for feature in catalog)
    for name in draw(_some_of(names, 2)):
        spelt = draw(_one_of((name, name.lower(), name.upper())))
        found[f"{FEATURE_PREFIX}{spelt}"] = draw(_one_of(("supported", "enabled", "Supported")))
    if draw(st.booleans()):
        found[MIN_READER_VERSION] = str(draw(st.integers(1, 2)))
        found[MIN_WRITER_VERSION] = str(draw(st.integers(1, 7)))
    if draw(st.booleans()):
        found[IGNORE_PROTOCOL_DEFAULTS] = draw(_one_of(("true", "false")))
    return found


@st.composite
def sessions(draw: st.DrawFn, catalog: FeatureCatalog) -> dict[str, str]:
    """Session defaults for new tables."""
    prefix = "spark.databricks.delta.properties.defaults."
    asked = draw(instruction_properties(catalog))
    return {prefix + key.removeprefix("delta."): value for key, value in asked.items()}


@st.composite
def schemas(draw: st.DrawFn, catalog: FeatureCatalog, *, max_columns: int = 4, max_depth: int = 3) -> str:
    """A schema string whose types and field metadata are plain, or are ones that the catalog's triggers read."""
    hints = [feature.trigger.hints() for feature in catalog if feature.trigger is not None]
    markers = tuple(sorted({marker for hint in hints for marker in hint.schema_markers} - {*_NO_KEY}))
    fields = [draw(_field(f"c{position}", markers, max_depth)) for position in range(draw(st.integers(0, max_columns)))]
    return encode_schema(StructType(tuple(fields)))


@_kept
@st.composite
def _field(draw: st.DrawFn, name: str, markers: tuple[str, ...], depth: int) -> StructField:
    field_metadata: dict[str, Any] = {}
    for marker in draw(_some_of(markers, 1)) if markers else ():
        field_metadata |= WHOLE_FIELD_METADATA.get(marker, {marker: "c0"})
    nullable = draw(_one_of((True, True, False)))
    return StructField(name, draw(_type(markers, depth)), nullable, field_metadata or None)


@_kept
@st.composite
def _type(draw: st.DrawFn, markers: tuple[str, ...], depth: int) -> DataType:
    shape = draw(_one_of(("leaf", "leaf", "leaf", "struct", "array", "map"))) if depth else "leaf"
    if shape == "struct":
        return StructType(tuple(draw(_field(f"f{at}", markers, depth - 1)) for at in range(draw(st.integers(1, 2)))))
    if shape == "array":
        return ArrayType(draw(_type(markers, depth - 1)))
    if shape == "map":
        return MapType("string", draw(_type(markers, depth - 1)))
    leaf: str = draw(_one_of((*LEAF_TYPES, *markers)))
    return leaf


def odd_properties(catalog: FeatureCatalog) -> st.SearchStrategy[dict[str, str]]:
    """Properties with keys of the catalog or similar ones, and values that may make no sense."""
    keys = {key for feature in catalog if feature.trigger is not None for key in feature.trigger.hints().properties}
    keys |= {f"{FEATURE_PREFIX}{feature.name}" for feature in catalog}
    keys |= {MIN_READER_VERSION, MIN_WRITER_VERSION, IGNORE_PROTOCOL_DEFAULTS, CONSTRAINT_PREFIX}
    spelt = st.sampled_from(sorted(keys)).flatmap(lambda key: st.sampled_from((key, key.upper(), key + " ")))
    return st.dictionaries(spelt | st.text(max_size=8), st.sampled_from(ODD_VALUES) | st.text(max_size=8), max_size=5)


def odd_fields() -> st.SearchStrategy[StructField]:
    """Columns with names, types and metadata that may make no sense."""
    names = st.sampled_from(ODD_NAMES) | st.text(max_size=5)
    keys = st.sampled_from((INVARIANTS, IDENTITY_START, GENERATION_EXPRESSION, COLLATIONS))
    values: st.SearchStrategy[Any] = st.sampled_from(ODD_FIELD_VALUES) | st.sampled_from(ODD_VALUES)
    return st.builds(
        StructField, names, st.text(max_size=8), st.booleans(), st.none() | st.dictionaries(keys, values, max_size=3)
    )


# --- protocols ------------------------------------------------------------------------------------


@st.composite
def protocols(draw: st.DrawFn, catalog: FeatureCatalog, *, closed: bool = True) -> Protocol:
    """A well-formed protocol over the catalog's features: a legacy version, or a list of some of them.

    When `closed`, listed features come with all they require, as every writer must see to.
    """
    if draw(st.booleans()):
        return Protocol(draw(st.integers(1, 2)), draw(st.integers(1, 6)))
    names = draw(_set_of(tuple(feature.name for feature in catalog), 5))
    while closed and not all(catalog.get(name).requires <= names for name in names):
        names |= {required for name in names for required in catalog.get(name).requires}
    return _listing(catalog, names, draw(st.integers(1, 3)))


def _listing(catalog: FeatureCatalog, names: frozenset[str], reader_version: int) -> Protocol:
    records = [catalog.get(name) for name in names]
    needed = max((record.min_reader_version for record in records), default=1)
    readers = frozenset(record.name for record in records if record.is_reader_feature)
    return Protocol.of(max(reader_version, needed), 7, readers, names)


def reordered(catalog: FeatureCatalog) -> st.SearchStrategy[tuple[TableFeature, ...]]:
    """The catalog's features in any order."""
    return st.permutations(catalog.features).map(tuple)
