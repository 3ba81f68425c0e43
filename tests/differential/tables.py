"""Random tables: columns, partitions, properties and the values that rows are drawn from."""

from __future__ import annotations

import random
from collections.abc import Sequence

import attrs

from tests import nasty
from tests.differential.program import Column, Rows, Value

KEY_TYPES = ("INT", "BIGINT", "INT")
TYPES = (
    "STRING",
    "STRING",
    "STRING",
    "DOUBLE",
    "FLOAT",
    "DATE",
    "TIMESTAMP",
    "TIMESTAMP_NTZ",
    "DECIMAL(10,2)",
    "BOOLEAN",
)
PARTITION_TYPES = (
    "STRING",
    "STRING",
    "INT",
    "DATE",
    "TIMESTAMP",
    "TIMESTAMP_NTZ",
    "DECIMAL(10,2)",
    "BOOLEAN",
    "DOUBLE",
)
NO_ZONE = "TIMESTAMP_NTZ"
NOT_IN_FILES = frozenset(" ,;{}()\n\t=")
"""What names of columns may hold only where columns are mapped."""
MAPPED = ("name", "id")
"""The modes in which columns have names of their own in the files."""
POOL = 4
KEYS = 8
MOST_ROWS = 6
FEED, VECTORS, TRACKING = "delta.enableChangeDataFeed", "delta.enableDeletionVectors", "delta.enableRowTracking"
MAPPING, WIDENING, CHECKPOINTS = "delta.columnMapping.mode", "delta.enableTypeWidening", "delta.checkpointInterval"


@attrs.define
class TableState:
    """What a generator knows of the table so far."""

    columns: list[Column]
    partition_by: tuple[str, ...]
    properties: dict[str, str]
    pools: dict[str, tuple[Value, ...]]

    @property
    def given(self) -> list[Column]:
        """The columns that rows give values for."""
        return [column for column in self.columns if column.generated is None]

    @property
    def key(self) -> Column:
        """The first column, which is a whole number."""
        return self.columns[0]

    @property
    def is_mapped(self) -> bool:
        """Whether columns have names of their own in the files."""
        return self.properties.get(MAPPING) in MAPPED

    @property
    def is_tracked(self) -> bool:
        """Whether rows have ids."""
        return self.properties.get(TRACKING) == "true"

    @property
    def free(self) -> list[Column]:
        """Columns that may be renamed or dropped, or whose type may change."""
        if any(column.generated for column in self.columns):
            return []
        return [column for column in self.columns[1:] if column.name not in self.partition_by]


def draw_table(chance: random.Random) -> TableState:
    """Any small table."""
    properties = draw_properties(chance)
    mapped = properties.get(MAPPING) in MAPPED
    names = list(column_names(mapped=mapped))
    picked: list[str] = []
    for name in chance.sample(names, len(names)):
        if name.lower() not in {each.lower() for each in picked}:
            picked.append(name)
    count = chance.randint(2, 5)
    parted = min(chance.choice((0, 0, 1, 1, 1, 2)), count - 1)
    columns = [Column(picked[0], chance.choice(KEY_TYPES))]
    for place in range(1, count):
        kinds = PARTITION_TYPES if place <= parted else TYPES
        columns += [Column(picked[place], chance.choice(kinds))]
    partition_by = tuple(column.name for column in columns[1 : parted + 1])
    if chance.random() < 0.12:
        columns.append(Column("made", "BIGINT", f"{_quoted(columns[0].name)} * 2"))
    state = TableState(columns, partition_by, properties, {})
    for column in columns:
        add_pool(chance, state, column)
    return state


def column_names(*, mapped: bool) -> tuple[str, ...]:
    """Names that a table takes; those that Parquet files must not have only where columns are mapped."""
    if mapped:
        return (*nasty.COLUMN_NAMES, *nasty.MAPPED_ONLY_NAMES)
    return tuple(name for name in nasty.COLUMN_NAMES if not set(name) & NOT_IN_FILES)


def _quoted(name: str) -> str:
    return "`" + name.replace("`", "``") + "`"


def draw_properties(chance: random.Random) -> dict[str, str]:
    """Some of the features."""
    shares = (
        (FEED, "true", 0.35),
        (VECTORS, "true", 0.45),
        (TRACKING, "true", 0.25),
        (MAPPING, "name", 0.3),
        (WIDENING, "true", 0.25),
        (CHECKPOINTS, "2", 0.15),
        ("delta.checkpointPolicy", "v2", 0.1),
        ("delta.dataSkippingNumIndexedCols", "1", 0.1),
        ("delta.checkpoint.writeStatsAsStruct", "true", 0.1),
    )
    found = {key: value for key, value, share in shares if chance.random() < share}
    if MAPPING in found and chance.random() < 0.25:
        found[MAPPING] = "id"
    return found


def draw_column(chance: random.Random, state: TableState) -> Column:
    """A column that the table lacks; the state has values for it, and not the column."""
    taken = {column.name.lower() for column in state.columns}
    names = [name for name in column_names(mapped=state.is_mapped) if name.lower() not in taken]
    kind = chance.choice(TYPES)
    if kind == NO_ZONE and chance.random() < 0.8 and all(column.type != NO_ZONE for column in state.columns):
        kind = "TIMESTAMP"  # a table that was made without it refuses it
    found = Column(chance.choice(names), kind)
    add_pool(chance, state, found)
    return found


def add_pool(chance: random.Random, state: TableState, column: Column) -> None:
    """Values for a new column."""
    state.pools[column.name.lower()] = draw_pool(chance, column, is_partition=column.name in state.partition_by)


def draw_pool(chance: random.Random, column: Column, *, is_partition: bool) -> tuple[Value, ...]:
    """A few values of the column's type, null among them."""
    if column.type in ("INT", "BIGINT"):
        edges = [number for number in nasty.INTEGERS if -(2**31) <= number < 2**31 or column.type == "BIGINT"]
        # Twice a key must be a whole number still.
        edges = [number for number in edges if -(2**62) <= number < 2**62]
        return (*range(KEYS), *chance.sample(edges, 2), None)
    known: Sequence[Value] = {
        "STRING": nasty.STRINGS,
        "DOUBLE": tuple(map(repr, nasty.FLOATS)),
        "FLOAT": tuple(map(repr, nasty.FLOATS)),
        "DATE": nasty.DATES,
        "TIMESTAMP": nasty.MOMENTS,
        "TIMESTAMP_NTZ": nasty.MOMENTS,
        "DECIMAL(10,2)": nasty.DECIMALS,
        "BOOLEAN": (True, False),
    }[column.type]
    if is_partition:
        known = [value for value in known if value != nasty.NULL_FOLDER]
    return (*chance.sample(list(known), min(POOL, len(known))), None)


def draw_rows(
    chance: random.Random, state: TableState, columns: Sequence[Column] | None = None, most: int = MOST_ROWS
) -> Rows:
    """Rows for these columns, by default for all that are given values."""
    wanted = tuple(Column(each.name, each.type) for each in (state.given if columns is None else columns))
    values = tuple(
        tuple(chance.choice(state.pools[column.name.lower()]) for column in wanted)
        for _ in range(chance.randint(0 if chance.random() < 0.05 else 1, most))
    )
    return Rows(wanted, values, chance.choice((1, 1, 2)))
