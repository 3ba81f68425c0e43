"""Delta schemas as Spark schemas and back; columns by the names users see and by those in data files.

Both write a type as the same JSON, so only names and field metadata need translating.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any

import msgspec

from deltaresolver.errors import SchemaMalformedError
from deltaresolver.model.facts.columns import mapping_mode, physical_name
from deltaresolver.model.facts.keys import COLUMN_DEFAULT, COLUMN_ID, PARQUET_FIELD_ID
from deltaresolver.model.metadata import Metadata
from deltaresolver.model.schema import (
    ArrayType,
    DataType,
    MapType,
    StructField,
    StructType,
    UserDefinedType,
    encode_schema,
    parse_schema,
)

if TYPE_CHECKING:
    from pyspark.sql import types

_OF_THE_TABLE = ("delta.", COLUMN_DEFAULT, "EXISTS_DEFAULT", PARQUET_FIELD_ID)

FieldChange = Callable[[StructField, DataType], StructField]
"""A field and its type, already changed below, to the field that takes its place."""


def spark_schema(schema: StructType) -> types.StructType:
    """The schema as Spark's own value, field metadata included. Raises `SchemaMalformedError` for an unknown type."""
    from pyspark.sql import types

    try:
        return types.StructType.fromJson(json.loads(encode_schema(schema_with(schema, _with_metadata))))
    except Exception as error:  # PySpark raises its own, KeyError or ValueError by release
        raise SchemaMalformedError(
            f"The table schema holds a type that this Spark does not know: {error}.",
            fix="Use a Spark release that knows the type, or read the other columns.",
            details={"reason": str(error)},
        ) from error


def delta_schema(schema: types.StructType) -> StructType:
    """The Delta schema of a Spark schema. Raises `SchemaMalformedError`."""
    return parse_schema(schema.json())


def visible_schema(schema: StructType) -> StructType:
    """The schema as readers of the table see it: without the field metadata that only the table needs."""
    return schema_with(schema, _without_table_metadata)


def nullable_schema(schema: StructType) -> StructType:
    """The schema in which everything may be null, what collections hold too."""
    return StructType(
        tuple(_nullable(field, _type_with(field.type, _nullable, nullable=True)) for field in schema.fields)
    )


def physical_schema(metadata: Metadata) -> StructType:
    """The table's schema as data files have it: their names and, by id, their field ids; no other field metadata.

    All fields may be null: what a file lacks is null.
    """
    return StructType(tuple(physical_field(field, mapping_mode(metadata)) for field in metadata.schema.fields))


def physical_field(field: StructField, mode: str) -> StructField:
    """One field, with what is nested in it, as data files have it under mapping `mode`."""

    def change(each: StructField, data_type: DataType) -> StructField:
        found = each.metadata or {}
        ids = {PARQUET_FIELD_ID: found[COLUMN_ID]} if mode == "id" and COLUMN_ID in found else {}
        return StructField(physical_name(each, mode), data_type, True, ids)

    return change(field, _type_with(field.type, change, nullable=True))


def schema_with(schema: StructType, change: FieldChange) -> StructType:
    """The schema with every field changed, the innermost first."""
    return StructType(tuple(change(field, _type_with(field.type, change)) for field in schema.fields))


def _type_with(data_type: DataType, change: FieldChange, *, nullable: bool = False) -> DataType:
    if isinstance(data_type, StructType):
        return StructType(
            tuple(change(each, _type_with(each.type, change, nullable=nullable)) for each in data_type.fields)
        )
    if isinstance(data_type, ArrayType):
        element = _type_with(data_type.element_type, change, nullable=nullable)
        return ArrayType(element, data_type.contains_null or nullable)
    if isinstance(data_type, MapType):
        key = _type_with(data_type.key_type, change, nullable=nullable)
        value = _type_with(data_type.value_type, change, nullable=nullable)
        return MapType(key, value, data_type.value_contains_null or nullable)
    if isinstance(data_type, UserDefinedType):
        return _type_with(data_type.sql_type, change, nullable=nullable)
    return data_type


def _with_metadata(field: StructField, data_type: DataType) -> StructField:
    # PySpark asks every field for its metadata.
    return msgspec.structs.replace(field, type=data_type, metadata=field.metadata or {})


def _nullable(field: StructField, data_type: DataType) -> StructField:
    return msgspec.structs.replace(field, type=data_type, nullable=True)


def _without_table_metadata(field: StructField, data_type: DataType) -> StructField:
    return msgspec.structs.replace(field, type=data_type, metadata=visible_metadata(field.metadata))


def visible_metadata(metadata: Mapping[str, Any] | None) -> dict[str, Any]:
    """What of a field's metadata concerns users: a comment, say, but no column ids or generation expressions."""
    return {key: value for key, value in (metadata or {}).items() if not key.startswith(_OF_THE_TABLE)}
