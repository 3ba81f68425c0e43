"""ALTER TABLE ALTER COLUMN: comment, NOT NULL, place, type and default of columns."""

from __future__ import annotations

from typing import Any

import attrs
import msgspec

from deltaresolver.errors import ColumnChangeRefusedError
from deltaresolver.model.behaviour import TableState
from deltaresolver.model.catalog import FeatureCatalog
from deltaresolver.model.facts.keys import COLUMN_DEFAULT
from deltaresolver.model.schema import DataType, FieldPath, StructField, StructType, quote_path
from deltaresolver.transaction.alter.change_type import ensure_no_identity, retyped
from deltaresolver.transaction.alter.column_operations import changing, shown_field
from deltaresolver.transaction.alter.table_change import PlannedChange
from deltaresolver.transaction.ddl.column_definitions import Position
from deltaresolver.transaction.ddl.data_types import with_lengths_noted
from deltaresolver.transaction.metadata.condition_check import ensure_constant
from deltaresolver.transaction.metadata.declared_types import declared_schema, stored_schema
from deltaresolver.transaction.metadata.schema_edit import (
    find_field,
    no_field,
    placed,
    spelt_path,
    type_at,
    with_field,
    with_fields,
)


@attrs.frozen(slots=True)
class ColumnChange:
    """What is to change about one column. None leaves a thing as it is."""

    path: FieldPath
    type: DataType | None = None
    comment: str | None = None
    nullable: bool | None = None
    position: Position | None = None
    default: str | None = None
    """A new default for rows to come, as an expression in Spark SQL."""
    drops_default: bool = False

    @property
    def needs_field(self) -> bool:
        """Whether it is a change that only a named column can take, no element of an array and no side of a map."""
        return self.comment is not None or self.default is not None or self.position is not None


@attrs.frozen(slots=True)
class ChangeColumns:
    """Change one column or several at once."""

    changes: tuple[ColumnChange, ...]

    def plan(self, table: TableState, catalog: FeatureCatalog) -> PlannedChange | None:
        """None where types are the same already. Raises `ColumnChangeRefusedError`, `UnknownColumnError`."""
        schema = declared_schema(table.metadata.schema)
        spelt = [_spelt(schema, change) for change in self.changes]
        _ensure_once(spelt)
        wanted = [change for change in spelt if not _changes_nothing(schema, change)]
        if not wanted:
            return None
        shown = []
        for change in wanted:
            schema, field = _changed(table, schema, change, catalog)
            shown.append((shown_field(change.path, with_lengths_noted(field)), change.position))
        return PlannedChange(changing(shown), table.metadata.with_schema(stored_schema(schema)))


def _spelt(schema: StructType, change: ColumnChange) -> ColumnChange:
    """The change with names as the schema has them. Raises `UnknownColumnError`."""
    path = spelt_path(schema, change.path)
    position = change.position
    if position is not None and position.after is not None:
        if find_field(schema, path) is None:
            raise _no_field(change)
        position = Position(spelt_path(schema, (*path[:-1], position.after))[-1])
    return attrs.evolve(change, path=path, position=position)


def _ensure_once(changes: list[ColumnChange]) -> None:
    paths = [change.path for change in changes]
    twice = next((path for path in paths if paths.count(path) > 1), None)
    if twice is not None:
        raise ColumnChangeRefusedError(
            f"Column {quote_path(twice)} is to be changed twice at once.",
            fix="Say everything about a column in one place, or use two statements.",
            details={"column": list(twice)},
            delta_class="AnalysisException",
            delta_condition="NOT_SUPPORTED_CHANGE_SAME_COLUMN",
        )


def _changes_nothing(schema: StructType, change: ColumnChange) -> bool:
    only_type = change.type is not None and not change.needs_field and change.nullable is None
    return only_type and change.type == type_at(schema, change.path)


def _changed(
    table: TableState, schema: StructType, change: ColumnChange, catalog: FeatureCatalog
) -> tuple[StructType, StructField]:
    """The schema after one change, and the column as history shows it: without the note of a changed type."""
    field = find_field(schema, change.path)
    if change.default is not None:
        ensure_constant(quote_path(change.path), change.default)
    if field is None and change.needs_field:
        raise _no_field(change)
    shown = field or StructField(change.path[-1], type_at(schema, change.path), change.path[-1] != "key", {})
    if change.type is not None:
        schema = retyped(table, schema, change.path, change.type, catalog)
        shown = msgspec.structs.replace(shown, type=change.type)
    if field is None:
        if change.nullable and not shown.nullable:
            raise ColumnChangeRefusedError(
                f"{quote_path(change.path)} stays NOT NULL: every entry of a map has a key.",
                fix="Leave the key as it is.",
                details={"column": list(change.path)},
                delta_class="DeltaAnalysisException",
                delta_condition="DELTA_UNSUPPORTED_ALTER_TABLE_CHANGE_COL_OP",
            )
        return schema, shown
    shown = _without_type(shown, change)
    schema = with_field(schema, change.path, lambda one: _without_type(one, change))
    return _moved(schema, change), shown


def _without_type(field: StructField, change: ColumnChange) -> StructField:
    """The field after everything but its type has changed."""
    metadata: dict[str, Any] = dict(field.metadata or {})
    if change.comment is not None:
        metadata["comment"] = change.comment
    if change.drops_default or change.default is not None:
        ensure_no_identity(change.path, field)
        metadata.pop(COLUMN_DEFAULT, None)
    if change.default is not None:
        metadata[COLUMN_DEFAULT] = change.default
    nullable = field.nullable if change.nullable is None else change.nullable
    if field.nullable and not nullable:
        raise ColumnChangeRefusedError(
            f"Column {quote_path(change.path)} cannot become NOT NULL: rows may have no value there.",
            fix="Add a CHECK constraint that asks for a value.",
            details={"column": list(change.path)},
            delta_class="AnalysisException",
            delta_condition="_LEGACY_ERROR_TEMP_2330",
        )
    return msgspec.structs.replace(field, metadata=metadata, nullable=nullable)


def _moved(schema: StructType, change: ColumnChange) -> StructType:
    position = change.position
    if position is None or position.after == change.path[-1]:
        return schema

    def move(fields: tuple[StructField, ...]) -> tuple[StructField, ...]:
        moved = next(field for field in fields if field.name == change.path[-1])
        found = placed(tuple(field for field in fields if field is not moved), moved, position)
        assert found is not None
        return found

    return with_fields(schema, change.path[:-1], move)


def _no_field(change: ColumnChange) -> ColumnChangeRefusedError:
    error = no_field(change.path, "only its type can change")
    if change.comment is None:
        return error
    return ColumnChangeRefusedError(
        error.message, fix=error.fix, details=error.details, delta_condition="DELTA_UNSUPPORTED_COMMENT_MAP_ARRAY"
    )
