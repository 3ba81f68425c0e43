"""How one commit changed a table's protocol, and what else it changed that may be the cause."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import attrs
import msgspec

from deltaresolver.errors import SchemaMalformedError
from deltaresolver.model.metadata import Metadata
from deltaresolver.model.protocol import Protocol
from deltaresolver.model.schema import ArrayType, MapType, StructField, StructType, quote_path, walk_fields
from deltaresolver.value import Value


@attrs.frozen(slots=True)
class ChangedProperty(Value):
    """A table property set, changed (`before` and `after`), or unset (`after` is `None`)."""

    key: str
    before: str | None
    after: str | None


@attrs.frozen(slots=True)
class ChangedColumn(Value):
    """A column added, dropped, or changed in type or field metadata; `column` as SQL spells it."""

    column: str
    before: str | None
    after: str | None


@attrs.frozen(slots=True)
class ProtocolChange(Value):
    """From `before` (`None` when the table began, or when older commits are gone) to `after`."""

    before: Protocol | None
    after: Protocol
    added_features: tuple[str, ...]
    removed_features: tuple[str, ...]
    properties: tuple[ChangedProperty, ...]
    columns: tuple[ChangedColumn, ...]

    @property
    def raises(self) -> bool:
        """Whether some client that could use the table before may now be locked out."""
        if self.before is None:
            return False
        return (
            self.after.min_reader_version > self.before.min_reader_version
            or self.after.min_writer_version > self.before.min_writer_version
            or bool(self.added_features)
        )

    def to_json(self) -> dict[str, Any]:
        """The change as a JSON-safe dictionary."""
        return {
            "before": None if self.before is None else self.before.to_json(),
            "after": self.after.to_json(),
            "raises": self.raises,
            "added_features": list(self.added_features),
            "removed_features": list(self.removed_features),
            "properties": [attrs.asdict(each) for each in self.properties],
            "columns": [attrs.asdict(each) for each in self.columns],
        }


def describe_protocol_change(
    before: Protocol | None, after: Protocol, metadata_before: Metadata | None, metadata_after: Metadata | None
) -> ProtocolChange:
    """Compare the protocol and the metadata on both sides of a commit."""
    old = frozenset() if before is None else before.listed_features
    properties_before = {} if metadata_before is None else metadata_before.configuration
    properties_after = {} if metadata_after is None else metadata_after.configuration
    return ProtocolChange(
        before,
        after,
        tuple(sorted(after.listed_features - old)),
        tuple(sorted(old - after.listed_features)),
        _changed_properties(properties_before, properties_after),
        _changed_columns(metadata_before, metadata_after),
    )


def _changed_properties(before: Mapping[str, str], after: Mapping[str, str]) -> tuple[ChangedProperty, ...]:
    return tuple(
        ChangedProperty(key, before.get(key), after.get(key))
        for key in sorted(before.keys() | after.keys())
        if before.get(key) != after.get(key)
    )


def _changed_columns(before: Metadata | None, after: Metadata | None) -> tuple[ChangedColumn, ...]:
    if before is not None and after is not None and before.schema_string == after.schema_string:
        return ()
    old, new = _columns(before), _columns(after)
    return tuple(
        ChangedColumn(column, old.get(column), new.get(column))
        for column in [*new, *(column for column in old if column not in new)]
        if old.get(column) != new.get(column)
    )


def _columns(metadata: Metadata | None) -> dict[str, str]:
    try:
        return (
            {}
            if metadata is None
            else {quote_path(path): _describe(field) for path, field in walk_fields(metadata.schema)}
        )
    except SchemaMalformedError:
        return {}


def _describe(field: StructField) -> str:
    """The type by name (its fields are columns of their own) and the field metadata."""
    parts = [_type_name(field.type)]
    if not field.nullable:
        parts.append("not null")
    if field.metadata:
        parts.append(msgspec.json.encode(field.metadata, order="sorted").decode())
    return " ".join(parts)


def _type_name(kind: Any) -> str:
    if isinstance(kind, str):
        return kind
    if isinstance(kind, StructType):
        return "struct"
    if isinstance(kind, ArrayType):
        return f"array<{_type_name(kind.element_type)}>"
    if isinstance(kind, MapType):
        return f"map<{_type_name(kind.key_type)},{_type_name(kind.value_type)}>"
    return "udt"
