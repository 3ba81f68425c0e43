"""Carry out a plan step by step. The plan is made again after each step, so a later run can continue a stopped one."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from functools import partial
from typing import Any

import attrs

from deltaresolver.clients.shipped import default_knowledge
from deltaresolver.clients.verdicts import ClientKnowledge
from deltaresolver.errors import NoPlanError, PlanStalledError, PlanStepElsewhereError
from deltaresolver.log.snapshot import Snapshot
from deltaresolver.model.metadata import Metadata
from deltaresolver.planning.drops import metadata_without, rewriting
from deltaresolver.planning.moves import REORG
from deltaresolver.planning.plan import Plan, kept_acts, plan
from deltaresolver.planning.rewriting_files.rewriter import FileRewriter
from deltaresolver.planning.steps import Step, StepKind
from deltaresolver.planning.table_reading import state_of_snapshot, state_of_table
from deltaresolver.table import Table

Confirm = Callable[[Step], bool]


@attrs.frozen(slots=True, eq=False)
class DoneStep:
    """A step that was carried out, and the version of the table after it."""

    step: Step
    table_version: int


def agree(_: Step) -> bool:
    """Yes to every step."""
    return True


def apply_plan(
    table: Table,
    target: Any,
    confirm: Confirm = agree,
    knowledge: ClientKnowledge | None = None,
    rewriter: FileRewriter | None = None,
    keep: Iterable[str] = (),
) -> Iterator[DoneStep]:
    """Carry out the plan to a target: each step for which `confirm` returns True; ends at the first False.

    `keep` is that of `plan`. `rewriter` rewrites data files, as `deltaresolver.spark.SparkRewriter` does. Raises
    `NoPlanError`, `PlanStepElsewhereError` where the next step rewrites files and there is no rewriter,
    `PlanStalledError`, what the rewriter raises, and what `Table.alter` and `Table.drop_feature` raise:
    `HistoryUsesFeatureError` says how long history is still kept. What was carried out until then stands, and
    another run goes on from there.
    """
    known = default_knowledge() if knowledge is None else knowledge
    # The acts that clients can do before the first step must not be lost at any step.
    kept = kept_acts(state_of_table(table), keep, known) or ()
    current = plan(table, target, knowledge=known, keep=kept)
    while True:
        ensure_possible(current)
        if not current.steps:
            return
        step = current.steps[0]
        if rewriter is None:
            ensure_done_here(step)
        if not confirm(step):
            return
        done = carry_out(table, step, rewriter)
        yield done
        following = plan(table, target, knowledge=known, keep=kept)
        if following.is_possible and not following.cost < current.cost:
            raise PlanStalledError(
                f"The step {step.title!r} was carried out, but the table is no nearer to the target: "
                f"{following.target}.",
                fix="Find out who else changes the table, then run the plan again.",
                details={"step": step.title, "target": str(following.target), "table_version": done.table_version},
            )
        current = following


def ensure_possible(found: Plan) -> None:
    """Raise `NoPlanError` with the reasons where the plan has no steps to its target."""
    if not found.is_possible:
        raise NoPlanError(
            f"There is no way to {found.target}: {'; '.join(found.reasons)}.",
            fix="Choose another target, or copy the data into a new table.",
            details={"target": str(found.target), "reasons": list(found.reasons)},
        )


def carry_out(table: Table, step: Step, rewriter: FileRewriter | None = None) -> DoneStep:
    """Carry out one step. Raises as `apply_plan`."""
    if step.kind is StepKind.UNSET:
        return DoneStep(step, table.alter(unset=step.names).table_version)
    if step.kind is StepKind.ADD:
        return DoneStep(step, table.alter(add_features=step.names).table_version)
    if step.kind.rewrites:
        if rewriter is None:
            ensure_done_here(step)
            raise AssertionError(step)
        if step.kind is StepKind.PURGE:
            return DoneStep(step, rewriter.purge(table, REORG))
        # Two commits: if a run stops between them, the next one finds an unused feature and drops it.
        rewriter.rewrite(table, partial(without_use, table, step.names[0]), rewriting(table.catalog, step.names[0]))
    truncating = step.kind is StepKind.DROP_TRUNCATING
    return DoneStep(step, table.drop_feature(step.names[0], truncate_history=truncating).table_version)


def without_use(table: Table, feature: str, snapshot: Snapshot) -> Metadata:
    """The metadata of a table changed so that nothing uses the feature."""
    return metadata_without(state_of_snapshot(table.catalog, snapshot), feature)


def ensure_done_here(step: Step) -> None:
    """Raise `PlanStepElsewhereError` for a step that needs an engine which reads and writes rows."""
    if step.kind.rewrites:
        raise PlanStepElsewhereError(
            f"The next step, to {step.title}, {step.costs[0]}, which needs Spark.",
            fix="Install the extra deltaresolver[spark] (from Python: give a rewriter), or run "
            f"{'; '.join(step.sql)} in Spark with Delta's own library; then run the plan again: it goes on from there.",
            details={"step": step.title, "sql": list(step.sql)},
        )
