"""The steps that can be taken from a state, each with the state after it."""

from __future__ import annotations

from collections.abc import Iterator

import attrs

from deltaresolver.errors import DeltaResolverError, FeatureInUseError
from deltaresolver.model.feature import TableFeature
from deltaresolver.model.metadata import Metadata
from deltaresolver.model.rules import PropertyEvidence
from deltaresolver.model.view import TableView
from deltaresolver.planning.commits import what_forbids_commits, what_keeps_history, what_refuses_metadata
from deltaresolver.planning.drops import unused, why_kept, without_feature
from deltaresolver.planning.state import PlanState
from deltaresolver.planning.steps import Cost, Step, StepKind
from deltaresolver.resolution.instructions import FEATURE_PREFIX, without_instructions
from deltaresolver.resolution.prepared import prepare
from deltaresolver.resolution.resolve import resolve_upgrade
from deltaresolver.transaction.operation import operation

REORG = operation("REORG", {"predicate": "[]", "applyPurge": True})
KEPT_PROPERTIES = frozenset(("delta.columnmapping.mode",))
"""Properties that no ALTER TABLE here takes away."""

Move = tuple[Step, PlanState]


def moves(state: PlanState) -> Iterator[Move]:
    """Every step that can be taken now, in a fixed order; no step where nothing can be committed."""
    if what_forbids_commits(state) is not None:
        return
    for feature in _supported(state):
        yield from _unsets(state, feature)
        yield from _drops(state, feature)
    yield from _purges(state)
    yield from _additions(state)


def find_move(state: PlanState, kind: StepKind, names: tuple[str, ...]) -> Move | None:
    """The first of `moves` with this kind and these names, without working out the other steps."""
    if what_forbids_commits(state) is not None:
        return None
    if kind is StepKind.PURGE:
        found = _purges(state)
    elif kind is StepKind.ADD:
        found = _additions(state)
    elif kind is StepKind.UNSET:
        found = (move for feature in _supported(state) for move in _unsets(state, feature, only=names))
    else:
        found = (move for feature in _supported(state) if feature.name in names for move in _drops(state, feature))
    return next((move for move in found if (move[0].kind, move[0].names) == (kind, names)), None)


def _supported(state: PlanState) -> list[TableFeature]:
    supported = state.supported
    return [feature for feature in sorted(state.catalog, key=lambda one: one.name) if feature.name in supported]


# --- properties ---------------------------------------------------------------------------------


def switches(state: PlanState, feature: TableFeature) -> tuple[str, ...]:
    """The properties that enable a feature in this table."""
    if feature.trigger is None:
        return ()
    view = TableView(state.metadata, state.supported - {feature.name})
    found = [one.key for one in feature.trigger.evidence(view) if isinstance(one, PropertyEvidence)]
    return tuple(sorted(key for key in found if key.lower() not in KEPT_PROPERTIES))


def _unsets(state: PlanState, feature: TableFeature, only: tuple[str, ...] | None = None) -> Iterator[Move]:
    keys = switches(state, feature)
    if not keys or only not in {None, keys}:
        return
    kept = {key: value for key, value in state.metadata.configuration.items() if key not in keys}
    after = _altered(state, state.metadata.with_configuration(kept))
    if after is not None:
        yield _step(state, StepKind.UNSET, keys, after, Cost(steps=1, given_up=len(keys)))


def _altered(state: PlanState, metadata: Metadata) -> PlanState | None:
    """The state after ALTER TABLE; None where the resolver or a rule for metadata refuses it."""
    try:
        protocol = resolve_upgrade(metadata, state.protocol, state.catalog, before=state.metadata).protocol
    except DeltaResolverError:
        return None
    plain = metadata.with_configuration(without_instructions(metadata.configuration))
    after = attrs.evolve(state, protocol=protocol, metadata=plain)
    return after if what_refuses_metadata(after) is None else None


# --- adding features that a legacy version needs ------------------------------------------------


def missing_for_numbers(state: PlanState) -> Iterator[tuple[tuple[int, int], tuple[str, ...]]]:
    """Legacy versions that imply more than the table supports, with the missing features; the fewest missing first."""
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
    """The state after rewriting the files with deletion vectors without the deleted rows."""
    if not is_marked(state):
        return state
    plain = tuple(attrs.evolve(file, deletion_vector=None) for file in state.examples)
    totals = None if state.totals is None else attrs.evolve(state.totals, marked_files=0, marked_size=0)
    facts = attrs.evolve(state.facts, deletion_vectors=False)
    return attrs.evolve(state, examples=plain, facts=facts, totals=totals)


# --- dropping -----------------------------------------------------------------------------------


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
        gone = without_feature(after, feature, guarded=False)
        yield _step(state, StepKind.DROP_TRUNCATING, (feature.name,), gone, cost + Cost(truncations=1))
        return
    if not removal.protects_history:
        gone = without_feature(after, feature, guarded=False)
        yield _step(state, kind, (feature.name,), gone, cost, purges=purges)
        return
    if _has_guard(state):
        gone = without_feature(after, feature, guarded=True)
        yield _step(state, kind, (feature.name,), gone, cost, purges=purges)
    if kind is StepKind.DROP and what_keeps_history(state) is None:
        gone = without_feature(after, feature, guarded=False)
        yield _step(state, StepKind.DROP_TRUNCATING, (feature.name,), gone, cost + Cost(truncations=1))


def _has_guard(state: PlanState) -> bool:
    return any(one.removal is not None and one.removal.protects_before is not None for one in state.catalog)


def _step(
    state: PlanState, kind: StepKind, names: tuple[str, ...], after: PlanState, cost: Cost, *, purges: bool = False
) -> Move:
    return Step(kind, names, cost, after.protocol, state.location, state.totals is not None, purges), after
