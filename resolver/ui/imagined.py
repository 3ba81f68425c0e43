"""A table after statements that nobody has run: each is judged as its commit would be, and nothing is written."""

from __future__ import annotations

from collections.abc import Iterable

import attrs

from deltaresolver.clients.table_facts import facts_after
from deltaresolver.errors import CommandUsageError
from deltaresolver.model.behaviour import TableState
from deltaresolver.model.metadata import Metadata
from deltaresolver.planning.state import PlanState
from deltaresolver.planning.table_impact import state_without
from deltaresolver.resolution.instructions import without_instructions
from deltaresolver.resolution.prepared import prepare
from deltaresolver.resolution.resolution import Resolution
from deltaresolver.resolution.resolve import resolve_known_part
from deltaresolver.transaction.alter.alter_table import read_property_change
from deltaresolver.transaction.alter.announce import announce_change
from deltaresolver.transaction.ddl.read_statement import read_statement
from deltaresolver.transaction.ddl.statements import AlterProperties, AlterTable, DropFeatureStatement, Statement


@attrs.frozen(slots=True)
class Imagined:
    """A table after some statements, the resolution that explains its protocol, and remarks on what is not shown."""

    state: PlanState
    resolution: Resolution
    notes: tuple[str, ...] = ()


def imagine(start: PlanState, statements: Iterable[str]) -> Imagined:
    """The table after each statement in turn. Raises what reading, planning and resolving one of them raises."""
    state, notes = start, []
    for text in statements:
        statement = read_statement(text)
        state, remark = _after(state, statement)
        notes += remark
    resolution = resolve_known_part(state.metadata, state.protocol, state.catalog, before=state.metadata)
    return Imagined(state, resolution, tuple(notes))


def _after(state: PlanState, statement: Statement) -> tuple[PlanState, list[str]]:
    if isinstance(statement, AlterProperties):
        change = read_property_change(statement.to_set, statement.to_unset, (), state.catalog)
        return _with_metadata(state, change.apply(state.metadata)), []
    if isinstance(statement, DropFeatureStatement):
        name = state.catalog.get(statement.feature).name
        return state_without(state, name, truncate_history=statement.truncate_history), []
    if isinstance(statement, AlterTable):
        return _changed(state, statement)
    raise CommandUsageError(
        "This page tries changes of an existing table, so CREATE TABLE is not tried.", fix="Try ALTER TABLE statements."
    )


def _changed(state: PlanState, statement: AlterTable) -> tuple[PlanState, list[str]]:
    supported = prepare(state.catalog).supported(state.protocol)
    table = TableState(state.table_version or 0, state.protocol, state.metadata, supported)
    planned = statement.change.plan(table, state.catalog)
    if planned is None:
        return state, []
    notes = []
    if planned.row_condition is not None:
        notes.append(f"whether the rows satisfy {planned.row_condition.sql} is only checked when the statement runs")
    after = state if planned.metadata is None else _with_metadata(state, planned.metadata)
    return after, notes


def _with_metadata(state: PlanState, metadata: Metadata) -> PlanState:
    resolution, staged = announce_change(state.metadata, metadata, state.protocol, state.catalog)
    kept = staged.with_configuration(without_instructions(staged.configuration))
    facts = facts_after(state.facts, state.protocol, resolution.protocol, state.metadata, kept)
    return attrs.evolve(state, protocol=resolution.protocol, metadata=kept, facts=facts)
