"""Why a commit changed the protocol: for each feature it added, the property or column in that same commit."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import Any

import attrs
import msgspec

from deltaresolver.errors import DeltaResolverError
from deltaresolver.log.history import HistoryEntry
from deltaresolver.log.protocol_change import ProtocolChange
from deltaresolver.model.catalog import FeatureCatalog
from deltaresolver.model.metadata import Metadata
from deltaresolver.model.protocol import Protocol
from deltaresolver.model.rules import ColumnEvidence, Rule
from deltaresolver.model.schema import quote_path
from deltaresolver.model.view import TableView
from deltaresolver.resolution.explain.phrases import listing, pair, shortened
from deltaresolver.resolution.instructions import FEATURE_PREFIX, MIN_READER_VERSION, MIN_WRITER_VERSION
from deltaresolver.resolution.prepared import prepare
from deltaresolver.value import Value

MetadataAt = Callable[[int], Metadata | None]
"""The metadata of a table version, or None where the log no longer has it."""

SHOWN_COLUMNS = 3


@attrs.frozen(slots=True)
class FeatureCause(Value):
    """One feature that a commit added, and what in that commit required it; empty where nothing shows that."""

    feature: str
    because: tuple[str, ...]

    def to_json(self) -> dict[str, Any]:
        """The value as plain data for JSON."""
        return {"feature": self.feature, "because": list(self.because)}


def causes_of(entry: HistoryEntry, catalog: FeatureCatalog, metadata_at: MetadataAt) -> tuple[FeatureCause, ...]:
    """A cause for each feature that the commit's protocol supports and the one before did not."""
    change = entry.protocol_change
    if change is None:
        return ()
    brought = sorted(_supported(change.after, catalog) - _supported(change.before, catalog))
    asked = _properties_asked_for(entry.parameters)
    set_here = Metadata(configuration={each.key: each.after for each in change.properties if each.after is not None})
    direct = {name: _directly(name, set_here, asked, catalog) for name in brought}
    if change.columns and not all(direct.values()):
        metadata = metadata_at(entry.table_version)
        changed = {column.column for column in change.columns}
        for name in brought if metadata is not None else ():
            direct[name] += tuple(_by_columns(name, metadata, changed, catalog))
    needed = {name: direct[name] or _by_others(name, brought, catalog) for name in brought}
    return tuple(FeatureCause(name, because or _by_number(change, asked)) for name, because in needed.items())


def dropped_features(change: ProtocolChange, catalog: FeatureCatalog) -> list[str]:
    """The features that the protocol supported before and does not any more."""
    return sorted(_supported(change.before, catalog) - _supported(change.after, catalog))


def _supported(protocol: Protocol | None, catalog: FeatureCatalog) -> frozenset[str]:
    return frozenset() if protocol is None else prepare(catalog).supported(protocol) | protocol.listed_features


def _properties_asked_for(parameters: Mapping[str, Any]) -> dict[str, str]:
    """The properties that the operation set, instructions included: those never reach the metadata."""
    value = parameters.get("properties")
    if isinstance(value, str):
        try:
            value = msgspec.json.decode(value)
        except (msgspec.DecodeError, RecursionError):
            return {}
    return {str(key): str(text) for key, text in value.items()} if isinstance(value, dict) else {}


def _directly(name: str, set_here: Metadata, asked: Mapping[str, str], catalog: FeatureCatalog) -> tuple[str, ...]:
    """The properties of this commit that switch a feature on, or ask for it by name."""
    wanted = (FEATURE_PREFIX + name).lower()
    instructions = [f"{key} = {value}" for key, value in asked.items() if key.lower() == wanted]
    trigger = _trigger(name, catalog)
    shown = [] if trigger is None else _evidence(trigger, set_here)
    return tuple(shortened(str(item)) for item in (*shown, *instructions))


def _trigger(name: str, catalog: FeatureCatalog) -> Rule | None:
    feature = catalog.find(name)
    return None if feature is None else feature.trigger


def _evidence(trigger: Rule, metadata: Metadata) -> tuple[Any, ...]:
    try:
        return trigger.evidence(TableView(metadata))
    except DeltaResolverError:
        return ()  # history is shown even where a value cannot be read


def _by_columns(name: str, metadata: Metadata | None, changed: set[str], catalog: FeatureCatalog) -> Iterator[str]:
    trigger = _trigger(name, catalog)
    if trigger is None or metadata is None:
        return
    found = [
        item
        for item in _evidence(trigger, attrs.evolve(metadata, configuration={}))
        if isinstance(item, ColumnEvidence) and quote_path(item.path) in changed
    ]
    yield from (shortened(str(item)) for item in found[:SHOWN_COLUMNS])
    if len(found) > SHOWN_COLUMNS:
        yield f"{len(found) - SHOWN_COLUMNS:,} more columns"


def _by_others(name: str, brought: list[str], catalog: FeatureCatalog) -> tuple[str, ...]:
    needing = [other for other in brought if (found := catalog.find(other)) is not None and name in found.requires]
    return (f"required by {listing(needing)}",) if needing else ()


def _by_number(change: ProtocolChange, asked: Mapping[str, str]) -> tuple[str, ...]:
    """The cause where a legacy version implies a feature, required or not."""
    numbers = {MIN_READER_VERSION.lower(), MIN_WRITER_VERSION.lower()}
    asked_for = [f"{key} = {value}" for key, value in asked.items() if key.lower() in numbers]
    if asked_for:
        return tuple(asked_for)
    return () if change.after.lists_writer_features else (f"implied by versions {pair(change.after)}",)
