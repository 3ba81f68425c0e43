"""The table's schema together with that of the rows: what both have, what only one has, and types that fit."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import Any

import attrs
import msgspec

from deltaresolver.errors import WriteSchemaMismatchError
from deltaresolver.model.facts.leaf_types import decimal_digits, digits_for, widens_unasked
from deltaresolver.model.facts.nested_types import both_parts, with_both_parts
from deltaresolver.model.schema import (
    ArrayType,
    DataType,
    FieldPath,
    MapType,
    StructField,
    StructType,
    base_type,
    quote_path,
)

_FITS_WITHOUT_LOSS: Mapping[str, tuple[str, ...]] = {
    "byte": ("short", "integer", "long", "float", "double"),
    "short": ("integer", "long", "float", "double"),
    "integer": ("long", "double"),
    "long": (),
    "float": ("double",),
    "date": ("timestamp_ntz",),
}
VOID = ("void", "null")
NoteTypeChange = Callable[[StructField, str, str, FieldPath], Mapping[str, Any] | None]
"""The field's metadata once the type at this place in it has changed; None where the table does not allow it."""


@attrs.frozen(slots=True)
class MergePolicy:
    """What a write may change about the table's schema."""

    adds_columns: bool = False
    note_type_change: NoteTypeChange | None = attrs.field(default=None, eq=False)
    """How a type that becomes wider is noted; None where types stay."""
    converts: bool = False
    """Whether values are brought to the table's types, so that these stay where they do not fit."""


def merge_schemas(table: StructType, rows: StructType, policy: MergePolicy) -> StructType:
    """The table's schema as the write leaves it: equal to `table` where nothing is added or widened.

    Raises `WriteSchemaMismatchError` for a type that does not fit, and for a new column where none may be added.
    """
    return _merge_structs(table, rows, policy, ())


def _merge_structs(table: StructType, rows: StructType, policy: MergePolicy, path: FieldPath) -> StructType:
    known = {field.name.lower() for field in table.fields}
    given = {field.name.lower(): field for field in rows.fields}
    if len(given) < len(rows.fields):
        raise _duplicate(rows, path)
    new = [field for field in rows.fields if field.name.lower() not in known]
    if new and not policy.adds_columns:
        raise _unknown_columns(new, path)
    merged = tuple(_merge_field(field, given.get(field.name.lower()), policy, path) for field in table.fields)
    added = tuple(nullable_field(field) for field in new)
    return StructType(merged + added)


def _merge_field(table: StructField, given: StructField | None, policy: MergePolicy, path: FieldPath) -> StructField:
    if given is None:
        return table
    here = (*path, table.name)
    merged = _merge_types(table.type, given.type, policy, here)
    if merged == table.type:
        return table
    noted = table
    for place, before, after in _changed_leaves(table.type, merged, ()):
        assert policy.note_type_change is not None
        metadata = policy.note_type_change(noted, before, after, place)
        if metadata is None:
            raise _incompatible(before, after, (*here, *place))
        noted = msgspec.structs.replace(noted, metadata=dict(metadata))
    return msgspec.structs.replace(noted, type=merged)


def _changed_leaves(before: DataType, after: DataType, place: FieldPath) -> Iterator[tuple[FieldPath, str, str]]:
    """Types that differ within one field, down to fields of structs, which keep notes of their own."""
    if isinstance(before, str) and before in VOID:
        return
    if isinstance(before, str) and isinstance(after, str) and before != after:
        yield place, before, after
    for name, one, other in both_parts(before, after):
        yield from _changed_leaves(one, other, (*place, name))


def _merge_types(table: DataType, given: DataType, policy: MergePolicy, path: FieldPath) -> DataType:
    if isinstance(table, str) and table in VOID and policy.adds_columns:
        return nullable_type(given)  # no file holds the column yet
    if isinstance(table, StructType) and isinstance(given, StructType):
        return _merge_structs(table, given, policy, path)
    merged = with_both_parts(table, given, lambda name, one, other: _merge_types(one, other, policy, (*path, name)))
    if merged is not None:
        return merged
    if isinstance(given, str) and given in VOID:
        return table
    if isinstance(table, str) and isinstance(given, str):
        return _merge_leaves(table, given, policy, path)
    if policy.converts:
        return table
    raise _incompatible(table, given, path)


def _merge_leaves(table: str, given: str, policy: MergePolicy, path: FieldPath) -> str:
    if table == given or fits(given, table) or (base_type(table) == "string" and base_type(given) == "string"):
        return table
    if policy.note_type_change is not None and policy.adds_columns and widens_unasked(table, given):
        return given
    if policy.converts:
        return table
    raise _incompatible(table, given, path)


def fits(given: str, wanted: str) -> bool:
    """Whether every value of one leaf type is a value of another, unchanged."""
    if wanted in _FITS_WITHOUT_LOSS.get(given, ()):
        return True
    new = decimal_digits(wanted)
    old = decimal_digits(given) if given in ("float", "double") else digits_for(given)
    return new is not None and old is not None and new[0] >= old[0] and new[1] >= old[1]


def nullable_field(field: StructField) -> StructField:
    """The field as a new column of a table: it may be null, whatever the rows at hand promise."""
    return msgspec.structs.replace(field, type=nullable_type(field.type), nullable=True, metadata=_kept(field))


def _kept(field: StructField) -> dict[str, object]:
    """What a column of rows says about itself that a table takes over; not what another table said of it."""
    return {key: value for key, value in (field.metadata or {}).items() if not key.startswith("delta.columnMapping.")}


def nullable_type(data_type: DataType) -> DataType:
    """The type with everything in it nullable."""
    if isinstance(data_type, StructType):
        return StructType(tuple(nullable_field(field) for field in data_type.fields))
    if isinstance(data_type, ArrayType):
        return ArrayType(nullable_type(data_type.element_type), True)
    if isinstance(data_type, MapType):
        return MapType(nullable_type(data_type.key_type), nullable_type(data_type.value_type), True)
    return data_type


def _unknown_columns(new: list[StructField], path: FieldPath) -> WriteSchemaMismatchError:
    names = [quote_path((*path, field.name)) for field in new]
    return WriteSchemaMismatchError(
        f"The rows have {', '.join(names)}, which the table does not have.",
        fix="Leave the columns out, or set the option mergeSchema to true to add them to the table.",
        details={"columns": names},
    )


def _duplicate(rows: StructType, path: FieldPath) -> WriteSchemaMismatchError:
    seen = [field.name.lower() for field in rows.fields]
    twice = sorted({quote_path((*path, field.name)) for field in rows.fields if seen.count(field.name.lower()) > 1})
    return WriteSchemaMismatchError(
        f"The rows have {', '.join(twice)} more than once, upper and lower case alike.",
        fix="Rename or drop all but one of them.",
        details={"columns": twice},
        delta_condition="DELTA_DUPLICATE_COLUMNS_FOUND",
    )


def _incompatible(table: DataType, given: DataType, path: FieldPath) -> WriteSchemaMismatchError:
    shown = [
        each if isinstance(each, str) else type(each).__name__.removesuffix("Type").lower() for each in (given, table)
    ]
    return WriteSchemaMismatchError(
        f"Column {quote_path(path)} of the rows is {shown[0]}, which does not fit {shown[1]} of the table.",
        fix=f"Cast {quote_path(path)} to {shown[1]} before the write.",
        details={"column": list(path), "rows": shown[0], "table": shown[1]},
        delta_condition="DELTA_FAILED_TO_MERGE_FIELDS",
    )
