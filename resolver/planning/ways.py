"""Ways found once for all tables that differ in nothing a step can tell: an audit asks for many plans.

Sizes decide only between ways that rewrite files. So a way that rewrites none holds for every table that is equal but
for the sizes of its files, as long as the same kinds of files are there; and so does that there is no way.
"""

from __future__ import annotations

from collections.abc import Iterator

import attrs

from deltaresolver.planning.drops import files_matter
from deltaresolver.planning.kept_acts import KeptActs
from deltaresolver.planning.moves import find_move, moves
from deltaresolver.planning.search import Limits, cheapest_way, least_demanding
from deltaresolver.planning.state import FileCounts, PlanState
from deltaresolver.planning.steps import Step, StepKind
from deltaresolver.planning.targets import Target

_Names = tuple[tuple[StepKind, tuple[str, ...]], ...]
MOST = 5_000
"""Ways that are remembered; a lake with more kinds of tables has few that are alike."""


@attrs.frozen(slots=True, eq=False)
class Way:
    """Steps, and where they lead."""

    steps: tuple[Step, ...]
    end: PlanState


@attrs.define(eq=False)
class Ways:
    """Searches within limits, and what they found. Clients that are kept must be the same for all of them."""

    limits: Limits
    searched: int = 0
    _found: dict[tuple[object, ...], _Names | None] = attrs.field(factory=dict, init=False)
    _settled: dict[tuple[object, ...], bool] = attrs.field(factory=dict, init=False)

    def find(self, state: PlanState, target: Target, kept: KeptActs) -> Way | None:
        """The cheapest way on which nobody loses anything; None if there is none within the limits."""
        kind = (*_alike(state), str(target))
        for key in ((*kind, None), (*kind, state.totals)):
            if key in self._found:
                names = self._found[key]
                return None if names is None else _way(state, names)
        self.searched += 1
        found = cheapest_way(state, target, self.limits, allow=kept.allow)
        if len(self._found) >= MOST:
            self._found.clear()
        if found.steps is None:
            # A search that was ended for the time it took proves nothing about the next table.
            if found.complete:
                self._found[(*kind, None)] = None
            return None
        sizes = state.totals if any(step.kind.rewrites for step in found.steps) else None
        self._found[(*kind, sizes)] = tuple((step.kind, step.names) for step in found.steps)
        return Way(found.steps, found.end)

    def needs_files(self, state: PlanState) -> bool:
        """Whether the files of a table can make a difference to any way; `state` is the table without them."""
        key = ("files", *state.key)
        found = self._settled.get(key)
        return self._remember(key, files_matter(state)) if found is None else found

    def may_be_met(self, state: PlanState, target: Target) -> bool:
        """Whether one of the least demanding states meets a target about a client: if none does, no other will.

        A search for what cannot be found goes through every state; this settles most questions.
        """
        key = (*_alike(state), str(target))
        found = self._settled.get(key)
        return self._remember(key, any(map(target.is_met, _least_demanding(state)))) if found is None else found

    def _remember(self, key: tuple[object, ...], found: bool) -> bool:
        if len(self._settled) >= MOST:
            self._settled.clear()
        self._settled[key] = found
        return found


def _least_demanding(state: PlanState) -> Iterator[PlanState]:
    least = least_demanding(state)
    yield least
    yield from (after for step, after in moves(least) if step.kind is StepKind.ADD)


def _alike(state: PlanState) -> tuple[object, ...]:
    """Equal for tables between which only sizes, paths and places make a difference."""
    *rest, examples = state.key
    assert isinstance(examples, tuple)
    return (*rest, tuple((marked, row_id is not None) for _, marked, row_id in examples), _has_files(state.totals))


def _has_files(totals: FileCounts | None) -> tuple[bool, ...] | None:
    if totals is None:
        return None
    return totals.files > 0, totals.size > 0, totals.marked_files > 0, totals.marked_size > 0


def _way(state: PlanState, names: _Names) -> Way:
    """The same steps from this state, with what they cost here."""
    found = []
    for kind, wanted in names:
        move = find_move(state, kind, wanted)
        assert move is not None, (kind, wanted)
        step, state = move
        found.append(step)
    return Way(tuple(found), state)
