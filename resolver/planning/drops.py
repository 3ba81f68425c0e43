"""Dropping a feature: why it cannot be dropped, and the table without it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import attrs

from deltaresolver.clients.table_facts import CheckpointForm
from deltaresolver.errors import DeltaResolverError, FeatureInUseError
from deltaresolver.log.checkpoint.understood import find_obstacle
from deltaresolver.model.actions import AddFile, DomainMetadata
from deltaresolver.model.catalog import FeatureCatalog
from deltaresolver.model.feature import Removal, TableFeature
from deltaresolver.model.metadata import Metadata
from deltaresolver.model.operation import Operation
from deltaresolver.model.view import TableView
from deltaresolver.planning.commits import what_forbids_commits, what_keeps_history, what_refuses_metadata
from deltaresolver.planning.state import NO_DOMAINS, PlanState
from deltaresolver.resolution.algebra import denormalized, remove_feature, with_feature
from deltaresolver.resolution.prepared import prepare
from deltaresolver.resolution.resolve import kept_relations
from deltaresolver.transaction.drop.removal import find_trace, removal_commit, without_stuck
from deltaresolver.transaction.drop.request import find_guard

_MAX_COMMITS = 8


def why_kept(state: PlanState, feature: TableFeature) -> str | None:
    """Why no step can drop a feature from this table now; None if one can."""
    stuck = what_forbids_commits(state)
    if stuck is not None:
        return f"{feature.name} stays while {stuck}"
    if feature.removal is None:
        return f"{feature.name} can never be dropped{_users(state, feature)}"
    dependents = dependents_of(state, feature)
    if dependents:
        return f"{feature.name} is needed by {', '.join(dependents)}"
    if feature.removal.protects_history:
        obstacle = find_obstacle(state.protocol, state.metadata, state.location or "the table", state.catalog)
        if obstacle is not None:
            return f"{feature.name} cannot go without a checkpoint: {obstacle}"
    if feature.removal.protects_before is not None:
        kept = what_keeps_history(state)
        if kept is not None:
            return f"{feature.name} cannot go while history stays: {kept}"
    try:
        # Where files are rewritten first, no file keeps the feature from being dropped.
        looked_at = attrs.evolve(state, examples=()) if is_rewritten(state, feature) else state
        plain = unused(looked_at, feature, feature.removal)
    except DeltaResolverError as error:
        return error.message
    after = without_feature(plain, feature, guarded=False)
    refusal = what_refuses_metadata(after)
    return _broken_by(state, after) if refusal is None else f"{feature.name} stays: {refusal}"


def _broken_by(state: PlanState, after: PlanState) -> str | None:
    """The relation between features that a table satisfies before a step and not after it; None without one."""
    if not prepare(state.catalog).restricting:
        return None
    before = kept_relations(state.metadata, state.protocol, state.catalog)
    broken = kept_relations(after.metadata, after.protocol, after.catalog)
    return next((f"{one}: {one.fix.rstrip('.')}" for one in broken if one not in before), None)


def _users(state: PlanState, feature: TableFeature) -> str:
    if feature.trigger is None:
        return ""
    evidence = feature.trigger.evidence(TableView(state.metadata, state.supported - {feature.name}))
    return f" ({'; '.join(map(str, evidence))})" if evidence else ""


def dependents_of(state: PlanState, feature: TableFeature) -> list[str]:
    """The features that the table supports and that need this one."""
    return sorted(one.name for one in state.catalog if feature.name in one.requires and one.name in state.supported)


def is_rewritten(state: PlanState, feature: TableFeature) -> bool:
    """Whether dropping the feature needs files to be rewritten, and the table has files."""
    return feature.removal is not None and feature.removal.rewriting is not None and bool(state.examples)


def unused(state: PlanState, feature: TableFeature, removal: Removal) -> PlanState:
    """The state after commits that end the use of a feature. Raises as its behaviour, and `FeatureInUseError`."""
    made: list[str] = []
    if removal.protects_before is not None:
        kept = {key: value for key, value in state.metadata.configuration.items() if key != removal.protects_before}
        state = attrs.evolve(state, metadata=state.metadata.with_configuration(kept))
    for _ in range(_MAX_COMMITS):
        wanted = removal_commit(feature, state.contents(), made)
        if wanted is None:
            break
        if wanted.metadata is not None:
            state = attrs.evolve(state, metadata=wanted.metadata)
        state = _with_actions(state, tuple(wanted.actions))
        made.append("PROTOCOL" if wanted.operation is None else wanted.operation.name)
    trace = find_trace(feature, removal, state.contents())
    if trace is not None:
        raise FeatureInUseError(f"{feature.name} is in use: {trace}.", details={"feature": feature.name})
    return state


class _Watched(tuple[AddFile, ...]):  # noqa: SLOT001 - it notes something
    """An empty list of files that records whether it was read."""

    looked = False

    def __iter__(self) -> Iterator[AddFile]:
        self.looked = True
        return super().__iter__()

    def __len__(self) -> int:
        self.looked = True
        return super().__len__()


def files_matter(state: PlanState) -> bool:
    """Whether drops and their prices depend on the table's files; `state` is the table without them."""
    for feature in state.catalog:
        if feature.removal is None or feature.name not in state.supported:
            continue
        if feature.traces.file_tags:
            return True
        watched = _Watched()
        alone = attrs.evolve(state, examples=watched)
        try:
            alone = unused(alone, feature, feature.removal)
            if feature.behaviour is not None:
                tuple(feature.behaviour.removal_actions(alone.contents()))
        except FeatureInUseError:
            if feature.removal.rewriting is not None:
                return True
        except DeltaResolverError:
            pass
        if watched.looked:
            return True
    return False


