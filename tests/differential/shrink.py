"""Makes a failing program smaller, as long as it fails in the same way."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import attrs

from tests.differential.program import (
    WRITE,
    Column,
    Create,
    Merge,
    Program,
    Rows,
    Step,
    Update,
)

Fails = Callable[[Program], bool]
"""Whether a program still fails in the way that is looked for."""

MAX_TRIES = 150


def shrink(program: Program, fails: Fails, max_tries: int = MAX_TRIES) -> Program:
    """The smallest program that greedy steps find; `fails(program)` must be true."""
    tries = 0
    improved = True
    while improved:
        improved = False
        for candidate in smaller(program):
            if tries >= max_tries:
                return program
            tries += 1
            if fails(candidate):
                program, improved = candidate, True
                break
    return program


def smaller(program: Program) -> Iterator[Program]:
    """Programs that are a little smaller, the boldest first."""
    steps = program.steps
    places = [place for place, step in enumerate(steps) if not isinstance(step, Create)]
    for size in (len(steps) // 2, 1):
        for start in range(len(places) - 1, -1, -1):
            gone = set(places[max(0, start - size + 1) : start + 1])
            if size and gone:
                yield _with(program, [step for place, step in enumerate(steps) if place not in gone])
    for place, step in enumerate(steps):
        for simpler in simpler_steps(step):
            yield _with(program, [*steps[:place], simpler, *steps[place + 1 :]])
    yield from _fewer_columns(program)


def _with(program: Program, steps: list[Step]) -> Program:
    return attrs.evolve(program, steps=tuple(steps))


def simpler_steps(step: Step) -> Iterator[Step]:
    """Steps that do a little less."""
    given: Any = step
    for name in ("rows", "source"):
        rows = getattr(given, name, None)
        if isinstance(rows, Rows):
            for fewer in _fewer_rows(rows):
                yield attrs.evolve(given, **{name: fewer})
    if isinstance(step, Create):
        yield from _fewer(step, "properties", 0)
        yield from _fewer(step, "partition_by", 0)
        if step.identity is not None:
            yield attrs.evolve(step, identity=None)
    if getattr(given, "way", WRITE) not in (WRITE, "ddl"):
        yield attrs.evolve(given, way=WRITE)
    if isinstance(step, Merge):
        yield from _simpler_merges(step)
    if isinstance(step, Update):
        yield from _fewer(step, "values", 1)
    condition = getattr(given, "condition", None)
    if isinstance(condition, str):
        for part in parts_of(condition):
            yield attrs.evolve(given, condition=part)


def _simpler_merges(step: Merge) -> Iterator[Step]:
    yield from _fewer(step, "clauses", 1)
    for place, clause in enumerate(step.clauses):
        if clause.condition is not None:
            bare = attrs.evolve(clause, condition=None)
            yield attrs.evolve(step, clauses=(*step.clauses[:place], bare, *step.clauses[place + 1 :]))
    if step.evolves:
        yield attrs.evolve(step, evolves=False)


def _fewer(step: Any, name: str, least: int) -> Iterator[Step]:
    """The step with one item less in what `name` lists, of which `least` must stay."""
    items = getattr(step, name)
    if len(items) > least:
        for place in range(len(items)):
            yield attrs.evolve(step, **{name: _without(items, place)})


def _without(items: tuple[Any, ...], place: int) -> tuple[Any, ...]:
    return (*items[:place], *items[place + 1 :])


def _fewer_rows(rows: Rows) -> Iterator[Rows]:
    count = len(rows.values)
    if count > 2:
        yield attrs.evolve(rows, values=rows.values[: count // 2])
        yield attrs.evolve(rows, values=rows.values[count // 2 :])
    for place in range(count):
        yield attrs.evolve(rows, values=_without(rows.values, place))
    if rows.files > 1:
        yield attrs.evolve(rows, files=1)
    for place, row in enumerate(rows.values):
        for cell, value in enumerate(row):
            if value is not None:
                blank = (*row[:cell], None, *row[cell + 1 :])
                yield attrs.evolve(rows, values=(*rows.values[:place], blank, *rows.values[place + 1 :]))


def parts_of(condition: str) -> list[str]:
    """The operands of a condition of the form `(a) AND (b)` or `NOT (a)`."""
    found, depth, start = [], 0, 0
    for place, letter in enumerate(condition):
        if letter == "(":
            if depth == 0:
                start = place + 1
            depth += 1
        elif letter == ")":
            depth -= 1
            if depth == 0:
                found.append(condition[start:place])
    is_whole = condition.startswith("(") or condition.upper().startswith("NOT (")
    return [part for part in found if is_whole and part]


def _fewer_columns(program: Program) -> Iterator[Program]:
    create = next((step for step in program.steps if isinstance(step, Create)), None)
    if create is None:
        return
    for column in create.columns[1:]:
        if column.name not in create.partition_by:
            yield _with(program, [_without_column(step, column) for step in program.steps])


def _without_column(step: Step, column: Column) -> Step:
    given: Any = step
    for name in ("rows", "source"):
        rows = getattr(given, name, None)
        if isinstance(rows, Rows):
            places = [place for place, each in enumerate(rows.columns) if each.name != column.name]
            values = tuple(tuple(row[place] for place in places) for row in rows.values)
            given = attrs.evolve(
                given, **{name: Rows(tuple(rows.columns[place] for place in places), values, rows.files)}
            )
    if isinstance(given, Create):
        given = attrs.evolve(given, columns=tuple(each for each in given.columns if each.name != column.name))
    found: Step = given
    return found
