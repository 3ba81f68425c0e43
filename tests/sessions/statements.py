"""Statements over the rows of a lake, each with the rows that the table must have afterwards."""

from __future__ import annotations

import functools
import random
from collections.abc import Callable, Iterator, Sequence

import attrs

from tests.differential.program import (
    DELETE,
    INSERT,
    MATCHED,
    NOT_MATCHED,
    SOURCE,
    UPDATE,
    WRITE,
    Append,
    Clause,
    Delete,
    Merge,
    Optimize,
    Overwrite,
    Probe,
    ReplaceWhere,
    Step,
    Update,
    Value,
    quoted,
)
from tests.sessions.rows import PLAIN, Lake, equal_to, is_same

Row = tuple[Value, ...]


@attrs.frozen
class Statement:
    """A step, its name, and the rows after it: of the table, or of the query where the step is a `Probe`."""

    name: str
    step: Step
    rows: tuple[Row, ...]
    way: str = WRITE


def statements(lake: Lake, chance: random.Random) -> list[Statement]:
    """Reads and changes of every kind, by both ways; `chance` picks columns and values of conditions."""
    return [*_reads(lake, chance), *_writes(lake, chance), *_changes(lake, chance)]


def _condition(lake: Lake, chance: random.Random) -> tuple[str, Callable[[Row], bool]]:
    """A condition that one of the rows meets, and the rows it means."""
    while True:
        row = chance.choice(lake.first)
        place = lake.place(chance.choice(PLAIN)) if chance.random() < 0.8 else chance.choice((1, 2))
        text = equal_to(lake, place, row[place])
        if text is not None:
            return text, functools.partial(_meets, place, row[place], lake.columns[place].type)


def _meets(place: int, value: Value, kind: str, row: Row) -> bool:
    return is_same(row[place], value, kind)


def _reads(lake: Lake, chance: random.Random) -> Iterator[Statement]:
    for way in (WRITE, SOURCE):
        yield Statement(f"read by {way}", Probe("true"), lake.first, way)
        condition, meets = _condition(lake, chance)
        found = tuple(row for row in lake.first if meets(row))
        yield Statement(f"read where by {way}", Probe(condition), found, way)


def _writes(lake: Lake, chance: random.Random) -> Iterator[Statement]:
    new = lake.rows(lake.more, files=2)
    for way in (WRITE, SOURCE):
        yield Statement(f"append by {way}", Append(new, way), (*lake.first, *lake.more), way)
        yield Statement(f"overwrite by {way}", Overwrite(new, way), lake.more, way)
        at = chance.choice((1, 2))
        value = chance.choice([row[at] for row in lake.first if equal_to(lake, at, row[at])] or [None])
        condition = equal_to(lake, at, value) or f"{quoted(lake.columns[at].name)} IS NULL"
        inside = tuple((*row[:at], value, *row[at + 1 :]) for row in lake.more)
        kept = tuple(row for row in lake.first if row[at] != value)
        yield Statement(
            f"replace partitions by {way}", ReplaceWhere(condition, lake.rows(inside), way), (*kept, *inside), way
        )
        bound = len(lake.first) // 2
        kept = lake.first[:bound]
        condition = f"{quoted(lake.key.name)} >= {bound}"
        yield Statement(f"replace rows by {way}", ReplaceWhere(condition, new, way), (*kept, *lake.more), way)


def _changes(lake: Lake, chance: random.Random) -> Iterator[Statement]:
    condition, meets = _condition(lake, chance)
    yield Statement("delete", Delete(condition), tuple(row for row in lake.first if not meets(row)))
    key = quoted(lake.key.name)
    yield Statement("delete by number", Delete(f"{key} = 4"), tuple(row for row in lake.first if row[0] != 4))
    condition, meets = _condition(lake, chance)
    at = lake.place("INT")
    assigned = ((quoted(lake.columns[at].name), "7"),)
    yield Statement(
        "update", Update(condition, assigned), tuple(_with(row, at, 7) if meets(row) else row for row in lake.first)
    )
    moved = ((quoted(lake.columns[1].name), "'moved'"),)
    rows = tuple(_with(row, 1, "moved") if row[0] == 5 else row for row in lake.first)
    yield Statement("update of a partition", Update(f"{key} = 5", moved), rows)
    yield _merge(lake)
    yield Statement("optimize", Optimize(), lake.first)


def _merge(lake: Lake) -> Statement:
    """Rows 0 and 1 come anew, 2 goes, the others of the source are inserted."""
    fresh = [(number, *row[1:]) for number, row in enumerate(lake.more[:3])]
    clauses = (
        Clause(MATCHED, DELETE, f"source.{quoted(lake.key.name)} = 2"),
        Clause(MATCHED, UPDATE),
        Clause(NOT_MATCHED, INSERT),
    )
    key = quoted(lake.key.name)
    step = Merge(lake.rows([*fresh, lake.more[3]]), f"target.{key} = source.{key}", clauses)
    return Statement("merge", step, (*fresh[:2], *lake.first[3:], lake.more[3]))


def _with(row: Row, at: int, value: Value) -> Row:
    return (*row[:at], value, *row[at + 1 :])


def share(all_of_them: Sequence[Statement], number: int, part: int) -> list[Statement]:
    """Every `part`-th statement, others for the next number."""
    return [each for place, each in enumerate(all_of_them) if (place + number) % part == 0]
