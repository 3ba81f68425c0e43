"""What types hold: the fields of a struct, the element of an array, the key and the value of a map.

A type of a user (UDT) holds nothing here; Delta stores what its `sql_type` says.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator

import msgspec

from deltaresolver.model.schema import ArrayType, DataType, MapType, StructField, StructType


def parts(data_type: DataType) -> tuple[tuple[str, DataType], ...]:
    """The types right inside one, as paths call them: by the names of fields, or `element`, or `key` and `value`."""
    if isinstance(data_type, StructType):
        return tuple((field.name, field.type) for field in data_type.fields)
    if isinstance(data_type, ArrayType):
        return (("element", data_type.element_type),)
    if isinstance(data_type, MapType):
        return ("key", data_type.key_type), ("value", data_type.value_type)
    return ()


def types_in(data_type: DataType) -> Iterator[DataType]:
    """Every type in a type, itself included, in the order of reading."""
    pending = [data_type]
    while pending:
        found = pending.pop()
        yield found
        pending += (part for _, part in reversed(parts(found)))


def with_parts(
    data_type: DataType,
    change: Callable[[DataType], DataType],
    field: Callable[[StructField], StructField] | None = None,
) -> DataType:
    """The type with each type right inside it changed, or each field by `field`; a type without parts is itself."""
    if isinstance(data_type, StructType):
        if field is not None:
            return StructType(tuple(map(field, data_type.fields)))
        return StructType(tuple(msgspec.structs.replace(each, type=change(each.type)) for each in data_type.fields))
    if isinstance(data_type, ArrayType):
        return msgspec.structs.replace(data_type, element_type=change(data_type.element_type))
    if isinstance(data_type, MapType):
        key, value = change(data_type.key_type), change(data_type.value_type)
        return msgspec.structs.replace(data_type, key_type=key, value_type=value)
    return data_type


def with_named_part(data_type: DataType, name: str, change: Callable[[DataType], DataType]) -> DataType:
    """The type with the part of this name, in any case, changed, and the other parts as they are."""
    changed = (change(part) if own.lower() == name.lower() else part for own, part in parts(data_type))
    return with_parts(data_type, lambda _: next(changed))


def both_parts(one: DataType, other: DataType) -> tuple[tuple[str, DataType, DataType], ...]:
    """What two arrays or two maps hold, side by side; nothing for any other two.

    Which field of one struct is which of another is for the caller to say.
    """
    alike = isinstance(one, ArrayType) and isinstance(other, ArrayType)
    if not alike and not (isinstance(one, MapType) and isinstance(other, MapType)):
        return ()
    return tuple((name, part, its) for (name, part), (_, its) in zip(parts(one), parts(other), strict=True))


def with_both_parts(
    one: DataType, other: DataType, join: Callable[[str, DataType, DataType], DataType]
) -> DataType | None:
    """`one`, an array or map like `other`, with what `join` makes of each two parts; None for any other two."""
    joined = [join(*both) for both in both_parts(one, other)]
    if isinstance(one, ArrayType) and joined:
        return msgspec.structs.replace(one, element_type=joined[0])
    if isinstance(one, MapType) and joined:
        return msgspec.structs.replace(one, key_type=joined[0], value_type=joined[1])
    return None
