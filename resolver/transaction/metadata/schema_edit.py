"""Schemas with one place changed: pure functions from schema to schema.

Names are found in any case. A path goes through `element` of an array and `key` and `value` of a map.
"""

from __future__ import annotations

from collections.abc import Callable

from deltaresolver.errors import ColumnChangeRefusedError, UnknownColumnError
from deltaresolver.model.facts.nested_types import parts, with_named_part
from deltaresolver.model.schema import DataType, FieldPath, StructField, StructType, quote_path
from deltaresolver.transaction.ddl.column_definitions import Position

Edit = Callable[[DataType], DataType]


def spelt_path(schema: StructType, path: FieldPath) -> FieldPath:
    """The path in the schema's own spelling. Raises `UnknownColumnError`."""
    spelt: FieldPath = ()
    data_type: DataType = schema
    for name in path:
        inner = _inside(data_type, name)
        if inner is None:
            raise unknown_column(schema, path)
        spelling, data_type = inner
        spelt = (*spelt, spelling)
    return spelt


def is_there(schema: StructType, path: FieldPath) -> bool:
    """Whether the path leads to something."""
    try:
        spelt_path(schema, path)
    except UnknownColumnError:
        return False
    return True


def find_field(schema: StructType, path: FieldPath) -> StructField | None:
    """The field of a struct at this path; None for anything else, such as the element of an array."""
    try:
        parent = type_at(schema, path[:-1])
    except UnknownColumnError:
        return None
    return None if not isinstance(parent, StructType) else next(filter(_named(path[-1]), parent.fields), None)


def type_at(schema: StructType, path: FieldPath) -> DataType:
    """The type at the end of the path. Raises `UnknownColumnError`."""
    data_type: DataType = schema
    for name in path:
        inner = _inside(data_type, name)
        if inner is None:
            raise unknown_column(schema, path)
        data_type = inner[1]
    return data_type


def with_type(schema: StructType, path: FieldPath, edit: Edit) -> StructType:
    """The schema with the type at the end of the path edited. Raises `UnknownColumnError`."""
    type_at(schema, path)
    edited = _edited(schema, path, edit)
    assert isinstance(edited, StructType)
    return edited


def with_fields(
    schema: StructType, parent: FieldPath, edit: Callable[[tuple[StructField, ...]], tuple[StructField, ...]]
) -> StructType:
    """The schema with the fields of the struct at `parent` edited.

    Raises `UnknownColumnError`, and `ColumnChangeRefusedError` where there is no struct.
    """

    def edit_struct(data_type: DataType) -> DataType:
        if not isinstance(data_type, StructType):
            raise ColumnChangeRefusedError(
                f"{quote_path(parent)} is not a struct, so it has no columns.",
                fix="Name a struct; in an array it is .element, in a map .key or .value.",
                details={"column": list(parent)},
                delta_class="AnalysisException",
                delta_condition="INVALID_FIELD_NAME",
            )
        return StructType(edit(data_type.fields))

    return with_type(schema, parent, edit_struct)


def with_field(schema: StructType, path: FieldPath, edit: Callable[[StructField], StructField]) -> StructType:
    """The schema with one field edited. Raises `UnknownColumnError`."""
    if find_field(schema, path) is None:
        raise unknown_column(schema, path)
    is_it = _named(path[-1])
    return with_fields(schema, path[:-1], lambda fields: tuple(edit(one) if is_it(one) else one for one in fields))


def placed(
    fields: tuple[StructField, ...], field: StructField, position: Position | None
) -> tuple[StructField, ...] | None:
    """The fields with one more, at the end if no position is given; None if the neighbour is not there."""
    if position is None:
        return (*fields, field)
    if position.after is None:
        return (field, *fields)
    is_neighbour = _named(position.after)
    at = next((number for number, one in enumerate(fields, start=1) if is_neighbour(one)), None)
    return None if at is None else (*fields[:at], field, *fields[at:])


def unknown_column(schema: StructType, path: FieldPath, condition: str | None = None) -> UnknownColumnError:
    """The error for a path that the schema does not have, by default with the condition of an unknown column."""
    return UnknownColumnError(
        f"The table has no column {quote_path(path)}.",
        fix=f"Name one of {', '.join(quote_path((field.name,)) for field in schema.fields) or 'its columns'}.",
        details={"column": list(path), "columns": [field.name for field in schema.fields]},
        delta_condition=condition,
    )


def no_field(path: FieldPath, so: str) -> ColumnChangeRefusedError:
    """The error for the element of an array or a side of a map where a column is asked for."""
    return ColumnChangeRefusedError(
        f"{quote_path(path)} is not a column or a field of a struct: {so}.",
        fix=f"Change {quote_path(path[:-1])}.",
        details={"column": list(path)},
        delta_class="AnalysisException",
        delta_condition="INVALID_FIELD_NAME",
    )


def _named(name: str) -> Callable[[StructField], bool]:
    return lambda field: field.name.lower() == name.lower()


def _inside(data_type: DataType, name: str) -> tuple[str, DataType] | None:
    """What `name` is called in the type, and its type."""
    return next((found for found in parts(data_type) if found[0].lower() == name.lower()), None)


def _edited(data_type: DataType, path: FieldPath, edit: Edit) -> DataType:
    if not path:
        return edit(data_type)
    return with_named_part(data_type, path[0], lambda inner: _edited(inner, path[1:], edit))
