"""Random tables: columns, partitions, properties and the values that rows are drawn from."""

from __future__ import annotations

import random
from collections.abc import Mapping, Sequence

import attrs

from tests import nasty
from tests.differential.kinds import draw_kind, plain
from tests.differential.kinds import draw_values as draw_wide_values
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
DEFAULTS: Mapping[str, Sequence[str]] = {
    "STRING": ("'none'", "'O''Brien'", "concat('a', 'b')", '"x"'),
    "DOUBLE": ("1.5D", "1 + 1", "-0.0D"),
    "BOOLEAN": ("true", "NULL"),
    "DATE": ("DATE'2024-02-29'", "to_date('1500-01-01')"),
    "DECIMAL(10,2)": ("1.50", "2"),
    "VARCHAR(4)": ("'ab'", "''"),
}
"""By type, in SQL that means the same in every session."""
COLUMN_DEFAULTS = "delta.feature.allowColumnDefaults"
IDENTITIES = ((1, 1), (0, 1), (-5, -3), (10, 7), (2**31 - 2, 1))
POOL = 4
KEYS = 8
MAX_ROWS = 6
FEED, VECTORS, TRACKING = "delta.enableChangeDataFeed", "delta.enableDeletionVectors", "delta.enableRowTracking"
MAPPING, WIDENING, CHECKPOINTS = "delta.columnMapping.mode", "delta.enableTypeWidening", "delta.checkpointInterval"


@attrs.define
class TableState:
    """What a generator knows of the table so far; a wide one has columns of `kinds` too, and sources with doubles."""

    columns: list[Column]
    partition_by: tuple[str, ...]
    properties: dict[str, str]
    pools: dict[str, tuple[Value, ...]]
    is_wide: bool = False
    identity: tuple[int, int] | None = None
    former: set[str] = attrs.Factory(set)
    """Names that columns had once."""

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
    def is_made(self) -> bool:
        """Whether the table itself makes values of a column."""
        return self.identity is not None or any(column.generated for column in self.columns)

    @property
    def free(self) -> list[Column]:
        """Columns that may be renamed or dropped, or whose type may change."""
        if self.is_made:
            return []
        return [column for column in self.columns[1:] if column.name not in self.partition_by]


def draw_table(chance: random.Random, *, is_wide: bool = False) -> TableState:
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
        is_parted = place <= parted
        if is_wide and chance.random() < (0.3 if is_parted else 0.5):
            columns += [Column(picked[place], draw_kind(chance, names, is_partition=is_parted))]
        else:
            columns += [Column(picked[place], chance.choice(kinds))]
    partition_by = tuple(column.name for column in columns[1 : parted + 1])
    if chance.random() < 0.12:
        columns.append(Column("made", "BIGINT", f"{_quoted(columns[0].name)} * 2"))
    state = TableState(columns, partition_by, properties, {}, is_wide)
    for column in columns:
        add_pool(chance, state, column)
    if is_wide and chance.random() < 0.3:
        _give_defaults(chance, state)
    if is_wide and chance.random() < 0.15:
        state.identity = chance.choice(IDENTITIES)
    return state


def _give_defaults(chance: random.Random, state: TableState) -> None:
    """Some columns of plain types get a default, which `spellings` cannot mistake."""
    for place, column in enumerate(state.columns[1:], 1):
        if column.generated is None and column.type in DEFAULTS and chance.random() < 0.6:
            default = chance.choice(DEFAULTS[column.type])
            state.columns[place] = Column(column.name, column.type, default=default)
            state.properties[COLUMN_DEFAULTS] = "supported"


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
    names = again(chance, state, names)
    kind = chance.choice(TYPES)
    if kind == NO_ZONE and chance.random() < 0.8 and all(column.type != NO_ZONE for column in state.columns):
        kind = "TIMESTAMP"  # a table that was made without it refuses it
    if state.is_wide and chance.random() < 0.4:
        kind = plain(draw_kind(chance, column_names(mapped=state.is_mapped), is_partition=False))
    found = Column(chance.choice(names), kind)
    add_pool(chance, state, found)
    return found


def again(chance: random.Random, state: TableState, names: list[str]) -> list[str]:
    """Of these names those that a column had once, if the table is a wide one and chance wants it."""
    known = [name for name in names if name in state.former] if state.is_wide else []
    return known if known and chance.random() < 0.7 else names


def add_pool(chance: random.Random, state: TableState, column: Column) -> None:
    """Values for a new column."""
    is_partition = column.name in state.partition_by
    if state.is_wide and column.type == "STRING" and chance.random() < 0.4:
        alike = [text for text in chance.choice(nasty.LOOKALIKES) if not (is_partition and text == nasty.NULL_FOLDER)]
        state.pools[column.name.lower()] = (*alike, None)
        return
    state.pools[column.name.lower()] = draw_pool(chance, column, is_partition=is_partition)


def draw_pool(chance: random.Random, column: Column, *, is_partition: bool) -> tuple[Value, ...]:
    """A few values of the column's type, null among them."""
    if column.type in ("INT", "BIGINT"):
        edges = [number for number in nasty.INTEGERS if -(2**31) <= number < 2**31 or column.type == "BIGINT"]
        # Twice a key must be a whole number still.
        edges = [number for number in edges if -(2**62) <= number < 2**62]
        return (*range(KEYS), *chance.sample(edges, 2), None)
    leaves: dict[str, Sequence[Value]] = {
        "INT": tuple(number for number in nasty.INTEGERS if -(2**31) <= number < 2**31),
        "STRING": nasty.STRINGS,
        "DOUBLE": tuple(map(repr, nasty.FLOATS)),
        "FLOAT": tuple(map(repr, nasty.FLOATS)),
        "DATE": nasty.DATES,
        "TIMESTAMP": nasty.MOMENTS,
        "TIMESTAMP_NTZ": nasty.MOMENTS,
        "DECIMAL(10,2)": nasty.DECIMALS,
        "BOOLEAN": (True, False),
    }
    if column.type not in leaves:
        return (*draw_wide_values(chance, column.type, leaves, POOL), None)
    known = leaves[column.type]
    if is_partition:
        known = [value for value in known if value != nasty.NULL_FOLDER]
    return (*chance.sample(list(known), min(POOL, len(known))), None)


def draw_rows(
    chance: random.Random, state: TableState, columns: Sequence[Column] | None = None, most: int = MAX_ROWS
) -> Rows:
    """Rows for these columns, by default for all that are given values."""
    wanted = tuple(Column(each.name, plain(each.type)) for each in (state.given if columns is None else columns))
    values = tuple(
        tuple(chance.choice(state.pools[column.name.lower()]) for column in wanted)
        for _ in range(chance.randint(0 if chance.random() < 0.05 else 1, most))
    )
    return Rows(wanted, values, chance.choice((1, 1, 2)))
