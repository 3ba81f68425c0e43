"""DROP FEATURE where data files use the feature: they are rewritten first, and then the feature is dropped."""

from __future__ import annotations

from functools import partial

import attrs

from deltaresolver.errors import FeatureInUseError, HistoryUsesFeatureError
from deltaresolver.planning.apply import ensure_done_here, without_use
from deltaresolver.planning.drops import rewriting
from deltaresolver.planning.moves import REORG, moves
from deltaresolver.planning.rewriting_files.rewriter import FileRewriter
from deltaresolver.planning.state import PlanState
from deltaresolver.planning.steps import Cost, Step, StepKind
from deltaresolver.planning.table_reading import state_of_table
from deltaresolver.table import Table
from deltaresolver.transaction.drop.drop_feature import DropOutcome
from deltaresolver.transaction.drop.history import STILL_THERE, WAIT
from deltaresolver.transaction.preparatory import MadeCommit

_DROPS = (StepKind.DROP, StepKind.DROP_TRUNCATING)


@attrs.frozen(slots=True, eq=False)
class RewritingDrop:
    """The result of dropping a feature, and the files rewritten for it; with `dry_run` what they would be."""

    outcome: DropOutcome
    rewritten: Cost | None = None


def drop_with_rewriting(
    table: Table, feature: str, rewriter: FileRewriter | None, *, truncate_history: bool = False, dry_run: bool = False
) -> RewritingDrop:
    """Drop a feature; if only data files use it, they are rewritten before, in a commit of their own.

    A run that is stopped in between leaves a table that no longer uses the feature; the same call continues it. Raises
    `PlanStepElsewhereError` where files have to be written and there is no `rewriter`, `FeatureInUseError` where that
    would not help, what the rewriter raises, and what `Table.drop_feature` raises.
    """
    try:
        return RewritingDrop(table.drop_feature(feature, truncate_history=truncate_history, dry_run=dry_run))
    except FeatureInUseError:
        state = state_of_table(table)
        found = _rewriting_step(state, feature, truncate_history=truncate_history)
        if found is None:
            raise
    step, after = found
    name = step.names[0] if step.kind is StepKind.DROP_REWRITING else None
    operation = REORG if name is None else rewriting(table.catalog, name)
    if dry_run:
        version = 0 if state.table_version is None else state.table_version + 1
        rewrite = MadeCommit(version, operation.name)
        outcome = DropOutcome(feature, state.protocol, after.protocol, (rewrite,), (), None, dry_run=True)
        return RewritingDrop(outcome, step.cost)
    if rewriter is None:
        ensure_done_here(step)
        raise AssertionError(step)
    if name is None:
        version = rewriter.purge(table, operation)
    else:
        version = rewriter.rewrite(table, partial(without_use, table, name), operation)
    try:
        outcome = table.drop_feature(feature, truncate_history=truncate_history)
    except HistoryUsesFeatureError as error:
        if error.delta_condition == STILL_THERE:
            error.delta_condition = WAIT  # the commit before this was the first step of this drop
        raise
    commits = (MadeCommit(version, operation.name), *outcome.commits)
    return RewritingDrop(attrs.evolve(outcome, commits=commits), step.cost)


def _rewriting_step(state: PlanState, feature: str, *, truncate_history: bool) -> tuple[Step, PlanState] | None:
    """The step that rewrites files so that the feature can be dropped, and the state after the drop, or None."""
    wanted = StepKind.DROP_TRUNCATING if truncate_history else StepKind.DROP
    for step, after in moves(state):
        if step.kind is StepKind.DROP_REWRITING and step.names == (feature,):
            return step, after
        if step.kind is StepKind.PURGE:
            drops = {then.kind: end for then, end in moves(after) if then.kind in _DROPS and then.names == (feature,)}
            if drops:
                return step, drops.get(wanted) or next(iter(drops.values()))
    return None
