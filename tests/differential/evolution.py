"""Rows that are not quite as the table is: new fields, wider types, names and fields in another guise or order."""

from __future__ import annotations

import random
from collections.abc import Mapping, Sequence

import attrs

from tests.differential.kinds import ARRAY, IN_STRUCTS, MAP, element_of, fields_of, is_nested, struct_of, value_of
from tests.differential.program import Column, Rows, Value
from tests.differential.tables import WIDENING, TableState, column_names, draw_pool

WIDER: Mapping[str, str] = {"INT": "BIGINT", "FLOAT": "DOUBLE", "DECIMAL(10,2)": "DECIMAL(12,2)"}
BEYOND: Mapping[str, Sequence[Value]] = {"BIGINT": (2**40, -(2**31) - 1), "DECIMAL(12,2)": ("1234567890.12",)}
"""Values that the narrower type does not take."""


def draw_evolution(chance: random.Random, state: TableState, *, knows_properties: bool) -> bool:
    """Give a struct a new field or a column a wider type, as a write that may; false where there is none."""
    ways = [_wider] * knows_properties + [_with_field]
    chance.shuffle(ways)
    return any(way(chance, state) for way in ways)


def _with_field(chance: random.Random, state: TableState) -> bool:
    structs = [column for column in state.given if fields_of(column.type)]
    if not structs:
        return False
    column = chance.choice(structs)
    fields = fields_of(column.type)
    taken = {field.name.lower() for field in fields}
    names = [name for name in column_names(mapped=state.is_mapped) if name.lower() not in taken]
    new = Column(chance.choice(names), chance.choice((*IN_STRUCTS, f"{ARRAY}INT>", f"{MAP}STRING>")))
    pool = draw_pool(chance, new, is_partition=False)
    known = state.pools[column.name.lower()]
    grown = tuple(
        value if value is None else (*value, chance.choice(pool)) for value in known if isinstance(value, tuple | None)
    )
    state.pools[column.name.lower()] = grown
    _retype(state, column, struct_of([*fields, new]))
    return True


def _wider(chance: random.Random, state: TableState) -> bool:
    found = [column for column in state.free if column.type in WIDER]
    if state.properties.get(WIDENING) != "true" or not found:
        return False
    widen(state, chance.choice(found))
    return True


def widen(state: TableState, column: Column) -> str:
    """The column gets the next wider type."""
    kind = WIDER[column.type]
    state.pools[column.name.lower()] = (*BEYOND.get(kind, ()), *state.pools[column.name.lower()])
    _retype(state, column, kind)
    return kind


def _retype(state: TableState, column: Column, kind: str) -> None:
    state.columns[state.columns.index(column)] = attrs.evolve(column, type=kind)


def varied(chance: random.Random, rows: Rows, *, keeps_names: bool = False) -> Rows:
    """The same rows with fields in another order and, unless it `keeps_names`, names in other capitals."""
    share = 0.0 if keeps_names else 0.3
    columns = list(rows.columns)
    values = [list(row) for row in rows.values]
    for place, column in enumerate(columns):
        kind = _varied_kind(chance, column.type, share)
        for row in values:
            row[place] = rearranged(row[place], column.type, kind)
        columns[place] = Column(_varied_name(chance, column.name, share), kind)
    return Rows(tuple(columns), tuple(map(tuple, values)), rows.files)


def _varied_name(chance: random.Random, name: str, share: float) -> str:
    is_plain = name.isascii() and name.isidentifier()
    return name.swapcase() if is_plain and chance.random() < share else name


def _varied_kind(chance: random.Random, kind: str, share: float) -> str:
    fields, element, inside = fields_of(kind), element_of(kind), value_of(kind)
    if fields:
        order = chance.sample(fields, len(fields)) if chance.random() < 0.5 else fields
        return struct_of(
            [Column(_varied_name(chance, each.name, share), _varied_kind(chance, each.type, share)) for each in order]
        )
    if element is not None:
        return f"{ARRAY}{_varied_kind(chance, element, share)}>"
    if inside is not None:
        return f"{MAP}{_varied_kind(chance, inside, share)}>"
    return kind


def rearranged(value: Value, kind: str, wanted: str) -> Value:
    """A value of one type as one of another whose fields have the same names, whatever their order and capitals."""
    if not isinstance(value, tuple) or kind == wanted:
        return value
    fields, element, inside = fields_of(kind), element_of(kind), value_of(kind)
    if fields:
        by_lower = {field.name.lower(): (each, field.type) for each, field in zip(value, fields, strict=True)}
        parts = [(by_lower.get(field.name.lower()), field.type) for field in fields_of(wanted)]
        return tuple(None if part is None else rearranged(*part, kind) for part, kind in parts)
    if element is not None:
        return tuple(rearranged(each, element, element_of(wanted) or "") for each in value)
    assert inside is not None, kind
    pairs = (pair for pair in value if isinstance(pair, tuple))
    return tuple((key, rearranged(each, inside, value_of(wanted) or "")) for key, each in pairs)


def fitted(rows: Rows, columns: Sequence[Column]) -> Rows:
    """The rows with nested values as these columns have them, found by names in any capitals."""
    by_lower = {column.name.lower(): column for column in columns}
    found = []
    for column in rows.columns:
        known = by_lower.get(column.name.lower())
        found.append(attrs.evolve(column, type=known.type) if known is not None and is_nested(column.type) else column)
    values = tuple(
        tuple(
            rearranged(value, column.type, here.type)
            for value, column, here in zip(row, rows.columns, found, strict=True)
        )
        for row in rows.values
    )
    return Rows(tuple(found), values, rows.files)


def joined(kind: str, other: str) -> str:
    """The type of a column whose rows bring `other`: fields that it has, then new ones."""
    fields, more = fields_of(kind), fields_of(other)
    if fields and more:
        by_lower = {field.name.lower(): field for field in more}
        known = {field.name.lower() for field in fields}
        kept = [
            attrs.evolve(field, type=joined(field.type, by_lower[field.name.lower()].type))
            if field.name.lower() in by_lower
            else field
            for field in fields
        ]
        return struct_of([*kept, *(field for field in more if field.name.lower() not in known)])
    element, second = element_of(kind), element_of(other)
    if element is not None and second is not None:
        return f"{ARRAY}{joined(element, second)}>"
    inside, value = value_of(kind), value_of(other)
    if inside is not None and value is not None:
        return f"{MAP}{joined(inside, value)}>"
    return kind


def evolved(column: Column, given: Sequence[Column], *, widens: bool) -> Column:
    """A column of the table after rows with these columns were written that may change its type."""
    for other in given:
        if other.name.lower() == column.name.lower():
            if widens and WIDER.get(column.type) == other.type:
                return attrs.evolve(column, type=other.type)
            return attrs.evolve(column, type=joined(column.type, other.type))
    return column
