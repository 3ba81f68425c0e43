"""What the metadata of a field says of its column: its name in data files, and whether a writer fills it in."""

from __future__ import annotations

from typing import Any

from deltaresolver.errors import PropertyInvalidError
from deltaresolver.model.facts.keys import (
    GENERATION_EXPRESSION,
    IDENTITY_ALLOWS_EXPLICIT,
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


def counting_from(start: int, step: int, *, allows_explicit: bool) -> dict[str, Any]:
    """The metadata of an identity column's field."""
    return {IDENTITY_START: start, IDENTITY_STEP: step, IDENTITY_ALLOWS_EXPLICIT: allows_explicit}
