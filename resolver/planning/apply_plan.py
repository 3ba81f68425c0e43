"""Carrying a plan out, step by step. The plan is made again after each, so a run that was stopped goes on later."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import attrs

from deltaresolver.errors import NoPlanError, PlanStalledError, PlanStepElsewhereError
from deltaresolver.planning.plan import Plan, plan
from deltaresolver.planning.steps import Step, StepKind
from deltaresolver.planning.verdicts import ClientKnowledge
from deltaresolver.table import Table

Confirm = Callable[[Step], bool]


@attrs.frozen(slots=True, eq=False)
class DoneStep:
    """A step that was carried out, and the version of the table after it."""

    step: Step
    table_version: int


def apply_plan(
    table: Table, target: Any, confirm: Confirm, knowledge: ClientKnowledge | None = None
) -> Iterator[DoneStep]:
    """Carry out the plan to a target, each step where `confirm` says yes; ends when it says no or nothing is left.

    Raises `NoPlanError`, `PlanStepElsewhereError` where the next step takes Spark, `PlanStalledError`, and what
    `Table.alter` and `Table.drop_feature` raise: `HistoryUsesFeatureError` says how long history is still kept.
    What was carried out until then stands, and another run goes on from there.
    """
    current = plan(table, target, knowledge=knowledge)
    while True:
        ensure_possible(current)
        if not current.steps or not confirm(current.steps[0]):
            return
        step = current.steps[0]
        done = carry_out(table, step)
        yield done
        following = plan(table, target, knowledge=knowledge)
        if following.is_possible and not following.cost < current.cost:
            raise PlanStalledError(
                f"After the step {step.title!r} the target {following.target} is no nearer than before.",
                fix="Find out who else changes the table, then run the plan again.",
                details={"step": step.title, "target": str(following.target), "table_version": done.table_version},
            )
        current = following


def ensure_possible(found: Plan) -> None:
    """Raises `NoPlanError` with the reasons."""
    if not found.is_possible:
        raise NoPlanError(
            f"There is no way to {found.target}: {'; '.join(found.reasons)}.",
            fix="Choose another target, or copy the data into a new table.",
            details={"target": str(found.target), "reasons": list(found.reasons)},
        )


def carry_out(table: Table, step: Step) -> DoneStep:
    """One step, by this library. Raises as `apply_plan`."""
    if step.kind is StepKind.UNSET:
        return DoneStep(step, table.alter(unset=step.names).table_version)
    if step.kind is StepKind.ADD:
        return DoneStep(step, table.alter(add_features=step.names).table_version)
    if step.kind.rewrites:
        raise PlanStepElsewhereError(
            f"The next step, to {step.title}, rewrites data files, which takes Spark.",
            fix=f"Run {'; '.join(step.sql)} in Spark, then run the plan again: it goes on from there.",
            details={"step": step.title, "sql": list(step.sql)},
        )
    truncating = step.kind is StepKind.DROP_TRUNCATING
    return DoneStep(step, table.drop_feature(step.names[0], truncate_history=truncating).table_version)
