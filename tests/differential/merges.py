"""Random values that statements assign, and random MERGEs."""

from __future__ import annotations

import random

from tests.differential.conditions import Conditions, typed_literal
from tests.differential.kinds import fields_of, is_text
from tests.differential.program import (
    BY_SOURCE,
    DELETE,
    INSERT,
    MATCHED,
    NOT_MATCHED,
    UNSTABLE,
    UPDATE,
    Assignments,
    Clause,
    Column,
    Merge,
    Rows,
    quoted,
)
from tests.differential.tables import FEED, TableState, draw_column, draw_rows

_STEADY_WIDE = (0.6, 0.2)
"""How many MERGEs of wide programs have a source that stays the same, without a change feed and with one."""


def _has_feed(state: TableState) -> bool:
    """Whether the table has a change feed."""
    return state.properties.get(FEED) == "true"


def draw_values(
    chance: random.Random, state: TableState, columns: list[Column], other: str | None = None
) -> Assignments:
    """Values for some columns; those of `other`, a source's name, among them."""
    picked = chance.sample(columns, chance.randint(1, min(3, len(columns))))
    return tuple(_assignment(chance, state, column, other) for column in picked)


def _assignment(chance: random.Random, state: TableState, column: Column, other: str | None) -> tuple[str, str]:
    """A column and its value, or a field of a struct and its value."""
    fields = fields_of(column.type)
    if fields and chance.random() < 0.5:
        value = chance.choice([each for each in state.pools[column.name.lower()] if isinstance(each, tuple)])
        place = chance.randrange(len(fields))
        field = fields[place]
        return f"{quoted(column.name)}.{quoted(field.name)}", typed_literal(chance, value[place], field.type)
    return quoted(column.name), draw_value(chance, state, column, other)


def draw_value(
    chance: random.Random, state: TableState, column: Column, other: str | None, *, constant: bool = False
) -> str:
    """A value for a column; a constant, or one of the source, where the table has no row yet."""
    if other is not None and chance.random() < 0.5:
        return f"{other}.{quoted(column.name)}"
    roll = chance.random()
    if roll < 0.6 or constant:
        return typed_literal(chance, chance.choice(state.pools[column.name.lower()]), column.type)
    own = quoted(column.name) if other is None else f"target.{quoted(column.name)}"
    if is_text(column.type):
        return f"concat({own}, 'x')"
    if column.type in ("INT", "BIGINT"):
        return f"{own} + 1" if roll < 0.9 else f"-{own}"
    return own


def draw_merge(chance: random.Random, state: TableState) -> Merge:
    """Any MERGE by the key; where it adds a column, the state has it afterwards."""
    generated = state.is_made
    evolves = not generated and chance.random() < 0.2
    columns = list(state.given)
    if evolves and chance.random() < 0.7:
        columns.append(draw_column(chance, state))
    source = draw_rows(chance, state, columns, most=6)
    if not (state.is_wide and chance.random() < 0.35):
        source = _one_row_a_key(source)
    key = quoted(state.key.name)
    condition = f"target.{key} {chance.choice(('=', '=', '=', '<=>'))} source.{key}"
    if chance.random() < 0.3:
        condition = f"{condition} AND ({Conditions(chance, state.columns, state.pools, 'target.').draw()})"
    unstable = [place for place, each in enumerate(columns) if _may_be_unstable(state, each)]
    is_stable = not unstable or chance.random() < (_STEADY_WIDE[_has_feed(state)] if state.is_wide else 0.7)
    clauses = _clauses(chance, state, generated=generated, bare=not is_stable)
    if not is_stable:
        place = chance.choice(unstable)
        rows = tuple((*row[:place], UNSTABLE, *row[place + 1 :]) for row in source.values)
        source = Rows(source.columns, rows, source.files)
    takes_all = any(each.values is None and each.act != DELETE for each in clauses)
    if len(columns) > len(state.given) and takes_all:
        state.columns.append(columns[-1])
    return Merge(source, condition, clauses, evolves)


def _may_be_unstable(state: TableState, column: Column) -> bool:
    return column.type == "STRING" and column.name not in state.partition_by


def _one_row_a_key(rows: Rows) -> Rows:
    seen: dict[object, tuple[object, ...]] = {}
    for row in rows.values:
        seen.setdefault(row[0], row)
    return Rows(rows.columns, tuple(row for row in rows.values if seen[row[0]] is row), rows.files)


def _clauses(chance: random.Random, state: TableState, *, generated: bool, bare: bool = False) -> tuple[Clause, ...]:
    kinds = [kind for kind in (MATCHED, NOT_MATCHED, BY_SOURCE) if chance.random() < 0.6] or [MATCHED]
    found = []
    for kind in kinds:
        for is_last in [False] * (not bare and chance.random() < 0.3) + [True]:
            prefix = "source." if kind == NOT_MATCHED else "target."
            if bare or (is_last and chance.random() < 0.6):
                condition = None
            else:
                condition = Conditions(chance, state.given, state.pools, prefix).draw(1)
            found.append(_clause(chance, state, kind, condition, generated=generated))
    return tuple(found)


def _clause(chance: random.Random, state: TableState, kind: str, condition: str | None, *, generated: bool) -> Clause:
    columns = state.given
    takes_all = chance.random() < 0.5 and not generated
    if kind == NOT_MATCHED:
        named = tuple(
            (quoted(column.name), draw_value(chance, state, column, "source", constant=True))
            for column in columns
            if chance.random() < 0.8 or column == state.key
        )
        return Clause(kind, INSERT, condition, None if takes_all else named)
    if chance.random() < 0.35:
        return Clause(kind, DELETE, condition)
    if kind == BY_SOURCE:
        return Clause(kind, UPDATE, condition, draw_values(chance, state, columns))
    return Clause(kind, UPDATE, condition, None if takes_all else draw_values(chance, state, columns, "source"))
