"""What the metadata of a field says of its column: its name in data files, and whether a writer fills it in."""

from __future__ import annotations

from typing import Any

from deltaresolver.errors import PropertyInvalidError, SchemaMalformedError
from deltaresolver.model.facts.keys import (
    GENERATION_EXPRESSION,
    IDENTITY_ALLOWS_EXPLICIT,
    IDENTITY_HIGH_WATER_MARK,
    IDENTITY_START,
    IDENTITY_STEP,
    MAPPING_MODE,
    PHYSICAL_NAME,
)
from deltaresolver.model.metadata import Metadata
from deltaresolver.model.schema import StructField

UNMAPPED = "none"
MAPPING_MODES = (UNMAPPED, "id", "name")


def mapping_mode(metadata: Metadata) -> str:
    """`none`, `name` or `id`, in small letters. Raises `PropertyInvalidError` for any other mode, as delta-spark does.

    A mode that nobody knows could hide columns behind names that nobody knows, so it is never taken for `none`.
    """
    value = metadata.configuration.get(MAPPING_MODE)
    if value is None:
        return UNMAPPED
    mode = value.lower()
    if mode in MAPPING_MODES:
        return mode
    raise PropertyInvalidError(
        f"The column mapping mode {value} is not supported.",
        fix=f"Set {MAPPING_MODE} to one of {', '.join(MAPPING_MODES)}.",
        details={"key": MAPPING_MODE, "value": value, "expected": list(MAPPING_MODES)},
        delta_class="ColumnMappingUnsupportedException",
    )


def is_mapped(metadata: Metadata) -> bool:
    """Whether columns have names of their own in data files. Raises `PropertyInvalidError`."""
    return mapping_mode(metadata) != UNMAPPED


def physical_name(field: StructField, mode: str) -> str:
    """The name of a field in data files, and in the log's partition values and statistics."""
    return field.name if mode == UNMAPPED else assigned_name(field)


def assigned_name(field: StructField) -> str:
    """The physical name in the field's metadata, whether or not the table's mode makes use of it; else its name."""
    return str((field.metadata or {}).get(PHYSICAL_NAME, field.name))


IDENTITY_KEYS = (IDENTITY_START, IDENTITY_STEP, IDENTITY_ALLOWS_EXPLICIT)
"""What the metadata of every identity column holds; some of them without the others are an error."""


def is_generated(field: StructField) -> bool:
    """Whether the column is computed from others when a row is written."""
    return GENERATION_EXPRESSION in (field.metadata or {})


def is_identity(field: StructField) -> bool:
    """Whether the column counts the rows."""
    return IDENTITY_START in (field.metadata or {})


def generated_as(expression: str) -> dict[str, Any]:
    """The metadata of a generated column's field."""
    return {GENERATION_EXPRESSION: expression}


def identity_step(field: StructField) -> int:
    """How far apart the values of an identity column are. Raises `SchemaMalformedError`."""
    return _noted_number(field, IDENTITY_STEP)


def identity_mark(field: StructField) -> int | None:
    """How far an identity column has counted; None before its first value. Raises `SchemaMalformedError`."""
    notes = field.metadata or {}
    return _noted_number(field, IDENTITY_HIGH_WATER_MARK) if notes.get(IDENTITY_HIGH_WATER_MARK) is not None else None


def identity_start(field: StructField) -> int:
    """The first value of an identity column. Raises `SchemaMalformedError`."""
    return _noted_number(field, IDENTITY_START)


def next_identity(field: StructField) -> int:
    """The next value of an identity column. Raises `SchemaMalformedError`, also where no 64 bits hold it."""
    mark = identity_mark(field)
    if mark is None:
        return identity_start(field)
    value = mark + identity_step(field)
    if not -(2**63) <= value < 2**63:
        raise _not_counting(field, IDENTITY_HIGH_WATER_MARK, mark, "a number after which there is another")
    return value


def _noted_number(field: StructField, key: str) -> int:
    value = (field.metadata or {}).get(key)
    if type(value) is not int or not -(2**63) <= value < 2**63:
        raise _not_counting(field, key, value, "a whole number of at most 64 bits")
    if key == IDENTITY_STEP and value == 0:
        raise _not_counting(field, key, value, "another number than 0")
    return value


def _not_counting(field: StructField, key: str, value: object, expected: str) -> SchemaMalformedError:
    return SchemaMalformedError(
        f"{key} of column {field.name} is {str(value)[:80]}, not {expected}, so the column cannot be numbered.",
        fix="Restore the table to a version before this metadata.",
        details={"column": field.name, "key": key, "found": str(value)[:200]},
    )


def counting_from(start: int, step: int, *, allows_explicit: bool) -> dict[str, Any]:
    """The metadata of an identity column's field."""
    return {IDENTITY_START: start, IDENTITY_STEP: step, IDENTITY_ALLOWS_EXPLICIT: allows_explicit}
