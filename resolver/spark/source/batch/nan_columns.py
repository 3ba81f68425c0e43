"""Columns of fractions that hold NaN, which Spark orders after every number and Arrow leaves out of bounds.

A reader that goes by bounds without NaN skips rows: `c > 5` holds for NaN. So where a column holds NaN neither the log
nor the footer of its file may state bounds; Parquet's footers keep them for all row groups of a file or for none.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

from deltaresolver.model.schema import FieldPath


def fraction_leaves(schema: pa.Schema) -> tuple[FieldPath, ...]:
    """The paths of FLOAT and DOUBLE columns, inside of structs too; elements of collections have no order."""
    return tuple(path for field in schema for path in _leaves(field, ()))


def _leaves(field: pa.Field, above: FieldPath) -> Iterator[FieldPath]:
    path = (*above, field.name)
    if pa.types.is_floating(field.type):
        yield path
    elif pa.types.is_struct(field.type):
        for child in field.type:
            yield from _leaves(child, path)


def with_nan(batch: pa.RecordBatch, leaves: tuple[FieldPath, ...]) -> frozenset[FieldPath]:
    """Those of `leaves` that hold NaN in one of the rows of `batch`."""
    found = set()
    for path in leaves:
        values: Any = batch.column(path[0])
        for name in path[1:]:
            values = pc.struct_field(values, [name])
        if pc.any(pc.is_nan(values)).as_py():
            found.add(path)
    return frozenset(found)


def bounded_in_footer(schema: pa.Schema, unbounded: frozenset[FieldPath]) -> bool | list[str]:
    """What `ParquetWriter(write_statistics=...)` takes, so that the footer has no bounds for `unbounded`.

    Arrow knows columns by their dotted paths only; of two with the same one neither gets bounds.
    """
    if not unbounded:
        return True
    dotted = {".".join(path) for path in unbounded}
    return sorted({path for path in _parquet_paths(schema) if path not in dotted})


def _parquet_paths(schema: pa.Schema) -> list[str]:
    sink = pa.BufferOutputStream()
    with pq.ParquetWriter(sink, schema):
        pass
    footer = pq.read_metadata(pa.BufferReader(sink.getvalue())).schema
    return [footer.column(number).path for number in range(len(footer))]
