"""How columns are found in data files: by their own names, or by the physical names of column mapping."""

from __future__ import annotations

from deltaresolver.errors import PropertyInvalidError
from deltaresolver.model.facts.keys import MAPPING_MODE, PHYSICAL_NAME
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
