"""Find the cheapest way to a target: a search over the states that steps lead to, optimal and not greedy.

It is A*: states are visited in the order of the least cost of a way through them, that is the steps so far plus a
lower bound for what the target still needs removed. Of ways with equal cost only the first by kind and name is
continued, so steps that do not depend on each other are not tried in every order.
"""

from __future__ import annotations

import heapq
import itertools
import time
from collections.abc import Callable, Iterator

import attrs

from deltaresolver.planning.bound import Needs, needs_of
from deltaresolver.planning.moves import Move, moves
from deltaresolver.planning.state import PlanState
from deltaresolver.planning.steps import Cost, Step, StepKind
from deltaresolver.planning.targets import Target
from deltaresolver.value import Printable, Value

MAX_STATES = 50_000
MAX_SECONDS = 30.0
"""Only goals about clients, and plugins with dozens of features, come near a limit; the plan then reports that."""
_ORDER = {kind: place for place, kind in enumerate(StepKind)}
_LAST = (StepKind.UNSET, StepKind.PURGE)
_Rank = tuple[tuple[int, tuple[str, ...]], ...]


@attrs.frozen(slots=True, eq=False)
class Found(Printable):
    """The result of a search: the way, if there is one; else what the search has seen."""

    steps: tuple[Step, ...] | None
    end: PlanState
    """The state reached; where there is no way, the least demanding one that can be reached."""
    never_gone: frozenset[str] = frozenset()
    """Features that every reachable state supports."""
    limit: str | None = None
    """The limit that ended the search before every reachable state was visited: then a missing way proves nothing."""

    @property
    def complete(self) -> bool:
        """Whether every state that could have led to the target was visited."""
        return self.limit is None


@attrs.frozen(slots=True)
class Limits(Value):
    """How many states, and for how long, a search visits before it gives up."""

    states: int = MAX_STATES
    seconds: float = MAX_SECONDS
    clock: Callable[[], float] = time.process_time


LIMITS = Limits()


def cheapest_way(
    start: PlanState, target: Target, limits: Limits = LIMITS, allow: Callable[[PlanState], bool] | None = None
) -> Found:
    """The way of least `Cost`; of equal ones that whose steps come first by kind and name.

    With `allow`, only ways of which it allows every state.
    """
    hopeless = _hopeless(start, target)
    if hopeless is not None:
        return hopeless
    ends = limits.clock() + limits.seconds
    places = itertools.count()
    first = needs_of(start, target)
    heap: list[tuple[Cost, _Rank, int, Cost, tuple[Step, ...], PlanState, Needs]] = [
        (first.least, (), next(places), Cost(), (), start, first)
    ]
    best: dict[tuple[object, ...], Cost] = {}
    least, never_gone = start, start.supported
    while heap:
        _, rank, _, cost, steps, state, needs = heapq.heappop(heap)
        # A way never needs a second truncation, but which steps may follow depends on whether the first is done.
        key = (state.key, cost.truncations if allow is None else 0)
        if key in best and best[key] <= cost:
            continue
        best[key] = cost
        if target.is_met(state):
            return Found(steps, state)
        if len(best) >= limits.states:
            return Found(None, least, never_gone, f"{limits.states:,} states")
        if limits.clock() > ends:
            return Found(None, least, never_gone, f"{limits.seconds:g} seconds")
        never_gone &= state.supported
        least = min(least, state, key=_demanding)
        for step, after in _steps(state, cost, needs, allow):
            so_far, beyond = cost + step.cost, needs_of(after, target)
            place = (_ORDER[step.kind], step.names)
            entry = (so_far + beyond.least, (*rank, place), next(places), so_far, (*steps, step), after, beyond)
            heapq.heappush(heap, entry)
    return Found(None, least, never_gone)


def _steps(state: PlanState, cost: Cost, needs: Needs, allow: Callable[[PlanState], bool] | None) -> Iterator[Move]:
    """The steps from a state, without those that no cheapest way takes.

    Two truncations cost more than dropping with checkpointProtection and cutting history once at the end. A property
    matters only to clients, or where it keeps a feature from being dropped. With `allow`, checkpointProtection may not
    be allowed, and then history is cut for each feature.
    """
    protects = allow is None and _can_protect(state)
    for step, after in moves(state):
        if step.cost.truncations and cost.truncations and protects:
            continue
        if needs.allow(step, state) and (allow is None or allow(after)):
            yield step, after


def _can_protect(state: PlanState) -> bool:
    return any(one.removal is not None and one.removal.protects_before is not None for one in state.catalog)


def _demanding(state: PlanState) -> tuple[int, int]:
    return len(state.supported), len(state.needs.demands)


def _hopeless(start: PlanState, target: Target) -> Found | None:
    """The result without a search where the target needs something removed that no step removes; None otherwise.

    Dropping one feature never makes another one stay, so taking every step that removes something leads to the least
    demanding state.
    """
    needed = needs_of(start, target).features
    if not needed:
        return None
    state = least_demanding(start)
    if needed.isdisjoint(state.supported):
        return None
    return Found(None, state, start.supported & state.supported)


def least_demanding(start: PlanState) -> PlanState:
    """The state after every drop that can be made, with the steps that the drops need."""
    state = start
    while True:
        taken = [(step, after) for step, after in moves(state) if step.kind is not StepKind.ADD]
        # With checkpointProtection first: that feature is dropped last, together with the history.
        taken.sort(key=lambda move: (move[0].kind in _LAST, move[0].kind is StepKind.DROP_TRUNCATING))
        if not taken:
            return state
        state = taken[0][1]
