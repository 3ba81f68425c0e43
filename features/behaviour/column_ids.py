"""Column ids and physical names in a schema: assign, find, check and remove them."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from deltaresolver.errors import ColumnMappingError
from deltaresolver.model.facts.keys import COLUMN_ID, LENGTHS, PARQUET_FIELD_ID, PHYSICAL_NAME
from deltaresolver.model.facts.nested_types import parts
from deltaresolver.model.schema import (
    ArrayType,
    DataType,
    FieldPath,
    MapType,
    StructField,
    StructType,
    quote_path,
    walk_fields,
    with_field_metadata,
)

NESTED_IDS = "delta.columnMapping.nested.ids"
KEYS = frozenset({COLUMN_ID, PHYSICAL_NAME, NESTED_IDS, PARQUET_FIELD_ID, "parquet.field.nested.ids"})

MAX_ID = 2**31 - 1
"""Parquet's field ids have 32 bits with a sign."""


def has_mapping_metadata(schema: StructType) -> bool:
    """Whether any column has an id or a physical name."""
    return any(not KEYS.isdisjoint(field.metadata or {}) for _, field in walk_fields(schema))


def highest_id(schema: StructType) -> int:
    """The highest id of any column; 0 where there is none."""
    found = [0]
    for _, field in walk_fields(schema):
        metadata = field.metadata or {}
        found += [metadata[COLUMN_ID]] if isinstance(metadata.get(COLUMN_ID), int) else []
        nested = metadata.get(NESTED_IDS)
        found += [each for each in nested.values() if isinstance(each, int)] if isinstance(nested, Mapping) else ()
    return max(found)


def without_mapping_metadata(schema: StructType) -> StructType:
    """The schema without ids and physical names."""
    return with_field_metadata(
        schema, lambda _, field: {key: value for key, value in (field.metadata or {}).items() if key not in KEYS}
    )


def assign_ids(
    schema: StructType,
    start: int,
    new_id: Callable[[], str],
    known: StructType | None,
    *,
    is_upgrade: bool,
) -> tuple[StructType, int]:
    """The schema with an id and a physical name for every column, and the highest id given.

    A column of `known` keeps its id and physical name if it has them. In an upgrade, columns that are there keep
    their names as physical names. Raises `ColumnMappingError` for a new column in an upgrade, and where no id is left.
    """
    last = start
    by_path = {} if known is None else {_lowered(path): field for path, field in walk_fields(known)}

    def assign(path: FieldPath, field: StructField) -> Mapping[str, Any]:
        nonlocal last
        metadata = dict(field.metadata or {})
        existing = by_path.get(_lowered(path))
        reused = _reusable(existing, field) if not is_upgrade else {}
        if COLUMN_ID not in metadata:
            if COLUMN_ID in reused:
                metadata |= {key: reused[key] for key in (COLUMN_ID, NESTED_IDS) if key in reused}
            else:
                last += 1
                if not 0 < last <= MAX_ID:
                    raise _out_of_range(path, last)
                metadata[COLUMN_ID] = last
        if PHYSICAL_NAME not in metadata:
            if is_upgrade and by_path:
                metadata[PHYSICAL_NAME] = _name_before_upgrade(path, existing)
            else:
                metadata[PHYSICAL_NAME] = reused.get(PHYSICAL_NAME) or f"col-{new_id()}"
        return metadata

    return with_field_metadata(schema, assign), last


def _lowered(path: FieldPath) -> FieldPath:
    return tuple(name.lower() for name in path)


def _reusable(existing: StructField | None, field: StructField) -> Mapping[str, Any]:
    # The length of CHAR or VARCHAR is not in the stored type, so it must not be compared with the existing column.
    if existing is None or LENGTHS in (field.metadata or {}) or _shape(existing.type) != _shape(field.type):
        return {}
    metadata = existing.metadata or {}
    return metadata if COLUMN_ID in metadata and PHYSICAL_NAME in metadata else {}


def _shape(data_type: DataType) -> object:
    """The type without nullability and field metadata."""
    if not isinstance(data_type, StructType | ArrayType | MapType):
        return data_type
    return (type(data_type), *((name.lower(), _shape(part)) for name, part in parts(data_type)))


def _name_before_upgrade(path: FieldPath, existing: StructField | None) -> str:
    if existing is not None:
        return existing.name
    raise ColumnMappingError(
        f"Column {quote_path(path)} is new, but the schema cannot change together with the column mapping mode.",
        fix="First change the mode, then the schema.",
        details={"column": list(path)},
        delta_condition="DELTA_UNSUPPORTED_COLUMN_MAPPING_SCHEMA_CHANGE",
    )


def ensure_assigned(schema: StructType) -> None:
    """Check that every column has an id and a physical name of its own. Raises `ColumnMappingError`."""
    ids: dict[int, FieldPath] = {}
    names: dict[tuple[str, ...], FieldPath] = {}
    physical: dict[FieldPath, FieldPath] = {(): ()}
    for path, field in walk_fields(schema):
        metadata = field.metadata or {}
        for key, condition in ((COLUMN_ID, "COLUMN_ID"), (PHYSICAL_NAME, "PHYSICAL_NAME")):
            if key not in metadata:
                raise _missing(path, key, f"DELTA_MISSING_{condition}")
        if type(metadata[COLUMN_ID]) is not int or not 0 <= metadata[COLUMN_ID] <= MAX_ID:
            raise _out_of_range(path, metadata[COLUMN_ID])
        if metadata[COLUMN_ID] in ids:
            raise _twice(path, ids[metadata[COLUMN_ID]], COLUMN_ID, "DELTA_DUPLICATE_COLUMN_MAPPING_COLUMN_ID")
        ids[metadata[COLUMN_ID]] = path
        full = (*_physical_parent(path, physical), str(metadata[PHYSICAL_NAME]))
        physical[path] = full
        if full in names:
            raise _twice(path, names[full], PHYSICAL_NAME, "DELTA_DUPLICATE_COLUMN_MAPPING_PHYSICAL_NAME")
        names[full] = path


def _physical_parent(path: FieldPath, physical: Mapping[FieldPath, FieldPath]) -> FieldPath:
    """The physical path of the struct a column is in; `element`, `key` and `value` are the same in both."""
    for length in range(len(path) - 1, -1, -1):
        if path[:length] in physical:
            return (*physical[path[:length]], *path[length:-1])
    return ()


def _out_of_range(path: FieldPath, found: object) -> ColumnMappingError:
    return ColumnMappingError(
        f"Column {quote_path(path)} would have the id {str(found)[:80]}, which is not a number from 0 to {MAX_ID:,}.",
        fix="Restore the table to a version before this metadata, or write its rows to a new table.",
        details={"column": list(path), "id": str(found)[:200]},
    )


def _missing(path: FieldPath, key: str, condition: str) -> ColumnMappingError:
    return ColumnMappingError(
        f"Column {quote_path(path)} has no {key}.",
        fix="Pass the schema through update_metadata, which assigns ids and physical names.",
        details={"column": list(path), "key": key},
        delta_condition=condition,
    )


def _twice(path: FieldPath, other: FieldPath, key: str, condition: str) -> ColumnMappingError:
    return ColumnMappingError(
        f"Columns {quote_path(other)} and {quote_path(path)} have the same {key}.",
        fix=f"Give each column a {key} of its own.",
        details={"columns": [list(other), list(path)], "key": key},
        delta_condition=condition,
    )
