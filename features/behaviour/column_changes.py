"""Which columns of a mapped schema went or got another name."""

from __future__ import annotations

from deltaresolver.model.facts.columns import assigned_name
from deltaresolver.model.schema import FieldPath, StructType, walk_fields


def columns_dropped_or_renamed(before: StructType, after: StructType) -> bool:
    """Whether a column is gone, or goes by another name; judged by physical names."""
    names_after = _names(after)
    return any(names_after.get(physical) != path for physical, path in _names(before).items())


def _names(schema: StructType) -> dict[tuple[FieldPath, str], FieldPath]:
    """Where each physical name is, by the place of its parent."""
    return {(path[:-1], assigned_name(field)): path for path, field in walk_fields(schema)}
