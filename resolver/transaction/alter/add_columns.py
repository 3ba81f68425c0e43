"""ALTER TABLE ADD COLUMNS."""

from __future__ import annotations

from collections.abc import Sequence

import attrs

from deltaresolver.errors import ColumnChangeRefusedError
from deltaresolver.model.behaviour import TableState
from deltaresolver.model.catalog import FeatureCatalog
from deltaresolver.model.facts.keys import COLUMN_DEFAULT
from deltaresolver.model.schema import FieldPath, StructField, StructType, quote_path, walk_fields
from deltaresolver.transaction.alter.column_operations import adding
from deltaresolver.transaction.alter.table_change import PlannedChange
from deltaresolver.transaction.ddl.column_definitions import ColumnDefinition, Position
from deltaresolver.transaction.metadata.declared_types import declared_schema, stored_schema
from deltaresolver.transaction.metadata.schema_edit import find_field, placed, spelt_path, with_fields
from deltaresolver.transaction.metadata.schema_rules import ensure_schema_allowed


@attrs.frozen(slots=True)
class AddColumns:
    """Add columns, or fields of structs, that are null in every row there is."""

    columns: tuple[ColumnDefinition, ...]

    def plan(self, table: TableState, catalog: FeatureCatalog) -> PlannedChange:
        """Raises `ColumnChangeRefusedError`, and `UnknownColumnError` for a struct that is not there."""
        schema, taken = declared_schema(table.metadata.schema), list[FieldPath]()
        added: list[ColumnDefinition] = []
        for column in self.columns:
            parent = spelt_path(schema, column.path[:-1])
            column = attrs.evolve(column, path=(*parent, column.path[-1]))  # noqa: PLW2901 - the same column
            column = _placed_as_spelt(schema, column)  # noqa: PLW2901
            if find_field(schema, column.path) is not None:
                taken.append(column.path)
            schema = _added(schema, column)
            added.append(column)
        if taken:
            raise _taken(taken[0])
        _ensure_nullable(added)
        _ensure_without_defaults(added)
        metadata = table.metadata.with_schema(stored_schema(schema))
        ensure_schema_allowed(metadata)
        return PlannedChange(adding(added), metadata)


def _placed_as_spelt(schema: StructType, column: ColumnDefinition) -> ColumnDefinition:
    after = None if column.position is None else column.position.after
    neighbour = None if after is None else find_field(schema, (*column.path[:-1], after))
    return column if neighbour is None else attrs.evolve(column, position=Position(neighbour.name))


def _added(schema: StructType, column: ColumnDefinition) -> StructType:
    return with_fields(schema, column.path[:-1], lambda fields: _inserted(fields, column))


def _taken(path: FieldPath) -> ColumnChangeRefusedError:
    return ColumnChangeRefusedError(
        f"There is a column {quote_path(path)} already, upper and lower case alike.",
        fix="Choose another name.",
        details={"column": list(path)},
        delta_class="AnalysisException",
        delta_condition="FIELD_ALREADY_EXISTS",
    )


def _inserted(fields: tuple[StructField, ...], column: ColumnDefinition) -> tuple[StructField, ...]:
    found = placed(fields, column.field, column.position)
    if found is None:
        raise _no_neighbour(column)
    return found


def _no_neighbour(column: ColumnDefinition) -> ColumnChangeRefusedError:
    assert column.position is not None
    neighbour = str(column.position.after)
    return ColumnChangeRefusedError(
        f"Column {quote_path(column.path)} cannot go after {neighbour}, which is not there.",
        fix="Name a column beside the new one, or leave the position out.",
        details={"column": list(column.path), "after": neighbour},
        delta_class="AnalysisException",
        delta_condition="FIELD_NOT_FOUND",
    )


def _ensure_nullable(columns: Sequence[ColumnDefinition]) -> None:
    fields = (field for column in columns for _, field in walk_fields(StructType((column.field,))))
    strict = next((field for field in fields if not field.nullable), None)
    if strict is not None:
        raise ColumnChangeRefusedError(
            f"{strict.name} cannot be added as NOT NULL: rows that are there have no value for it.",
            fix="Leave NOT NULL out; a CHECK constraint can ask for values later.",
            details={"column": strict.name},
            delta_condition="DELTA_OPERATION_NOT_ALLOWED",
        )


def _ensure_without_defaults(columns: Sequence[ColumnDefinition]) -> None:
    names = [quote_path(column.path) for column in columns if COLUMN_DEFAULT in (column.field.metadata or {})]
    if names:
        raise ColumnChangeRefusedError(
            f"{', '.join(names)} cannot be added with a default: rows that are there would need the value.",
            fix="Add the column without it, then ALTER COLUMN ... SET DEFAULT for rows to come.",
            details={"columns": names},
            delta_condition="WRONG_COLUMN_DEFAULTS_FOR_DELTA_ALTER_TABLE_ADD_COLUMN_NOT_SUPPORTED",
        )
