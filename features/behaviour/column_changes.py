"""Whether columns of a mapped schema were dropped or renamed."""

from __future__ import annotations

from deltaresolver.model.facts.columns import assigned_name
from deltaresolver.model.schema import FieldPath, StructType, walk_fields


def columns_dropped_or_renamed(before: StructType, after: StructType) -> bool:
    """Whether a column was dropped or renamed, compared by physical names."""
    names_after = _names(after)
    return any(names_after.get(physical) != path for physical, path in _names(before).items())


def _names(schema: StructType) -> dict[tuple[FieldPath, str], FieldPath]:
    """The logical path of each column, by the path of its parent and its physical name."""
    return {(path[:-1], assigned_name(field)): path for path, field in walk_fields(schema)}
