"""The last steps of wide programs, which aim where chance alone hardly ever gets.

A row in a file of its own, whose bounds tell it from whatever a condition may be mistaken for, and a MERGE whose source
is another one whenever it is evaluated, on a table that keeps its changes.
"""

from __future__ import annotations

import random

from tests import nasty
from tests.differential.conditions import literal
from tests.differential.kinds import has_map, is_text, length_of, plain
from tests.differential.program import (
    MATCHED,
    UNSTABLE,
    UPDATE,
    Append,
    Clause,
    Column,
    Delete,
    Merge,
    Probe,
    Rows,
    Step,
    Value,
    quoted,
)
from tests.differential.tables import FEED, TableState

MARKS = ("'", '"')
QUOTED = tuple(text for text in (*nasty.STRINGS, *sum(nasty.LOOKALIKES, ())) if set(text) & set(MARKS))
SHORT_QUOTED = tuple(text for text in nasty.SHORT_STRINGS if set(text) & set(MARKS))


def draw_aimed(chance: random.Random, state: TableState) -> tuple[Step, ...]:
    """A lone row, the condition that holds for it, and a change of it."""
    column = _column(chance, state)
    value = _value(chance, state, column)
    given = {column.name: value, state.key.name: chance.randrange(1, 8)}
    row = tuple(given[each.name] if each.name in given else _any(chance, state, each) for each in state.given)
    columns = tuple(Column(each.name, plain(each.type)) for each in state.given)
    condition = f"{quoted(column.name)} = {literal(chance, value, column.type)}"
    change = _moving(state, given[state.key.name]) if state.properties.get(FEED) == "true" else None
    return Append(Rows(columns, (row,))), Probe(condition), change or Delete(condition)


def _column(chance: random.Random, state: TableState) -> Column:
    """One that is compared and has bounds; of texts, whose literals have most spellings, if there are any."""
    free = [each for each in state.given[1:] if each.name not in state.partition_by and not has_map(each.type)]
    texts = [each for each in free if is_text(each.type)]
    return chance.choice(texts or free or [state.key])


def _value(chance: random.Random, state: TableState, column: Column) -> Value:
    if is_text(column.type):
        return chance.choice(QUOTED if length_of(column.type) is None else SHORT_QUOTED)
    return chance.choice([each for each in state.pools[column.name.lower()] if each is not None])


def _any(chance: random.Random, state: TableState, column: Column) -> Value:
    return chance.choice(state.pools[column.name.lower()])


def _moving(state: TableState, key: Value) -> Merge | None:
    """A MERGE that gives a text to rows of this key; None where there is no column for it."""
    texts = [each for each in state.given if each.type == "STRING" and each.name not in state.partition_by]
    if not texts:
        return None
    name, text = quoted(state.key.name), quoted(texts[0].name)
    source = Rows((state.key, Column(texts[0].name, "STRING")), ((key, UNSTABLE),))
    clause = Clause(MATCHED, UPDATE, None, ((text, f"source.{text}"),))
    return Merge(source, f"target.{name} = source.{name}", (clause,))
