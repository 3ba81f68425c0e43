"""Rows as a table stores them, and assignments to columns and fields of structs spelt out."""

from __future__ import annotations

from collections.abc import Sequence

import pyarrow as pa
import pyarrow.compute as pc

from tests.differential.evaluation import Evaluation
from tests.differential.expected import RefusedError
from tests.differential.kinds import fields_of, is_text, length_of
from tests.differential.program import Assignments, Column, quoted
from tests.differential.values import conformed


def stored(evaluation: Evaluation, given: pa.Table, columns: Sequence[Column], partition_by: Sequence[str]) -> pa.Table:
    """Columns by name, made ones and defaults computed, declared lengths kept, no empty text as a partition.

    Raises `RefusedError`, `UnknownOutcomeError`.
    """
    by_lower = {name.lower(): place for place, name in enumerate(given.column_names)}
    arrays = []
    for column in columns:
        place = by_lower.get(column.name.lower())
        values = pa.nulls(given.num_rows) if place is None else given.column(place).combine_chunks()
        arrays.append(values)
    rows = conformed(pa.Table.from_arrays(arrays, names=[each.name for each in columns]), columns)
    for place, column in enumerate(columns):
        is_missing = column.name.lower() not in by_lower
        text = column.default if is_missing else None
        text = column.generated if column.generated is not None else text
        if text is not None:
            made = evaluation.of(rows, columns, [f"cast({text} as {_plain(column)})"])
            rows = rows.set_column(place, column.name, made.column(0))
        if length_of(column.type) is not None:
            rows = rows.set_column(place, column.name, _fitted(rows.column(place), column.type))
        if column.name in partition_by and is_text(column.type):
            values = rows.column(place)
            values = pc.if_else(pc.equal(values, ""), pa.scalar(None, pa.string()), values)
            rows = rows.set_column(place, column.name, values)
    return rows


def _plain(column: Column) -> str:
    return "STRING" if length_of(column.type) is not None else column.type


def _fitted(values: pa.ChunkedArray, kind: str) -> pa.Array:
    """Texts cut down to their length by blanks alone, those of a CHAR filled up with blanks."""
    length = length_of(kind)
    assert length is not None
    found: list[str | None] = []
    for value in values.to_pylist():
        if value is None:
            found.append(None)
            continue
        if value[length:].strip(" "):
            raise RefusedError(f"{value!r} is longer than {kind}")
        found.append(value[:length].ljust(length) if kind.startswith("CHAR") else value[:length])
    return pa.array(found, pa.string())


def assigned(columns: Sequence[Column], values: Assignments, prefix: str = "") -> dict[str, str]:
    """What each column is given: an assignment to a field is one to its struct, other fields as they are.

    Raises `RefusedError` for a name that is no column and no field.
    """
    found: dict[str, str] = {}
    left = dict(values)
    for column in columns:
        name = quoted(column.name)
        if name in left:
            found[column.name] = left.pop(name)
        parts = {f"{name}.{quoted(field.name)}": field for field in fields_of(column.type)}
        if not parts.keys() & left.keys():
            continue
        shown = (
            f"cast({left.pop(path, f'{prefix}{path}')} as {field.type}) as {quoted(field.name)}"
            for path, field in parts.items()
        )
        found[column.name] = f"struct({', '.join(shown)})"
    if left:
        raise RefusedError("an unknown column is assigned")
    return found
