"""What `impact` is asked: a table before and after a change, from its path or from metadata on stdin."""

from __future__ import annotations

from typing import TYPE_CHECKING

import attrs

from deltaresolver.cli.inputs.catalog_profiles import catalog_of
from deltaresolver.cli.inputs.json_input import Described
from deltaresolver.cli.inputs.property_changes import Properties, changed_properties, read_pairs
from deltaresolver.cli.inputs.protocol_input import read_protocol
from deltaresolver.cli.inputs.sources import STDIN, read_source, strangers_in_words
from deltaresolver.clients.table_facts import NOTHING_KNOWN, TableFacts, facts_after
from deltaresolver.clients.table_needs import TableNeeds
from deltaresolver.model.catalog import FeatureCatalog
from deltaresolver.model.facts.columns import mapping_mode
from deltaresolver.model.metadata import Metadata
from deltaresolver.model.protocol import Protocol
from deltaresolver.resolution.algebra import unknown_features
from deltaresolver.resolution.explain.phrases import pair
from deltaresolver.resolution.instructions import FEATURE_PREFIX, without_instructions
from deltaresolver.resolution.prepared import prepare
from deltaresolver.resolution.resolution import Resolution
from deltaresolver.resolution.resolve import resolve_known_part, resolve_new_table, resolve_upgrade
from deltaresolver.value import Value

if TYPE_CHECKING:
    from deltaresolver.planning.state import PlanState


FELT_LATER = (
    "the columns that are there keep their names in the files: clients that read columnMapping wrongly do so from the "
    "first column on that is renamed or added"
)


@attrs.frozen(slots=True)
class Asked(Value):
    """The options that say what changes, as they were given."""

    protocol: str | None
    to_set: tuple[str, ...]
    to_unset: tuple[str, ...]
    to_add: tuple[str, ...]
    storage: tuple[str, ...]
    profile: str
    to_drop: tuple[str, ...] = ()
    truncates: bool = False


@attrs.frozen(slots=True)
class ImpactQuestion(Value):
    """A table before and after: the protocols, what each demands of clients, the features added, and remarks.

    `resolution` is of the change without the features dropped, `after_protocol` with that.
    """

    resolution: Resolution
    after_protocol: Protocol
    before_protocol: Protocol
    before: TableNeeds
    after: TableNeeds
    added: frozenset[str]
    is_new: bool
    notes: tuple[str, ...]


def read_question(source: str | None, asked: Asked) -> ImpactQuestion:
    """Read the table, and resolve it with the change. Raises `DeltaResolverError`."""
    catalog = catalog_of(asked.profile)
    described, facts = _read(source, asked)
    properties = _changed(described.metadata, asked, catalog)
    metadata = described.metadata.with_configuration(properties.values)
    current = described.protocol if asked.protocol is None else read_protocol(asked.protocol)
    if current is None:
        before = resolve_new_table(described.metadata, catalog).protocol
        resolution = resolve_new_table(metadata, catalog)
    else:
        # A name in a table's log is a fact; one that was typed may be a slip.
        resolve = resolve_known_part if asked.protocol is None else resolve_upgrade
        kept = described.metadata if asked.protocol is None else None
        before, resolution = current, resolve(metadata, current, catalog, before=kept)
    prepared = prepare(catalog)
    unknown = unknown_features(before, catalog)
    strangers = [strangers_in_words(unknown, catalog)] if unknown else []
    mapped = [] if current is None else _remarks_on_mapping(described.metadata, metadata)
    notes = (*described.notes, *properties.notes, *strangers, *mapped, *_remarks(asked, before, resolution))
    after_protocol = resolution.protocol
    facts_then = facts_after(facts, before, resolution.protocol, described.metadata, metadata)
    after = TableNeeds.of(after_protocol, _plain(metadata), facts_then, catalog)
    if asked.to_drop:
        from deltaresolver.planning.state import PlanState

        start = PlanState(catalog, after_protocol, _plain(metadata), facts_then)
        end = _without_features(_with_files(start, source, asked), asked)
        after_protocol, after = end.protocol, end.needs
    return ImpactQuestion(
        resolution,
        after_protocol,
        before,
        TableNeeds.of(before, _plain(described.metadata), facts, catalog),
        after,
        prepared.supported(after_protocol) - prepared.supported(before),
        current is None,
        notes,
    )


def _remarks_on_mapping(before: Metadata, after: Metadata) -> list[str]:
    """From when on column mapping is felt: files of a table that is there hold its columns under their names."""
    if mapping_mode(before) != "none" or mapping_mode(after) == "none":
        return []
    return [FELT_LATER]


def _read(source: str | None, asked: Asked) -> tuple[Described, TableFacts]:
    storage = read_pairs(asked.storage, "--storage")
    if source is None or source == STDIN:
        return read_source(source, storage)[0], NOTHING_KNOWN
    # By name, because Arrow takes longer to load than everything else here does.
    from deltaresolver.cli.inputs import table_facts_input as module

    described, facts = module.read_table_with_facts(source, storage)
    return described, facts


def _with_files(state: PlanState, source: str | None, asked: Asked) -> PlanState:
    """With the files of the table, by which a drop is judged."""
    from deltaresolver.planning.table_reading import state_of_table
    from deltaresolver.table import Table

    if source is None or source == STDIN:
        return state
    found = state_of_table(Table(source, read_pairs(asked.storage, "--storage"), catalog=state.catalog))
    return attrs.evolve(found, protocol=state.protocol, metadata=state.metadata)


def _without_features(state: PlanState, asked: Asked) -> PlanState:
    from deltaresolver.planning.table_impact import state_without

    for name in asked.to_drop:
        state = state_without(state, state.catalog.get(name).name, truncate_history=asked.truncates)
    return state


def _changed(metadata: Metadata, asked: Asked, catalog: FeatureCatalog) -> Properties:
    to_set = read_pairs(asked.to_set, "--set")
    to_set |= {f"{FEATURE_PREFIX}{catalog.get(name).name}": "supported" for name in asked.to_add}
    return changed_properties(metadata.configuration, to_set, asked.to_unset, catalog)


def _plain(metadata: Metadata) -> Metadata:
    """As it is committed: instructions to the resolver never are."""
    return metadata.with_configuration(without_instructions(metadata.configuration))


def _remarks(asked: Asked, before: Protocol, resolution: Resolution) -> list[str]:
    if asked.to_drop:
        return []
    if not (asked.to_set or asked.to_unset or asked.to_add):
        return ["no change was asked for; try --set, --unset, --add-feature or --drop-feature"]
    if asked.to_unset and resolution.current is not None and not resolution.changed:
        return [f"the protocol stays {pair(before)}: unsetting a property removes no feature, DROP FEATURE does"]
    return []
