"""The cheapest way to a target: uniform-cost search over the states that steps lead to, so optimal and not greedy."""

from __future__ import annotations

import heapq
import itertools

import attrs

from deltaresolver.planning.moves import moves, why_kept
from deltaresolver.planning.plan_state import PlanState
from deltaresolver.planning.steps import Cost, Step, StepKind
from deltaresolver.planning.targets import ClientTarget, Target

MOST_STATES = 50_000
"""More states than a table with every droppable feature has; a catalog beyond that is told so."""
_ORDER = {kind: place for place, kind in enumerate(StepKind)}
_Rank = tuple[tuple[int, tuple[str, ...]], ...]


@attrs.frozen(slots=True, eq=False)
class Found:
    """The end of a search: the way, if there is one; else what was seen on the way nowhere."""

    steps: tuple[Step, ...] | None
    end: PlanState
    """The state reached; where there is no way, the least demanding one that can be reached."""
    never_gone: frozenset[str] = frozenset()
    """Features that every reachable state supports."""
    complete: bool = True
    """Whether every reachable state was looked at; without that, nothing found proves nothing."""


def cheapest_way(start: PlanState, target: Target, most_states: int = MOST_STATES) -> Found:
    """The way of least `Cost`; of equals the one whose steps come first by kind and name."""
    places = itertools.count()
    heap: list[tuple[Cost, _Rank, int, tuple[Step, ...], PlanState]] = [(Cost(), (), next(places), (), start)]
    seen: set[tuple[object, ...]] = set()
    least, never_gone = start, start.supported
    while heap:
        cost, rank, _, steps, state = heapq.heappop(heap)
        # The second truncation of a way is never needed, but whether the first is behind decides what may follow.
        key = (state.key, cost.truncations)
        if key in seen:
            continue
        seen.add(key)
        if target.is_met(state):
            return Found(steps, state)
        if len(seen) >= most_states:
            return Found(None, least, never_gone, complete=False)
        never_gone &= state.supported
        least = min(least, state, key=lambda one: (len(one.supported), len(one.needs.demands)))
        for step, after in moves(state):
            if not _may_help(step, cost, state, target):
                continue
            place = (_ORDER[step.kind], step.names)
            heapq.heappush(heap, (cost + step.cost, (*rank, place), next(places), (*steps, step), after))
    return Found(None, least, never_gone)


def _may_help(step: Step, cost: Cost, state: PlanState, target: Target) -> bool:
    """Leaves out steps that no cheapest way takes.

    Two truncations cost more than dropping under protection and cutting history once at the end. And a property
    matters only to clients, or where it keeps a feature from being dropped.
    """
    if step.cost.truncations and cost.truncations and _can_protect(state):
        return False
    if step.kind is not StepKind.UNSET or any(isinstance(goal, ClientTarget) for goal in target.goals):
        return True
    return any(
        feature.removal is not None and why_kept(state, feature) is not None
        for feature in state.catalog
        if feature.name in state.supported
    )


def _can_protect(state: PlanState) -> bool:
    return any(one.removal is not None and one.removal.protects_before is not None for one in state.catalog)
