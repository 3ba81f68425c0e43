"""What a trigger may look at: one table's properties, schema and supported features, nothing else."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cached_property

import attrs

from deltaresolver.model.metadata import Metadata
from deltaresolver.model.schema import (
    FieldPath,
    Place,
    StructField,
    StructType,
    base_type,
    walk_fields,
    walk_leaf_types,
)


@attrs.frozen(slots=False, eq=False)
class TableView:
    """The facts of one table that rules read.

    `supported` holds the features the protocol at hand already supports, for rules that stand back
    when another feature does the job. The schema is walked once, and only if a rule asks.
    """

    metadata: Metadata
    supported: frozenset[str] = frozenset()

    @property
    def properties(self) -> Mapping[str, str]:
        """The table properties."""
        return self.metadata.configuration

    @property
    def schema(self) -> StructType:
        """The parsed schema."""
        return self.metadata.schema

    @cached_property
    def fields(self) -> tuple[tuple[FieldPath, StructField, Place], ...]:
        """Every field at any depth."""
        return tuple(walk_fields(self.metadata.schema))

    @cached_property
    def leaf_types(self) -> Mapping[str, tuple[FieldPath, ...]]:
        """Where each leaf type, parameters stripped, occurs."""
        found: dict[str, list[FieldPath]] = {}
        for path, name in walk_leaf_types(self.metadata.schema):
            found.setdefault(base_type(name), []).append(path)
        return {name: tuple(paths) for name, paths in found.items()}

    def schema_text_may_contain(self, *markers: str) -> bool:
        """Whether the raw schema text holds any of these; `False` proves that no walk is needed."""
        text = self.metadata.schema_string
        return text is not None and any(marker in text for marker in markers)
