"""What a goal needs removed, and a lower bound for the cost of the remaining steps, which keeps a search small."""

from __future__ import annotations

from collections.abc import Iterable

import attrs

from deltaresolver.errors import DeltaResolverError, FeatureInUseError
from deltaresolver.model.feature import TableFeature
from deltaresolver.planning.drops import dependents_of, is_rewritten, unused, why_kept
from deltaresolver.planning.moves import is_marked, missing_for_numbers, purged, switches
from deltaresolver.planning.state import PlanState
from deltaresolver.planning.steps import Cost, Step, StepKind
from deltaresolver.planning.targets import ClientTarget, ProtocolTarget, Purged, Target, WithoutFeature
from deltaresolver.resolution.prepared import prepare
from deltaresolver.value import Printable


@attrs.frozen(slots=True, eq=False)
class Needs(Printable):
    """What has to be removed from a state before a target can be met, as far as the goals show."""

    features: frozenset[str]
    """The features that every way drops: those the goals exclude, and those that need them."""
    stuck: tuple[TableFeature, ...]
    """The features among them that no other one needs and that no step can drop now."""
    least: Cost
    """The lower bound: no way costs less."""
    asks_clients: bool
    """Whether a goal is about a client; then any step may help."""

    def allow(self, step: Step, state: PlanState) -> bool:
        """Whether a cheapest plan may begin with this step."""
        if self.asks_clients or not self.features:
            return True
        if step.kind is StepKind.UNSET:
            wanted = [switches(state, feature) for feature in self.stuck]
            return step.names in wanted or (bool(wanted) and not all(wanted))
        return bool(self.stuck) or step.kind is StepKind.PURGE or not self.features.isdisjoint(step.names)


def needs_of(state: PlanState, target: Target) -> Needs:
    """What the remaining steps must do at least."""
    excluded = _excluded(state, target)
    features = _with_dependents(state, excluded)
    known = [feature for feature in map(state.catalog.find, sorted(features)) if feature is not None]
    free = [feature for feature in known if not dependents_of(state, feature)]
    stuck = tuple(feature for feature in free if why_kept(state, feature) is not None)
    least = _drops(state, target, known) + _additions(state, target, features)
    for keys in _disjoint(switches(state, feature) for feature in stuck):
        least += Cost(steps=1, given_up=len(keys))
    asks_clients = any(isinstance(goal, ClientTarget) for goal in target.goals)
    return Needs(features, stuck, least + _files(state, target, known, stuck), asks_clients)


def _excluded(state: PlanState, target: Target) -> frozenset[str]:
    found: set[str] = set()
    for goal in target.goals:
        if isinstance(goal, WithoutFeature) and not goal.is_met(state):
            found.add(goal.feature)
        elif isinstance(goal, ProtocolTarget):
            found |= goal.beside(state)
    return frozenset(found)


def _with_dependents(state: PlanState, names: frozenset[str]) -> frozenset[str]:
    if not names:
        return names
    closures = prepare(state.catalog).closures
    supported = [name for name in state.supported if name in closures]
    return names.union(name for name in supported if not names.isdisjoint(closures[name]))


def _drops(state: PlanState, target: Target, features: list[TableFeature]) -> Cost:
    """The cost of dropping features: one step each, and cutting history where checkpointProtection must go too."""
    count = len(features)
    guard = next((one for one in state.catalog if one.removal is not None and one.removal.protects_before), None)
    if guard is None or not _is_excluded(guard.name, state, target):
        return Cost(steps=count, aborting=count)
    protecting = [one for one in features if one.removal is not None and one.removal.protects_history]
    if guard.name in state.supported:
        return Cost(truncations=1, steps=count, aborting=count)
    if not protecting:
        return Cost(steps=count, aborting=count)
    is_alone = len(protecting) == 1 and not _rewrites(state, protecting[0])
    count += 0 if is_alone else 1
    return Cost(truncations=1, steps=count, aborting=count)


def _is_excluded(name: str, state: PlanState, target: Target) -> bool:
    """Whether a goal rules this feature out."""
    for goal in target.goals:
        if isinstance(goal, WithoutFeature) and goal.feature == name:
            return True
        if isinstance(goal, ProtocolTarget):
            wanted = goal.protocol
            if name not in prepare(state.catalog).supported(wanted) | wanted.listed_features:
                return True
    return False


def _additions(state: PlanState, target: Target, gone: frozenset[str]) -> Cost:
    """The cost of adding features, where the goal needs a legacy version and the remaining features are fewer."""
    versions = [goal.protocol for goal in target.goals if isinstance(goal, ProtocolTarget)]
    numbered = [one for one in versions if not one.lists_writer_features]
    if not numbered or not state.protocol.lists_writer_features:
        return Cost()
    prepared = prepare(state.catalog)
    rest = prepared.lowest_protocol(prepared.known(state.supported) - gone)
    if not rest.lists_writer_features:
        return Cost()
    missing = [len(names) for _, names in missing_for_numbers(attrs.evolve(state, protocol=rest))]
    return Cost(steps=1, given_up=min(missing)) if missing else Cost()


def _files(state: PlanState, target: Target, features: list[TableFeature], stuck: tuple[TableFeature, ...]) -> Cost:
    """The cost of files that have to be rewritten: all of them for some features, or those with deletion vectors."""
    size = Cost() if state.totals is None else Cost(bytes=state.totals.size, files=state.totals.files)
    rewriting = [feature for feature in features if _rewrites(state, feature)]
    found = Cost()
    for _ in rewriting:
        found += size
    if rewriting or not is_marked(state):
        return found
    without = purged(state)
    wants_purge = any(isinstance(goal, Purged) for goal in target.goals)
    if wants_purge or any(why_kept(without, feature) is None for feature in stuck):
        marked = state.totals
        found += Cost() if marked is None else Cost(bytes=marked.marked_size, files=marked.marked_files)
        found += Cost(steps=1, aborting=1)
    return found


def _rewrites(state: PlanState, feature: TableFeature) -> bool:
    if feature.removal is None or not is_rewritten(state, feature):
        return False
    try:
        unused(state, feature, feature.removal)
    except FeatureInUseError:
        return True
    except DeltaResolverError:
        return False
    return False


def _disjoint(keys: Iterable[tuple[str, ...]]) -> list[tuple[str, ...]]:
    """A selection of the groups of properties in which no two share a property, without empty groups."""
    found: list[tuple[str, ...]] = []
    for group in keys:
        if group and all(set(group).isdisjoint(other) for other in found):
            found.append(group)
    return found
