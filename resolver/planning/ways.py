"""Ways found once for all tables that differ in nothing a step can tell: an audit asks for many plans.

Sizes decide only between ways that rewrite files. So a way that rewrites none holds for every table that is equal but
for the sizes of its files, as long as the same kinds of files are there; and so does that there is no way.
"""

from __future__ import annotations

import attrs

from deltaresolver.planning.kept_acts import KeptActs
from deltaresolver.planning.moves import moves
from deltaresolver.planning.search import Limits, cheapest_way
from deltaresolver.planning.state import FileCounts, PlanState
from deltaresolver.planning.steps import Step
from deltaresolver.planning.targets import Target

_Names = tuple[tuple[object, tuple[str, ...]], ...]
MOST = 5_000
"""Ways that are remembered; a lake with more kinds of tables has few that are alike."""


@attrs.define(eq=False)
class Ways:
    """Searches within limits, and what they found. Clients that are kept must be the same for all of them."""

    limits: Limits
    searched: int = 0
    _found: dict[tuple[object, ...], _Names | None] = attrs.field(factory=dict, init=False)

    def find(self, state: PlanState, target: Target, kept: KeptActs) -> tuple[Step, ...] | None:
        """The steps of the cheapest way on which nobody loses anything; None if there is none within the limits."""
        kind = (*_alike(state), str(target))
        for key in ((*kind, None), (*kind, state.totals)):
            if key in self._found:
                names = self._found[key]
                return None if names is None else _steps(state, names)
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
        return found.steps


def _alike(state: PlanState) -> tuple[object, ...]:
    """Equal for tables between which only sizes, paths and places make a difference."""
    *rest, examples = state.key
    assert isinstance(examples, tuple)
    return (*rest, tuple((marked, row_id is not None) for _, marked, row_id in examples), _has_files(state.totals))


def _has_files(totals: FileCounts | None) -> tuple[bool, ...] | None:
    if totals is None:
        return None
    return totals.files > 0, totals.size > 0, totals.marked_files > 0, totals.marked_size > 0


def _steps(state: PlanState, names: _Names) -> tuple[Step, ...]:
    """The same steps from this state, with what they cost here."""
    found = []
    for wanted in names:
        step, state = next((step, after) for step, after in moves(state) if (step.kind, step.names) == wanted)
        found.append(step)
    return tuple(found)


def walked(state: PlanState, steps: tuple[Step, ...]) -> PlanState:
    """Where the steps lead."""
    for wanted in steps:
        state = next(after for step, after in moves(state) if (step.kind, step.names) == (wanted.kind, wanted.names))
    return state
