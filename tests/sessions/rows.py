"""The rows of the sweep: one column of every type, nasty names and values, and a number by which each row is known."""

from __future__ import annotations

import random
from collections.abc import Iterable, Sequence

import attrs

from tests import nasty
from tests.differential.kinds import length_of
from tests.differential.program import Column, Rows, Value, quoted
from tests.differential.values import Bag, arrow_table, counted

KEY = "BIGINT"
PARTITIONS = ("STRING", "DATE")
PLAIN = ("BOOLEAN", "BYTE", "SHORT", "INT", "FLOAT", "DOUBLE", "DECIMAL(10,2)", "STRING", "DATE", "TIMESTAMP",
         "TIMESTAMP_NTZ", "BINARY", "CHAR(4)", "VARCHAR(4)")  # fmt: skip
NESTED = ("STRUCT<`a.b`: INT, `value`: STRING, `d`: DATE>", "ARRAY<STRING>", "MAP<STRING, DOUBLE>")
LIMITS = {"BYTE": 2**7, "SHORT": 2**15, "INT": 2**31}
COUNT = 12
_MAPPED_ONLY = set(" ,;{}()\n\t=")
"""Delta has no column with one of these in its name unless columns are mapped."""


@attrs.frozen
class Lake:
    """The columns and rows that one seed gives."""

    key: Column
    partitions: tuple[Column, ...]
    others: tuple[Column, ...]
    first: tuple[tuple[Value, ...], ...]
    """What the table has at the start."""
    more: tuple[tuple[Value, ...], ...]
    """What statements bring along; their numbers go on."""

    @property
    def columns(self) -> tuple[Column, ...]:
        """In the table's order: partition columns are not the last ones."""
        return (self.key, *self.partitions, *self.others)

    def rows(self, values: Iterable[tuple[Value, ...]], files: int = 1) -> Rows:
        """Some of them, as a statement takes them."""
        return Rows(self.columns, tuple(values), files)

    def bag(self, values: Iterable[tuple[Value, ...]]) -> Bag:
        """What a table with these rows gives."""
        return counted(arrow_table(self.rows(tuple(map(self._stored, values)))))

    def _stored(self, row: tuple[Value, ...]) -> tuple[Value, ...]:
        return tuple(_filled(value, column.type) for value, column in zip(row, self.columns, strict=True))

    def place(self, kind: str) -> int:
        """Where the column of a type is that is no partition column."""
        return 1 + len(self.partitions) + [column.type for column in self.others].index(kind)


def _filled(value: Value, kind: str) -> Value:
    """A char(n) is filled up with blanks."""
    if value is not None and kind.startswith("CHAR("):
        return str(value).ljust(length_of(kind) or 0)
    return value


def draw_lake(seed: int) -> Lake:
    """Columns and rows of a seed."""
    chance = random.Random(seed)
    kinds = (KEY, *PARTITIONS, *PLAIN, *NESTED)
    names = chance.sample([name for name in nasty.COLUMN_NAMES if not set(name) & _MAPPED_ONLY], len(kinds))
    columns = tuple(Column(name, kind) for name, kind in zip(names, kinds, strict=True))
    few = {column: _distinct(chance, column.type, 3) for column in columns[1:3]}
    rows = []
    for number in range(COUNT + 4):
        parts = [few[column][(number // (3 if at else 1)) % 3] for at, column in enumerate(columns[1:3])]
        rows.append((number, *parts, *(draw_value(chance, column.type) for column in columns[3:])))
    return Lake(columns[0], columns[1:3], columns[3:], tuple(rows[:COUNT]), tuple(rows[COUNT:]))


def _distinct(chance: random.Random, kind: str, count: int) -> Sequence[Value]:
    if kind == "DATE":
        return [*chance.sample(nasty.DATES, count - 1), None]
    # Spark takes '' for null in partitions, and the name of null's folder.
    return chance.sample([text for text in nasty.STRINGS if text and text != nasty.NULL_FOLDER], count)


def draw_value(chance: random.Random, kind: str) -> Value:
    """A nasty value of a type, or null."""
    if chance.random() < 0.1:
        return None
    if kind.startswith("STRUCT<"):
        return (draw_value(chance, "INT"), draw_value(chance, "STRING"), draw_value(chance, "DATE"))
    if kind.startswith("ARRAY<"):
        return tuple(draw_value(chance, "STRING") for _ in range(chance.randint(0, 2)))
    if kind.startswith("MAP<"):
        keys = chance.sample(nasty.SHORT_STRINGS, chance.randint(0, 2))
        return tuple((key, draw_value(chance, "DOUBLE")) for key in keys)
    if kind in LIMITS:
        return chance.choice([each for each in nasty.INTEGERS if -LIMITS[kind] <= each < LIMITS[kind]])
    if kind in ("FLOAT", "DOUBLE"):
        return str(chance.choice(nasty.FLOATS))
    if length_of(kind) is not None:
        return chance.choice([text for text in nasty.SHORT_STRINGS if len(text) <= 4])
    groups: dict[str, Sequence[Value]] = {
        "BOOLEAN": (True, False), "DECIMAL(10,2)": nasty.DECIMALS, "STRING": nasty.STRINGS, "DATE": nasty.DATES,
        "TIMESTAMP": nasty.MOMENTS, "TIMESTAMP_NTZ": nasty.MOMENTS, "BINARY": nasty.BYTES,
    }  # fmt: skip
    return chance.choice(groups[kind])


def spelt(value: Value, kind: str) -> str | None:
    """A value as SQL that every session reads alike; None where there is no such spelling."""
    if kind in ("DATE", "TIMESTAMP_NTZ"):
        return f"{kind}'{value}'"
    if kind == "TIMESTAMP":
        return f"TIMESTAMP_LTZ'{value} UTC'"
    if kind == "BINARY":
        return f"X'{value}'"
    if kind == "BOOLEAN":
        return str(value).lower()
    text = str(value)
    if not text.isprintable() or set(text) & set("'\"\\$"):
        return None
    if kind == "STRING" or length_of(kind) is not None:
        return f"'{_filled(text, kind)}'"
    return f"cast('{text}' as {kind})"


def is_same(value: Value, other: Value, kind: str) -> bool:
    """Whether `=` holds for two values."""
    if value is None or other is None:
        return False
    if kind in ("FLOAT", "DOUBLE") or kind.startswith("DECIMAL"):
        (here,), (there,) = (arrow_table(Rows((Column("v", kind),), ((each,),))).column(0).to_pylist()
                             for each in (value, other))  # fmt: skip
        return bool(here == there or (here != here and there != there))
    return _filled(value, kind) == _filled(other, kind)


def equal_to(lake: Lake, place: int, value: Value) -> str | None:
    """A condition on one column, where it can be spelt for every session."""
    column = lake.columns[place]
    text = None if value is None else spelt(value, column.type)
    return None if text is None else f"{quoted(column.name)} = {text}"
