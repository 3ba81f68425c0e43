"""Arrow columns as a file has them, brought into the shape that the table's schema says."""

from __future__ import annotations

import pyarrow as pa
import pyarrow.compute as pc

from deltaresolver.errors import SourceRuleUnsupportedError
from deltaresolver.model.facts.columns import physical_name
from deltaresolver.model.schema import ArrayType, DataType, MapType, StructType, base_type

VARIANT = "variant"


def conformed(array: pa.Array, kind: DataType, target: pa.DataType, mode: str) -> pa.Array:
    """The column as `target`: nested fields by the names files have under mapping `mode`, missing ones null.

    Raises `pyarrow.ArrowException` for values that the type cannot hold, `SourceRuleUnsupportedError` for a
    shredded variant.
    """
    if array.type == target:
        return array
    if pa.types.is_null(array.type):
        return pa.nulls(len(array), target)
    if kind == VARIANT:
        return _variant(array, target)
    if isinstance(kind, StructType):
        return _struct(array, kind, target, mode)
    if isinstance(kind, ArrayType):
        whole = values_from_start(array)
        items = conformed(whole.values, kind.element_type, target.value_type, mode)
        return pa.ListArray.from_arrays(whole.offsets, items, type=target, mask=mask_of(whole))
    if isinstance(kind, MapType):
        whole = values_from_start(array)
        keys = conformed(whole.keys, kind.key_type, target.key_type, mode)
        items = conformed(whole.items, kind.value_type, target.item_type, mode)
        return pa.MapArray.from_arrays(whole.offsets, keys, items, type=target, mask=mask_of(whole))
    return _plain(array, str(kind), target)


def _plain(array: pa.Array, kind: str, target: pa.DataType) -> pa.Array:
    if base_type(kind) in ("timestamp", "timestamp_ntz"):
        # Finer units than the table's are cut, as Spark does.
        if not pa.types.is_timestamp(array.type):
            array = array.cast(pa.timestamp("us"))
        return array.cast(pa.timestamp("us", array.type.tz), safe=False).view(pa.int64()).view(target)
    if pa.types.is_floating(target) and pa.types.is_integer(array.type):
        return array.cast(target, safe=False)
    return array.cast(target)


def _struct(array: pa.StructArray, kind: StructType, target: pa.StructType, mode: str) -> pa.Array:
    names = [array.type.field(place).name for place in range(array.type.num_fields)]
    children = []
    for place, field in enumerate(kind.fields):
        name, wanted = physical_name(field, mode), target.field(place).type
        found = names.index(name) if name in names else _any_case(names, name)
        if found is None:
            children.append(pa.nulls(len(array), wanted))
        else:
            children.append(conformed(array.field(found), field.type, wanted, mode))
    fields = [target.field(place) for place in range(target.num_fields)]
    return pa.StructArray.from_arrays(children, fields=fields, mask=mask_of(array))


def _any_case(names: list[str], wanted: str) -> int | None:
    lowered = [name.lower() for name in names]
    return lowered.index(wanted.lower()) if wanted.lower() in lowered else None


def _variant(array: pa.StructArray, target: pa.StructType) -> pa.Array:
    names = {array.type.field(place).name for place in range(array.type.num_fields)}
    if names != {"value", "metadata"}:
        raise SourceRuleUnsupportedError(
            'A data file holds a shredded variant, which format("deltaresolver") does not put together.',
            fix="Read the table with deltaresolver.spark.read.",
            details={"fields": sorted(names)},
        )
    fields = [target.field(place) for place in range(target.num_fields)]
    children = [_filled(array.field(array.type.get_field_index(field.name)), field) for field in fields]
    return pa.StructArray.from_arrays(children, fields=fields, mask=mask_of(array))


def _filled(array: pa.Array, field: pa.Field) -> pa.Array:
    cast = array.cast(field.type)
    return cast if field.nullable or not cast.null_count else pc.fill_null(cast, b"")


def mask_of(array: pa.Array) -> pa.Array | None:
    """Which values are null, as building nested arrays takes it."""
    return array.is_null() if array.null_count else None


def values_from_start(array: pa.Array) -> pa.Array:
    """The same values with offsets that begin at nought, which building from offsets asks for."""
    if array.offset == 0:
        return array
    return array.take(pa.array(range(len(array)), pa.int64()))
