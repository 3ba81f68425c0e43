"""Values of programs as Arrow has them, and back as something that can be counted. Nothing of the library is used."""

from __future__ import annotations

import datetime
import decimal
import re
from collections import Counter
from collections.abc import Sequence
from typing import Any, TypeAlias

import pyarrow as pa

from tests.differential.kinds import arrow_type, element_of, fields_of, value_of
from tests.differential.program import UNSTABLE, Column, Rows, Value

Bag: TypeAlias = "Counter[tuple[Any, ...]]"
"""Rows as a multiset."""

_UUID = re.compile(r"[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}")


def scalar(value: Value, kind: str) -> Any:
    """One value as Arrow takes it."""
    if value is None:
        return None
    element, fields = element_of(kind), fields_of(kind)
    if isinstance(value, tuple):
        if element is not None:
            return [scalar(each, element) for each in value]
        inside = value_of(kind)
        if inside is not None:
            return [(pair[0], scalar(pair[1], inside)) for pair in value if isinstance(pair, tuple)]
        return {field.name: scalar(each, field.type) for field, each in zip(fields, value, strict=True)}
    if kind == "BINARY":
        return bytes.fromhex(str(value))
    if kind in ("FLOAT", "DOUBLE"):
        return float(value)
    if kind.startswith("DECIMAL"):
        return decimal.Decimal(str(value))
    if kind == "DATE":
        return datetime.date.fromisoformat(str(value))
    if kind.startswith("TIMESTAMP"):
        return datetime.datetime.fromisoformat(str(value))
    return value


def arrow_table(rows: Rows) -> pa.Table:
    """The rows as Arrow has them; moments of TIMESTAMP columns are in UTC."""
    arrays = [
        pa.array([scalar(row[place], column.type) for row in rows.values], arrow_type(column.type))
        for place, column in enumerate(rows.columns)
    ]
    return pa.Table.from_arrays(arrays, names=[column.name for column in rows.columns])


def conformed(table: pa.Table, columns: Sequence[Column]) -> pa.Table:
    """These columns in this order, in their own types; null where the table lacks one."""
    arrays = []
    for column in columns:
        kind = arrow_type(column.type)
        found = table.column(column.name) if column.name in table.column_names else None
        arrays.append(pa.nulls(table.num_rows, kind) if found is None else found.combine_chunks().cast(kind))
    return pa.Table.from_arrays(arrays, names=[column.name for column in columns])


def counted(table: pa.Table) -> Bag:
    """The rows as a multiset. NaN is equal to itself, and 0.0 is another value than -0.0."""
    return Counter(as_tuples(table))


def as_tuples(table: pa.Table) -> list[tuple[Any, ...]]:
    """The rows, in values that can be compared and hashed."""
    columns = [_plain(column) for column in table.columns]
    return list(zip(*columns, strict=True)) if columns else []


def is_unstable(value: object) -> bool:
    """Whether a value came of `UNSTABLE`."""
    return isinstance(value, str) and _UUID.fullmatch(value) is not None


def steadied(bag: Bag) -> Bag:
    """The same rows with `UNSTABLE` where something came of it."""
    found: Bag = Counter()
    for row, times in bag.items():
        found[tuple(UNSTABLE if is_unstable(value) else value for value in row)] += times
    return found


def _plain(column: pa.ChunkedArray) -> list[Any]:
    if pa.types.is_timestamp(column.type):
        column = column.cast(pa.timestamp("us", column.type.tz)).cast(pa.int64())
    elif pa.types.is_date(column.type):
        column = column.cast(pa.int32())
    return [_hashable(value) for value in column.to_pylist()]


def _hashable(value: Any) -> Any:
    if isinstance(value, dict):
        return tuple((name, _hashable(each)) for name, each in value.items())
    if isinstance(value, list | tuple):
        return tuple(map(_hashable, value))
    return repr(value) if isinstance(value, float) else value
