"""Columns of nulls alone, whose type is VOID: in the table's schema, and not in its data files.

So any type may follow: files that lack a column read as nulls of whatever type it has by then.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from deltaresolver.errors import WriteSchemaMismatchError
from deltaresolver.model.facts.nested_types import parts
from deltaresolver.model.metadata import Metadata
from deltaresolver.model.schema import DataType, FieldPath, StructType, quote_path, quoted
from deltaresolver.spark.writing.schema_merge import VOID

if TYPE_CHECKING:
    from pyspark.sql import Column, DataFrame

_EMPTY = "DELTA_CANNOT_WRITE_EMPTY_SCHEMA"


def storable(metadata: Metadata) -> Metadata:
    """The metadata, under which rows can be written. Raises `WriteSchemaMismatchError`."""
    if may_have_voids(metadata.schema_string):
        ensure_storable(metadata.schema)
    return metadata


def may_have_voids(schema_text: str | None) -> bool:
    """Whether a schema is worth a look."""
    return schema_text is not None and any(f'"{name}"' in schema_text for name in VOID)


def ensure_storable(schema: StructType) -> None:
    """Files can hold rows of this schema without its void columns. Raises `WriteSchemaMismatchError`."""
    if schema.fields and all(_is_void(field.type) for field in schema.fields):
        raise _refused("All columns of the table have no type, only null", f"{_EMPTY}.TABLE_ALL_VOID_COLUMNS", ())
    for path, kind in _within(schema, ()):
        if isinstance(kind, StructType):
            raise _refused("All fields of a struct have no type, only null", f"{_EMPTY}.STRUCT_ALL_VOID_FIELDS", path)
        raise _refused("An array or map holds nulls alone", "DELTA_COMPLEX_TYPE_COLUMN_CONTAINS_NULL_TYPE", path)


def without_voids(rows: DataFrame) -> DataFrame:
    """The rows as files hold them."""
    from pyspark.sql.types import NullType

    fields = [field for field in rows.schema.fields if not isinstance(field.dataType, NullType)]
    return rows.select(*(_kept(rows[quoted(field.name)], field) for field in fields))


def _kept(column: Column, field: Any) -> Column:
    from pyspark.sql.functions import struct, when
    from pyspark.sql.types import NullType, StructType

    if not isinstance(field.dataType, StructType) or not may_have_voids(field.dataType.json()):
        return column
    inner = [
        _kept(column.getField(each.name), each).alias(each.name, metadata=each.metadata)
        for each in field.dataType.fields
        if not isinstance(each.dataType, NullType)
    ]
    return when(column.isNotNull(), struct(*inner)).alias(field.name, metadata=field.metadata)


def _is_void(kind: DataType) -> bool:
    return isinstance(kind, str) and kind in VOID


def _within(kind: DataType, path: FieldPath) -> Iterator[tuple[FieldPath, DataType]]:
    """Structs of voids alone, and arrays and maps that hold one."""
    if isinstance(kind, StructType):
        if path and kind.fields and all(_is_void(field.type) for field in kind.fields):
            yield path, kind
        for field in kind.fields:
            yield from _within(field.type, (*path, field.name))
    else:
        for _, part in parts(kind):
            if _is_void(part) or (isinstance(part, StructType) and any(_is_void(each.type) for each in part.fields)):
                yield path, kind
            else:
                yield from _within(part, path)


def _refused(what: str, condition: str, path: FieldPath) -> WriteSchemaMismatchError:
    where = f": {quote_path(path)}" if path else ""
    return WriteSchemaMismatchError(
        f"{what}{where}.",
        fix="Cast it to the type that the table shall have.",
        details={"column": list(path)},
        delta_class="DeltaAnalysisException",
        delta_condition=condition,
    )