def metadata_without(state: PlanState, feature: str) -> Metadata:
    """The metadata after which nothing uses the feature, for rewriting all files. Raises as a drop does."""
    known = state.catalog.get(feature)
    assert known.removal is not None
    return unused(attrs.evolve(state, examples=()), known, known.removal).metadata


def rewriting(catalog: FeatureCatalog, feature: str) -> Operation:
    """The operation that rewrites all files so that nothing uses the feature; the feature must have one."""
    removal = catalog.get(feature).removal
    assert removal is not None
    assert removal.rewriting is not None
    return removal.rewriting


def protection(state: PlanState) -> tuple[str, str]:
    """The property that protects history, and the table version up to which it would protect from now on."""
    _, key = find_guard(state.catalog)
    return key, "0" if state.table_version is None else str(state.table_version + 1)


def without_feature(state: PlanState, feature: TableFeature, *, guarded: bool) -> PlanState:
    """The state after the commit that drops a feature; `guarded` where history is kept and protected."""
    assert feature.removal is not None
    gone = {key.lower() for key in feature.removal.drops_properties}
    plain = without_stuck(state.metadata).configuration
    configuration = {key: value for key, value in plain.items() if key.lower() not in gone}
    protocol = state.protocol
    if guarded:
        guard, _ = find_guard(state.catalog)
        configuration.update([protection(state)])
        protocol = with_feature(denormalized(protocol, state.catalog), guard.name, state.catalog)
    if feature.behaviour is not None:
        state = _with_actions(state, tuple(feature.behaviour.removal_actions(state.contents())))
    protocol = remove_feature(protocol, feature.name, state.catalog)
    metadata = state.metadata.with_configuration(configuration)
    after = attrs.evolve(state, protocol=protocol, metadata=metadata)
    return _with_facts(after, feature, checkpointed=feature.removal.protects_history)


def _with_actions(state: PlanState, actions: Sequence[object]) -> PlanState:
    if not actions:
        return state
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


def _with_facts(state: PlanState, feature: TableFeature, *, checkpointed: bool) -> PlanState:
    """The state with the facts after a drop, which writes checkpoints that clients without the feature can read."""
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
