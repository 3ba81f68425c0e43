"""Columns of rows brought into the shape of the table: order, case of names, types, and names in data files."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import msgspec

from deltaresolver.model.facts.nested_types import both_parts, with_parts
from deltaresolver.model.schema import ArrayType, DataType, MapType, StructField, StructType, encode_schema

if TYPE_CHECKING:
    from pyspark.sql import Column, types


def spark_type(data_type: DataType) -> types.DataType:
    """The type as Spark's own value."""
    from pyspark.sql import types

    schema = StructType((msgspec.structs.replace(StructField("c", data_type), metadata={}),))
    return types.StructType.fromJson(json.loads(_with_metadata(schema)))["c"].dataType


def _with_metadata(schema: StructType) -> str:
    return encode_schema(StructType(tuple(_filled(field) for field in schema.fields)))


def _filled(field: StructField) -> StructField:
    return msgspec.structs.replace(field, type=_filled_type(field.type), metadata=field.metadata or {})


def _filled_type(data_type: DataType) -> DataType:
    return with_parts(data_type, _filled_type, _filled)


def fitted(column: Column, given: DataType, wanted: DataType) -> Column:
    """A column of type `given` as `wanted`: fields found by name in any case, missing ones null, types widened.

    The types have been found to fit before.
    """
    from pyspark.sql import functions

    if same_shape(given, wanted):
        return column
    if isinstance(given, StructType) and isinstance(wanted, StructType):
        known = {field.name.lower(): field for field in given.fields}
        parts = [_part(column, known.get(field.name.lower()), field) for field in wanted.fields]
        return functions.when(column.isNotNull(), functions.struct(*parts))
    if isinstance(given, ArrayType) and isinstance(wanted, ArrayType):
        return functions.transform(column, lambda each: fitted(each, given.element_type, wanted.element_type))
    if isinstance(given, MapType) and isinstance(wanted, MapType):
        if not same_shape(given.key_type, wanted.key_type):
            column = functions.transform_keys(column, lambda key, _: fitted(key, given.key_type, wanted.key_type))
        return functions.transform_values(column, lambda _, each: fitted(each, given.value_type, wanted.value_type))
    return column.cast(spark_type(wanted))


def _part(column: Column, given: StructField | None, wanted: StructField) -> Column:
    from pyspark.sql import functions

    if given is None:
        return functions.lit(None).cast(spark_type(wanted.type)).alias(wanted.name)
    return fitted(column.getField(given.name), given.type, wanted.type).alias(wanted.name)


def same_shape(given: DataType, wanted: DataType) -> bool:
    """Equal but for what may be null and for notes on fields."""
    if isinstance(given, StructType) and isinstance(wanted, StructType):
        return len(given.fields) == len(wanted.fields) and all(
            one.name == other.name and same_shape(one.type, other.type)
            for one, other in zip(given.fields, wanted.fields, strict=True)
        )
    inner = both_parts(given, wanted)
    return all(same_shape(one, other) for _, one, other in inner) if inner else given == wanted
