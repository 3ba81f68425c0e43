"""Why no plan reaches a target: the property, column or feature that cannot be removed."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from deltaresolver.clients.table_needs import feature_of
from deltaresolver.planning.drops import why_kept
from deltaresolver.planning.kept_acts import KeptActs
from deltaresolver.planning.moves import moves
from deltaresolver.planning.search import Found, Limits, cheapest_way
from deltaresolver.planning.state import PlanState
from deltaresolver.planning.targets import ClientTarget, Goal, ProtocolTarget, Target, WithoutFeature
from deltaresolver.resolution.explain.phrases import pair


def reasons_against(target: Target, found: Found) -> tuple[str, ...]:
    """One sentence for each goal that the least demanding reachable state does not meet."""
    if not found.complete:
        return (f"the search stopped after {found.limit} without finding a way; there may still be one",)
    missed = [goal for goal in target.goals if not goal.is_met(found.end)]
    told = [reason for goal in missed for reason in _against(goal, found)]
    if not told:
        told = [f"each goal can be reached, but not together: {target}"]
    return tuple(dict.fromkeys(told))


def harm_of_every_way(start: PlanState, target: Target, kept: KeptActs, limits: Limits) -> tuple[str, ...]:
    """The clients that the cheapest plan would lock out, where only clients to keep prevent it; else nothing."""
    found = cheapest_way(start, target, limits)
    state = start
    for wanted in found.steps or ():
        state = next(after for step, after in moves(state) if (step.kind, step.names) == (wanted.kind, wanted.names))
        losses = list(kept.losses(state.needs))
        if losses:
            told = {f"to {wanted.title} would lock out {client}: {verdict.reason}": 0 for client, _, verdict in losses}
            return tuple(told)
    return ()


def _against(goal: Goal, found: Found) -> Iterator[str]:
    state = found.end
    if isinstance(goal, WithoutFeature):
        yield from kept_because(state, (goal.feature,))
    elif isinstance(goal, ProtocolTarget):
        stuck = sorted(goal.beside(state) & found.never_gone)
        yield from kept_because(state, stuck)
        if not stuck:
            yield f"the lowest protocol that can be reached is {pair(state.protocol)}, and {goal.protocol} is lower"
    elif isinstance(goal, ClientTarget):
        for verdict in goal.verdicts(state):
            if not verdict.works:
                yield f"{goal.client} {verdict.outcome.value} to {verdict.act.value}: {verdict.reason}"
                about = verdict.feature or feature_of(verdict.demand or "")
                yield from kept_because(state, _at_fault(about, verdict.demand or "", found))


def _at_fault(about: str | None, demand: str, found: Found) -> list[str]:
    """The remaining features that cause a demand: the one it is about, else those that require the version."""
    if about is not None:
        return [about] if about in found.never_gone else []
    side, _, number = demand.partition(":")
    if side not in ("reader", "writer") or not number.isdigit():
        return []
    known = [feature for feature in map(found.end.catalog.find, sorted(found.never_gone)) if feature is not None]
    return [
        feature.name
        for feature in known
        if (feature.min_reader_version if side == "reader" else feature.min_writer_version) >= int(number)
    ]


def kept_because(state: PlanState, features: Iterable[str]) -> Iterator[str]:
    """The certain reason for each remaining feature, and for those that need it."""
    for name in features:
        feature = state.catalog.find(name)
        if feature is None:
            yield f"{name} is unknown here, so no way to drop it is known"
            continue
        reason = why_kept(state, feature)
        yield reason or f"{name} stays"
        if feature.removal is not None:
            needing = [one.name for one in state.catalog if name in one.requires and one.name in state.supported]
            yield from kept_because(state, sorted(needing))
