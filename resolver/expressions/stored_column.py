"""Where a column's values and statistics are found: its type, and its names as files and statistics have them."""

from __future__ import annotations

import difflib
from collections.abc import Mapping, Sequence

import attrs

from deltaresolver.errors import UnknownColumnError
from deltaresolver.model.facts.columns import mapping_mode, physical_name
from deltaresolver.model.facts.keys import COLLATIONS, TYPE_CHANGES
from deltaresolver.model.metadata import Metadata
from deltaresolver.model.schema import StructField, StructType, base_type, quote_path


@attrs.frozen(slots=True)
class StoredColumn:
    """A leaf column. `type` is the Delta type's name, or empty where the column is not a leaf of a known type."""

    physical_path: tuple[str, ...]
    type: str
    is_partition: bool
    was_float: bool = False
    """Whether files may have statistics of a time when the column held numbers of 32 bits."""


def find_column(metadata: Metadata, path: tuple[str, ...]) -> StoredColumn:
    """The column that users call `path`, upper and lower case alike. Raises `UnknownColumnError`."""
    mode = mapping_mode(metadata)
    level: StructType | None = metadata.schema
    logical: list[str] = []
    physical: list[str] = []
    kind = ""
    field = None
    for name in path:
        field = None if level is None else _find_field(level, name)
        if field is None:
            raise _unknown(path, name, level)
        logical.append(field.name)
        physical.append(physical_name(field, mode))
        level = field.type if isinstance(field.type, StructType) else None
        kind = _known_type(field)
    is_partition = len(logical) == 1 and logical[0].lower() in {name.lower() for name in metadata.partition_columns}
    return StoredColumn(tuple(physical), kind, is_partition, field is not None and _was_float(field))


def _known_type(field: StructField) -> str:
    """The type of a leaf whose values compare as they do everywhere; texts of a collation do not."""
    if not isinstance(field.type, str) or COLLATIONS in (field.metadata or {}):
        return ""
    return field.type


def _was_float(field: StructField) -> bool:
    changes = (field.metadata or {}).get(TYPE_CHANGES)
    known = changes if isinstance(changes, Sequence) and not isinstance(changes, str) else ()
    return any(isinstance(change, Mapping) and change.get("fromType") == "float" for change in known)


def kind_of(column: StoredColumn) -> str:
    """The type without parameters: `decimal` for `decimal(10,2)`."""
    return base_type(column.type)


def _find_field(level: StructType, name: str) -> StructField | None:
    folded = name.lower()
    return next(
        (field for field in level.fields if field.name == name),
        next((field for field in level.fields if field.name.lower() == folded), None),
    )


def _unknown(path: tuple[str, ...], name: str, level: StructType | None) -> UnknownColumnError:
    known = [] if level is None else [field.name for field in level.fields]
    close = difflib.get_close_matches(name, known, n=1)
    return UnknownColumnError(
        f"The table has no column {quote_path(path)}" + (f"; did you mean {close[0]}?" if close else "."),
        fix=f"Use one of: {', '.join(known)}." if known else "Name a column of the table's schema.",
        details={"path": list(path), "name": name, "known": known},
    )
