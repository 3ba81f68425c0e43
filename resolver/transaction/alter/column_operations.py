"""How history shows changes of columns: names of operations and their parameters, as delta-spark writes them."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any

from deltaresolver.model.operation import Operation
from deltaresolver.model.schema import ArrayType, DataType, FieldPath, MapType, StructField, StructType
from deltaresolver.transaction.ddl.column_definitions import ColumnDefinition, Position
from deltaresolver.transaction.operation import operation


def shown_path(path: FieldPath) -> str:
    """The path with dots; a name with a dot in it stands in backticks."""
    return ".".join(f"`{name}`" if "." in name else name for name in path)


def shown_field(path: FieldPath, field: StructField) -> dict[str, Any]:
    """A column under its whole path, what is nested in it left out."""
    return {
        "name": shown_path(path),
        "type": _type_name(field.type),
        "nullable": field.nullable,
        "metadata": field.metadata or {},
    }


def _type_name(data_type: DataType) -> str:
    if isinstance(data_type, StructType):
        return "struct"
    if isinstance(data_type, ArrayType):
        return "array"
    if isinstance(data_type, MapType):
        return "map"
    return data_type if isinstance(data_type, str) else "udt"


def _shown_position(position: Position | None) -> dict[str, str]:
    if position is None:
        return {}
    return {"position": "FIRST" if position.after is None else f"AFTER {position.after}"}


def _text(value: object) -> str:
    return json.dumps(value, separators=(",", ":"), ensure_ascii=False)


def adding(columns: Sequence[ColumnDefinition]) -> Operation:
    """ADD COLUMNS."""
    shown = [{"column": shown_field(one.path, one.field), **_shown_position(one.position)} for one in columns]
    return operation("ADD COLUMNS", {"columns": _text(shown)})


def dropping(paths: Sequence[FieldPath]) -> Operation:
    """DROP COLUMNS."""
    return operation("DROP COLUMNS", {"columns": _text([shown_path(path) for path in paths])})


def renaming(path: FieldPath, name: str) -> Operation:
    """RENAME COLUMN."""
    names = {"oldColumnPath": shown_path(path), "newColumnPath": shown_path((*path[:-1], name))}
    return operation("RENAME COLUMN", names)


def changing(shown: Sequence[tuple[Mapping[str, Any], Position | None]]) -> Operation:
    """CHANGE COLUMN, or CHANGE COLUMNS for several."""
    if len(shown) == 1:
        column, position = shown[0]
        return operation("CHANGE COLUMN", {"column": _text(column), **_shown_position(position)})
    columns = [{**column, **_shown_position(position)} for column, position in shown]
    return operation("CHANGE COLUMNS", {"columns": _text(columns)})


def replacing(fields: Sequence[StructField]) -> Operation:
    """REPLACE COLUMNS."""
    return operation("REPLACE COLUMNS", {"columns": _text([shown_field((field.name,), field) for field in fields])})
