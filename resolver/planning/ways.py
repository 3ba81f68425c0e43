"""Find each way once for all tables that are the same to every step, since an audit makes many plans.

Sizes matter only between ways that rewrite files. So a way that rewrites none also holds for every table that differs
only in the sizes of its files and has the same kinds of files. The same is true where there is no way.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial

import attrs

from deltaresolver.model.actions import AddFile
from deltaresolver.planning.drops import files_matter, protection
from deltaresolver.planning.kept_acts import KeptActs
from deltaresolver.planning.moves import moves
from deltaresolver.planning.search import Limits, cheapest_way, least_demanding
from deltaresolver.planning.state import PlanState
from deltaresolver.planning.steps import Step, StepKind
from deltaresolver.planning.targets import Target
from deltaresolver.value import Printable

MOST = 5_000
"""The limit for remembered ways; in a lake with more kinds of tables few tables are alike."""


@attrs.frozen(slots=True, eq=False)
class Way(Printable):
    """Steps, and the state after them."""

    steps: tuple[Step, ...]
    end: PlanState


@attrs.frozen(slots=True, eq=False)
class _Remembered(Printable):
    """A way, and the table it was found for."""

    start: PlanState
    way: Way


@attrs.define(eq=False)
class Ways(Printable):
    """Searches within limits, and their results. The clients to keep must be the same for all searches."""

    limits: Limits
    searched: int = 0
    _found: dict[tuple[object, ...], _Remembered | None] = attrs.field(factory=dict, init=False)
    _settled: dict[tuple[object, ...], bool] = attrs.field(factory=dict, init=False)

    def find(self, state: PlanState, target: Target, kept: KeptActs) -> Way | None:
        """The cheapest way on which no client to keep loses anything; None if there is none within the limits."""
        kind = (*state.kind, str(target))
        for key in ((*kind, None), (*kind, state.totals)):
            if key in self._found:
                known = self._found[key]
                return None if known is None else _moved(known, state)
        self.searched += 1
        found = cheapest_way(state, target, self.limits, allow=kept.allow)
        if len(self._found) >= MOST:
            self._found.clear()
        if found.steps is None:
            # A search that ran out of time proves nothing about the next table.
            if found.complete:
                self._found[(*kind, None)] = None
            return None
        sizes = state.totals if any(step.kind.rewrites for step in found.steps) else None
        way = Way(found.steps, found.end)
        self._found[(*kind, sizes)] = _Remembered(state, way)
        return way

    def needs_files(self, state: PlanState) -> bool:
        """Whether the files of a table can change any way; `state` is the table without them."""
        key = ("files", *state.key)
        found = self._settled.get(key)
        return self._remember(key, files_matter(state)) if found is None else found

    def may_be_met(self, state: PlanState, target: Target) -> bool:
        """Whether one of the least demanding states meets a target about a client: if none does, no other state does.

        A search without a result visits every state; this check avoids most of them.
        """
        key = (*state.kind, str(target))
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


def _moved(known: _Remembered, state: PlanState) -> Way:
    """The same way from another state of the same kind, where it has the same cost."""
    start, end = known.start, known.way.end
    configuration = dict(end.metadata.configuration)
    if any(map(partial(_is_guarded, state), known.way.steps)):
        key, value = protection(state)
        configuration.update({key: value} if key in configuration else {})
    metadata = state.metadata.with_configuration(configuration)
    if end.metadata.schema_string != start.metadata.schema_string:
        metadata = attrs.evolve(metadata, schema_string=end.metadata.schema_string)
    arrived = attrs.evolve(
        end,
        metadata=metadata,
        examples=tuple(map(_changed_alike, end.examples, state.examples)),
        domains={name: domain for name, domain in state.domains.items() if name in end.domains},
        totals=state.totals if end.totals == start.totals else end.totals,
        table_version=state.table_version,
        location=state.location,
    )
    return Way(tuple(attrs.evolve(step, location=state.location) for step in known.way.steps), arrived)


def _is_guarded(state: PlanState, step: Step) -> bool:
    """Whether a step protects history, up to a table version that differs from table to table."""
    if step.kind not in (StepKind.DROP, StepKind.DROP_REWRITING):
        return False
    removals = (state.catalog.get(name).removal for name in step.names)
    return any(removal is not None and removal.protects_history for removal in removals)


def _changed_alike(changed: AddFile, own: AddFile) -> AddFile:
    marked, row_id = changed.deletion_vector is not None, changed.base_row_id is not None
    if marked == (own.deletion_vector is not None) and row_id == (own.base_row_id is not None):
        return own
    return attrs.evolve(
        own,
        deletion_vector=own.deletion_vector if marked else None,
        base_row_id=own.base_row_id if row_id else None,
        default_row_commit_version=own.default_row_commit_version if row_id else None,
    )
