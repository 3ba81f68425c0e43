"""The schema of a new table, as callers give it: Delta's own JSON, DDL text, a parsed schema, or an Arrow schema."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any, TypeAlias

import pyarrow as pa

from deltaresolver.errors import SchemaRuleError
from deltaresolver.model.facts.nested_types import with_parts
from deltaresolver.model.schema import (
    ArrayType,
    DataType,
    MapType,
    StructField,
    StructType,
    encode_schema,
    parse_schema,
)
from deltaresolver.transaction.create.table_columns import read_columns

Schema: TypeAlias = StructType | str | Mapping[str, Any] | pa.Schema

_SIMPLE: Mapping[pa.DataType, str] = {
    pa.int8(): "byte",
    pa.int16(): "short",
    pa.int32(): "integer",
    pa.int64(): "long",
    pa.float32(): "float",
    pa.float64(): "double",
    pa.bool_(): "boolean",
    pa.string(): "string",
    pa.large_string(): "string",
    pa.string_view(): "string",
    pa.binary(): "binary",
    pa.large_binary(): "binary",
    pa.binary_view(): "binary",
    pa.date32(): "date",
}


def schema_text(schema: Schema, *, may_be_empty: bool = False) -> str:
    """The schema as the log writes it. Raises `SchemaMalformedError`, `SchemaRuleError`.

    A text is JSON, or columns as DDL writes them, `"id BIGINT NOT NULL, day STRING COMMENT 'of arrival'"`; that
    raises `StatementUnreadableError`.
    """
    if isinstance(schema, pa.Schema):
        schema = StructType(tuple(_field(field, ()) for field in schema))
    elif isinstance(schema, str):
        schema = parse_schema(schema) if schema.lstrip()[:1] in ("{", "") else read_columns(schema)
    elif isinstance(schema, Mapping):
        schema = parse_schema(json.dumps(schema))
    if not (schema.fields or may_be_empty):
        raise SchemaRuleError(
            "A table needs at least one column.",
            fix="Give a schema with columns.",
            delta_condition="DELTA_EMPTY_SCHEMA",
        )
    return encode_schema(StructType(tuple(map(_complete, schema.fields))))


def _complete(field: StructField) -> StructField:
    """The field with an object, not null, for its metadata and that of every field in it, as readers expect."""
    return StructField(field.name, _complete_type(field.type), field.nullable, field.metadata or {})


def _complete_type(data_type: DataType) -> DataType:
    return with_parts(data_type, _complete_type, _complete)


def _field(field: pa.Field, parent: tuple[str, ...]) -> StructField:
    return StructField(field.name, _type(field.type, (*parent, field.name)), field.nullable, {})


def _type(data_type: pa.DataType, path: tuple[str, ...]) -> DataType:
    if data_type in _SIMPLE:
        return _SIMPLE[data_type]
    if pa.types.is_decimal128(data_type):
        return f"decimal({data_type.precision},{data_type.scale})"
    if pa.types.is_timestamp(data_type):
        return "timestamp_ntz" if data_type.tz is None else "timestamp"
    if pa.types.is_struct(data_type):
        return StructType(tuple(_field(data_type.field(number), path) for number in range(data_type.num_fields)))
    if pa.types.is_list(data_type) or pa.types.is_large_list(data_type):
        return ArrayType(_type(data_type.value_type, (*path, "element")), data_type.value_field.nullable)
    if pa.types.is_map(data_type):
        key, value = _type(data_type.key_type, (*path, "key")), _type(data_type.item_type, (*path, "value"))
        return MapType(key, value, data_type.item_field.nullable)
    raise SchemaRuleError(
        f"Column {'.'.join(path)} is of the Arrow type {data_type}, which Delta does not have.",
        fix="Cast the column to a type that Delta has.",
        details={"column": list(path), "type": str(data_type)},
        delta_condition="DELTA_UNSUPPORTED_DATA_TYPES",
    )
