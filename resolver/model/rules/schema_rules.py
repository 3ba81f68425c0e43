"""Rules over the columns of the schema."""

from __future__ import annotations

from collections.abc import Callable, Iterable

import attrs

from deltaresolver.model.declared import texts
from deltaresolver.model.rules.evidence import ColumnEvidence, Evidence, Hints, Remedy
from deltaresolver.model.schema import FieldPath, Place, StructField, quote_path, walk_fields
from deltaresolver.model.view import TableView
from deltaresolver.value import Value


@attrs.frozen(slots=True)
class SchemaHasType(Value):
    """Some column, at any depth, has one of these leaf types (parameters ignored)."""

    types: tuple[str, ...] = attrs.field(converter=texts)

    def fires(self, view: TableView) -> bool:
        return not view.outline.leaf_types.isdisjoint(self.types)

    def evidence(self, view: TableView) -> tuple[Evidence, ...]:
        return tuple(
            ColumnEvidence(path, f"type {name}") for name in self.types for path in view.survey.leaf_types.get(name, ())
        )

    def remedies(self, view: TableView) -> tuple[Remedy, ...]:
        return tuple(
            _drop_column(path, f"it has type {name}")
            for name in self.types
            for path in dict.fromkeys(map(view.column_of, view.survey.leaf_types.get(name, ())))
        )

    def hints(self) -> Hints:
        return Hints(schema_markers=frozenset(self.types))

    def describe(self) -> str:
        return f"a column has type {' or '.join(self.types)}"


@attrs.frozen(slots=True)
class FieldHasMetadata(Value):
    """Some field, no deeper than `depth`, carries one of these metadata keys.

    `remedy_sql` may hold the statement that clears one field (`{table}`, `{column}`). `ensure_readable` may raise
    `InvalidInputError` for a field whose value cannot be read.
    """

    keys: tuple[str, ...] = attrs.field(converter=texts)
    depth: Place = Place.COLLECTION
    remedy_sql: str | None = None
    ensure_readable: Callable[[StructField], None] | None = None

    def _matching(self, view: TableView) -> Iterable[tuple[FieldPath, str]]:
        found = view.survey.field_metadata
        return ((path, key) for key in self.keys for path, place, _ in found.get(key, ()) if place <= self.depth)

    def fires(self, view: TableView) -> bool:
        carriers = view.outline.carriers
        if not carriers:  # as in most tables
            return False
        keys, depth = self.keys, self.depth
        found = {
            id(field)
            for place, field in carriers
            if place <= depth and field.metadata and not field.metadata.keys().isdisjoint(keys)
        }
        if self.ensure_readable is None:
            return bool(found)
        if found:
            for _, field in walk_fields(view.schema):
                if id(field) in found:
                    self.ensure_readable(field)
        return bool(found)

    def evidence(self, view: TableView) -> tuple[Evidence, ...]:
        return tuple(ColumnEvidence(path, f"metadata {key}") for path, key in self._matching(view))

    def remedies(self, view: TableView) -> tuple[Remedy, ...]:
        paths = dict.fromkeys(path for path, _ in self._matching(view))
        if self.remedy_sql is None:
            return tuple(_drop_column(path, f"it carries {' or '.join(self.keys)}") for path in paths)
        return tuple(
            Remedy(
                f"Clear {' or '.join(self.keys)} on column {quote_path(path)}.",
                self.remedy_sql.replace("{column}", quote_path(path)),
            )
            for path in paths
        )

    def hints(self) -> Hints:
        return Hints(schema_markers=frozenset(self.keys))

    def describe(self) -> str:
        return f"a column carries metadata {' or '.join(self.keys)}"


@attrs.frozen(slots=True)
class FieldNotNull(Value):
    """Some field, no deeper than `depth`, may not be null."""

    depth: Place = Place.STRUCT

    def _matching(self, view: TableView) -> Iterable[FieldPath]:
        return (path for path, place in view.survey.not_null if place <= self.depth)

    def fires(self, view: TableView) -> bool:
        outermost = view.outline.outermost_not_null
        return outermost is not None and outermost <= self.depth

    def evidence(self, view: TableView) -> tuple[Evidence, ...]:
        return tuple(ColumnEvidence(path, "NOT NULL") for path in self._matching(view))

    def remedies(self, view: TableView) -> tuple[Remedy, ...]:
        return tuple(
            Remedy(
                f"Allow nulls in column {quote_path(path)}.",
                f"ALTER TABLE {{table}} ALTER COLUMN {quote_path(path)} DROP NOT NULL",
            )
            for path in self._matching(view)
        )

    def hints(self) -> Hints:
        return Hints(schema_markers=frozenset(("false",)))

    def describe(self) -> str:
        return "a column is NOT NULL"


def _drop_column(path: FieldPath, because: str) -> Remedy:
    column = quote_path(path)
    return Remedy(f"Drop column {column}: {because}.", f"ALTER TABLE {{table}} DROP COLUMN {column}")
