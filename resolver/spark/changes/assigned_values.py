"""Values assigned to columns: brought to the column's type as SQL's assignments are, structs field by field by name."""

from __future__ import annotations

from typing import TYPE_CHECKING

from deltaresolver.errors import ValueNotAssignableError
from deltaresolver.model.schema import ArrayType, DataType, FieldPath, MapType, StructType, quote_path
from deltaresolver.spark.writing.fitted_columns import same_shape, spark_type
from deltaresolver.spark.writing.row_violations import cast_or_fail
from deltaresolver.spark.writing.schema_merge import VOID, fits

if TYPE_CHECKING:
    from pyspark.sql import Column


def assigned(
    value: Column,
    given: DataType,
    wanted: DataType,
    path: FieldPath,
    *,
    fills: bool = False,
    before: Column | None = None,
) -> Column:
    """`value`, of type `given`, as a column of type `wanted` takes it. It must be cheap to name more than once.

    With `fills`, structs may lack fields: these keep what the column held in `before`, and are null without it.
    Raises `ValueNotAssignableError`.
    """
    from pyspark.sql import functions

    if isinstance(given, str) and given in VOID:
        return functions.lit(None).cast(spark_type(wanted))
    if same_shape(given, wanted):
        return value
    if isinstance(given, StructType) and isinstance(wanted, StructType):
        return _struct(value, given, wanted, path, fills=fills, before=before)
    if isinstance(given, ArrayType) and isinstance(wanted, ArrayType):
        element = (*path, "element")
        return functions.transform(
            value, lambda each: assigned(each, given.element_type, wanted.element_type, element, fills=fills)
        )
    if isinstance(given, MapType) and isinstance(wanted, MapType):
        key, item = (*path, "key"), (*path, "value")
        keyed = functions.transform_keys(
            value, lambda each, _: assigned(each, given.key_type, wanted.key_type, key, fills=fills)
        )
        return functions.transform_values(
            value if same_shape(given.key_type, wanted.key_type) else keyed,
            lambda _, each: assigned(each, given.value_type, wanted.value_type, item, fills=fills),
        )
    if isinstance(given, str) and isinstance(wanted, str):
        kind = spark_type(wanted)
        return value.cast(kind) if fits(given, wanted) else cast_or_fail(value, kind, quote_path(path), wanted)
    raise _mismatch(given, wanted, path)


def _struct(
    value: Column, given: StructType, wanted: StructType, path: FieldPath, *, fills: bool, before: Column | None
) -> Column:
    from pyspark.sql import functions

    known = {field.name.lower(): field for field in given.fields}
    missing = [field.name for field in wanted.fields if field.name.lower() not in known]
    if len(given.fields) + len(missing) != len(wanted.fields) or (missing and not fills):
        raise _mismatch(given, wanted, path)
    parts = []
    for field in wanted.fields:
        here = known.get(field.name.lower())
        old = None if before is None else before.getField(field.name)
        if here is not None:
            part = assigned(
                value.getField(here.name), here.type, field.type, (*path, field.name), fills=fills, before=old
            )
        else:
            part = functions.lit(None) if old is None else old
        parts.append(part.cast(spark_type(field.type)).alias(field.name))
    is_there = value.isNotNull()
    if before is not None and missing:
        is_there = is_there | before.isNotNull()
    return functions.when(is_there, functions.struct(*parts))


def _mismatch(given: DataType, wanted: DataType, path: FieldPath) -> ValueNotAssignableError:
    shown = [_shown(each) for each in (given, wanted)]
    return ValueNotAssignableError(
        f"A value of type {shown[0]} is assigned to column {quote_path(path)}, which is {shown[1]}.",
        fix="Give a value whose fields are those of the column, by name; a MERGE with schema evolution may add some.",
        details={"column": list(path), "given": shown[0], "wanted": shown[1]},
    )


def _shown(data_type: DataType) -> str:
    return data_type if isinstance(data_type, str) else spark_type(data_type).simpleString()
