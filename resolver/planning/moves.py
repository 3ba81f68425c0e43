"""The steps that can be taken from a state, and the state each leads to; and why a feature cannot go."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

import attrs

from deltaresolver.clients.table_facts import CheckpointForm
from deltaresolver.errors import DeltaResolverError, FeatureInUseError
from deltaresolver.log.checkpoint.understood import find_obstacle
from deltaresolver.model.actions import AddFile, DomainMetadata
from deltaresolver.model.catalog import FeatureCatalog
from deltaresolver.model.feature import Removal, TableFeature
from deltaresolver.model.metadata import Metadata
from deltaresolver.model.operation import Operation
from deltaresolver.model.rules import PropertyEvidence
from deltaresolver.model.schema import quote_path, walk_fields
from deltaresolver.model.support import Task
from deltaresolver.model.view import TableView
from deltaresolver.planning.state import NO_DOMAINS, PlanState
from deltaresolver.planning.steps import Cost, Step, StepKind
from deltaresolver.resolution.algebra import denormalized, remove_feature, unknown_features, with_feature
from deltaresolver.resolution.instructions import FEATURE_PREFIX, without_instructions
from deltaresolver.resolution.prepared import prepare
from deltaresolver.resolution.resolve import resolve_upgrade
from deltaresolver.transaction.drop.feature_trace import find_trace
from deltaresolver.transaction.drop.removal import removal_commit
from deltaresolver.transaction.drop.request import find_guard
from deltaresolver.transaction.operation import operation

REORG = operation("REORG", {"predicate": "[]", "applyPurge": True})
KEPT_PROPERTIES = frozenset(("delta.columnmapping.mode",))
"""Properties that no ALTER TABLE here takes away."""
_NOT_IN_PARQUET = frozenset(" ,;{}()\n\t=")
_MOST_COMMITS = 8

Move = tuple[Step, PlanState]


def moves(state: PlanState) -> Iterator[Move]:
    """Every step that can be taken now, in an order that does not change. None past features unknown here."""
    if unknown_features(state.protocol, state.catalog):
        return
    for feature in sorted(state.catalog, key=lambda one: one.name):
        if feature.name in state.supported:
            yield from _unsets(state, feature)
            yield from _drops(state, feature)
    yield from _purges(state)
    yield from _additions(state)


# --- properties ---------------------------------------------------------------------------------


def switches(state: PlanState, feature: TableFeature) -> tuple[str, ...]:
    """The properties that switch a feature on in this table."""
    if feature.trigger is None:
        return ()
    view = TableView(state.metadata, state.supported - {feature.name})
    found = [one.key for one in feature.trigger.evidence(view) if isinstance(one, PropertyEvidence)]
    return tuple(sorted(key for key in found if key.lower() not in KEPT_PROPERTIES))


def _unsets(state: PlanState, feature: TableFeature) -> Iterator[Move]:
    keys = switches(state, feature)
    if not keys:
        return
    kept = {key: value for key, value in state.metadata.configuration.items() if key not in keys}
    after = _altered(state, state.metadata.with_configuration(kept))
    if after is not None:
        yield _step(state, StepKind.UNSET, keys, after, Cost(steps=1, given_up=len(keys)))


def _altered(state: PlanState, metadata: Metadata) -> PlanState | None:
    """After ALTER TABLE; None where the resolver refuses it."""
    try:
        protocol = resolve_upgrade(metadata, state.protocol, state.catalog).protocol
    except DeltaResolverError:
        return None
    plain = metadata.with_configuration(without_instructions(metadata.configuration))
    return attrs.evolve(state, protocol=protocol, metadata=plain)


# --- adding what makes a numbered protocol whole ------------------------------------------------


def missing_for_numbers(state: PlanState) -> Iterator[tuple[tuple[int, int], tuple[str, ...]]]:
    """Numbered protocols that imply what the table supports and more; and what it lacks for each, the least first."""
    if not state.protocol.lists_writer_features:
        return
    prepared, supported = prepare(state.catalog), state.supported
    least: dict[frozenset[str], tuple[int, int]] = {}
    for versions in sorted(prepared.implied):
        implied = prepared.implied[versions]
        lowest = prepared.lowest_protocol(implied)
        if supported < implied and (lowest.min_reader_version, lowest.min_writer_version) == versions:
            least.setdefault(implied - supported, versions)
    for missing, versions in sorted(least.items(), key=lambda item: (len(item[0]), item[1])):
        yield versions, tuple(sorted(missing))


def _additions(state: PlanState) -> Iterator[Move]:
    for _, missing in missing_for_numbers(state):
        asked = {f"{FEATURE_PREFIX}{name}": "supported" for name in missing}
        after = _altered(state, state.metadata.with_configuration({**state.metadata.configuration, **asked}))
        if after is None:
            continue
        aborting = any(state.catalog.get(name).aborts_concurrent_writers for name in missing)
        cost = Cost(steps=1, aborting=int(aborting), given_up=len(missing))
        yield _step(state, StepKind.ADD, missing, after, cost)


# --- files --------------------------------------------------------------------------------------


def _purges(state: PlanState) -> Iterator[Move]:
    if is_marked(state):
        totals = state.totals
        size = Cost() if totals is None else Cost(bytes=totals.marked_size, files=totals.marked_files)
        yield _step(state, StepKind.PURGE, (), purged(state), size + Cost(steps=1, aborting=1))


def is_marked(state: PlanState) -> bool:
    """Whether a file has a deletion vector."""
    return any(file.deletion_vector is not None for file in state.examples)


def purged(state: PlanState) -> PlanState:
    """After files with deletion vectors were written again without the rows that those delete."""
    if not is_marked(state):
        return state
    plain = tuple(attrs.evolve(file, deletion_vector=None) for file in state.examples)
    totals = None if state.totals is None else attrs.evolve(state.totals, marked_files=0, marked_size=0)
    facts = attrs.evolve(state.facts, deletion_vectors=False)
    return attrs.evolve(state, examples=plain, facts=facts, totals=totals)


def metadata_without(state: PlanState, feature: str) -> Metadata:
    """The metadata once nothing uses the feature, for somebody who writes all files again. Raises as a drop does."""
    known = state.catalog.get(feature)
    assert known.removal is not None
    return unused(attrs.evolve(state, examples=()), known, known.removal).metadata


def rewriting(catalog: FeatureCatalog, feature: str) -> Operation:
    """The operation under which all files are written again so that nothing uses the feature; there must be one."""
    removal = catalog.get(feature).removal
    assert removal is not None
    assert removal.rewriting is not None
    return removal.rewriting


# --- dropping -----------------------------------------------------------------------------------


def why_kept(state: PlanState, feature: TableFeature) -> str | None:
    """The certain reason why no step takes a feature away from this table now; None if one does."""
    stuck = _what_forbids_commits(state)
    if stuck is not None:
        return f"{feature.name} stays while the table has {stuck}"
    if feature.removal is None:
        return f"{feature.name} can never be dropped{_users(state, feature)}"
    dependents = dependents_of(state, feature)
    if dependents:
        return f"{feature.name} is needed by {', '.join(dependents)}"
    if feature.removal.protects_history:
        obstacle = find_obstacle(state.protocol, state.metadata, state.location or "the table", state.catalog)
        if obstacle is not None:
            return f"{feature.name} cannot go without a checkpoint: {obstacle}"
    if feature.name == "columnMapping":
        odd = [path for path, field in walk_fields(state.metadata.schema) if _NOT_IN_PARQUET & set(field.name)]
        if odd:
            return f"columnMapping carries the name of column {', '.join(quote_path(path) for path in odd)}"
    try:
        unused(state, feature, feature.removal)
    except FeatureInUseError as error:
        return None if is_rewritten(state, feature) else error.message
    except DeltaResolverError as error:
        return error.message
    return None


def _what_forbids_commits(state: PlanState) -> str | None:
    """The features because of which nothing is committed here: nobody knows what they need, or it is not done."""
    strangers = ", ".join(sorted(unknown_features(state.protocol, state.catalog)))
    if strangers:
        return f"{strangers}, of which nothing is known here"
    unwritten = [each.name for each in state.catalog if each.support.is_refused(Task.WRITE)]
    found = ", ".join(sorted(name for name in unwritten if name in state.supported))
    return f"{found}, with which nothing is committed here" if found else None


def _users(state: PlanState, feature: TableFeature) -> str:
    if feature.trigger is None:
        return ""
    evidence = feature.trigger.evidence(TableView(state.metadata, state.supported - {feature.name}))
    return f" ({'; '.join(map(str, evidence))})" if evidence else ""


def dependents_of(state: PlanState, feature: TableFeature) -> list[str]:
    """The features that the table supports and that need this one."""
    return sorted(one.name for one in state.catalog if feature.name in one.requires and one.name in state.supported)


def is_rewritten(state: PlanState, feature: TableFeature) -> bool:
    """Whether the feature goes once files are written again, and there are some."""
    return feature.removal is not None and feature.removal.rewriting is not None and bool(state.examples)


def _drops(state: PlanState, feature: TableFeature) -> Iterator[Move]:
    removal = feature.removal
    if removal is None or why_kept(state, feature) is not None:
        return
    kind, plain, size = StepKind.DROP, state, Cost()
    try:
        unused(state, feature, removal)
    except FeatureInUseError:
        kind, plain = StepKind.DROP_REWRITING, attrs.evolve(state, examples=())
        size = Cost() if state.totals is None else Cost(bytes=state.totals.size, files=state.totals.files)
    after = attrs.evolve(unused(plain, feature, removal), examples=state.examples)
    purges = kind is StepKind.DROP_REWRITING and is_marked(state)
    if purges:
        after = purged(after)
    cost = size + Cost(steps=1, aborting=1)
    if removal.protects_before is not None:
        gone = _without_feature(after, feature, guarded=False)
        yield _step(state, StepKind.DROP_TRUNCATING, (feature.name,), gone, cost + Cost(truncations=1))
        return
    if not removal.protects_history:
        gone = _without_feature(after, feature, guarded=False)
        yield _step(state, kind, (feature.name,), gone, cost, purges=purges)
        return
    if _has_guard(state):
        gone = _without_feature(after, feature, guarded=True)
        yield _step(state, kind, (feature.name,), gone, cost, purges=purges)
    if kind is StepKind.DROP:
        gone = _without_feature(after, feature, guarded=False)
        yield _step(state, StepKind.DROP_TRUNCATING, (feature.name,), gone, cost + Cost(truncations=1))


def _has_guard(state: PlanState) -> bool:
    return any(one.removal is not None and one.removal.protects_before is not None for one in state.catalog)


def unused(state: PlanState, feature: TableFeature, removal: Removal) -> PlanState:
    """After the commits that end the use of a feature. Raises what its behaviour raises, and `FeatureInUseError`."""
    made: list[str] = []
    if removal.protects_before is not None:
        kept = {key: value for key, value in state.metadata.configuration.items() if key != removal.protects_before}
        state = attrs.evolve(state, metadata=state.metadata.with_configuration(kept))
    for _ in range(_MOST_COMMITS):
        wanted = removal_commit(feature, state.contents(), made)
        if wanted is None:
            break
        if wanted.metadata is not None:
            state = attrs.evolve(state, metadata=wanted.metadata)
        state = _with_actions(state, wanted.actions)
        made.append("PROTOCOL" if wanted.operation is None else wanted.operation.name)
    trace = find_trace(feature, removal, state.contents())
    if trace is not None:
        raise FeatureInUseError(f"{feature.name} is in use: {trace}.", details={"feature": feature.name})
    return state


def _with_actions(state: PlanState, actions: Iterable[object]) -> PlanState:
    files = {file.path: file for file in state.examples}
    domains = dict(state.domains)
    metadata = state.metadata
    for action in actions:
        if isinstance(action, Metadata):
            metadata = action
        elif isinstance(action, AddFile):
            files[action.path] = action
        elif isinstance(action, DomainMetadata) and action.removed:
            domains.pop(action.domain, None)
    examples = tuple(files[file.path] for file in state.examples)
    return attrs.evolve(state, metadata=metadata, examples=examples, domains=domains)


def _without_feature(state: PlanState, feature: TableFeature, *, guarded: bool) -> PlanState:
    assert feature.removal is not None
    gone = {key.lower() for key in feature.removal.drops_properties}
    configuration = {key: value for key, value in state.metadata.configuration.items() if key.lower() not in gone}
    protocol = state.protocol
    if guarded:
        guard, key = find_guard(state.catalog)
        configuration[key] = "0" if state.table_version is None else str(state.table_version + 1)
        protocol = with_feature(denormalized(protocol, state.catalog), guard.name, state.catalog)
    if feature.behaviour is not None:
        state = _with_actions(state, feature.behaviour.removal_actions(state.contents()))
    protocol = remove_feature(protocol, feature.name, state.catalog)
    metadata = state.metadata.with_configuration(configuration)
    after = attrs.evolve(state, protocol=protocol, metadata=metadata)
    return _with_facts(after, feature, checkpointed=feature.removal.protects_history)


def _with_facts(state: PlanState, feature: TableFeature, *, checkpointed: bool) -> PlanState:
    """What is known of the log after a drop: it leaves checkpoints that clients without the feature read."""
    facts = state.facts
    if feature.name == "deletionVectors":
        facts = attrs.evolve(facts, deletion_vectors=False)
    if checkpointed or feature.removal is None or feature.removal.protects_before is not None:
        v2 = "v2Checkpoint" in state.supported
        facts = attrs.evolve(facts, checkpoint=None if v2 else CheckpointForm.CLASSIC)
    if feature.removal is not None and feature.removal.protects_before is not None:
        facts = attrs.evolve(facts, commits_cleaned=True)
    if "domainMetadata" not in state.supported:
        return attrs.evolve(state, facts=attrs.evolve(facts, domains=frozenset()), domains=NO_DOMAINS)
    if facts.domains is not None:
        facts = attrs.evolve(facts, domains=frozenset(state.domains))
    return attrs.evolve(state, facts=facts)


def _step(
    state: PlanState, kind: StepKind, names: tuple[str, ...], after: PlanState, cost: Cost, *, purges: bool = False
) -> Move:
    return Step(kind, names, cost, after.protocol, state.location, state.totals is not None, purges), after
