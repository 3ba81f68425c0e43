"""Conditions and expressions of a table that name a column, and so stand in the way of changing it."""

from __future__ import annotations

from collections.abc import Iterator

from deltaresolver.errors import ColumnChangeRefusedError, PredicateUnreadableError
from deltaresolver.expressions.conditions import parse_predicate
from deltaresolver.model.behaviour import TableState
from deltaresolver.model.catalog import FeatureCatalog
from deltaresolver.model.row_rules import ColumnSource, RowRuleKind
from deltaresolver.model.schema import FieldPath, quote_path
from deltaresolver.transaction.behaviours import behaviours_of


def ensure_independent(table: TableState, path: FieldPath, catalog: FeatureCatalog) -> None:
    """No CHECK constraint and no generated column needs the column. Raises `ColumnChangeRefusedError`."""
    for kind, found in (
        ("CONSTRAINT", [told for told, sql in _conditions(table, catalog) if names_column(sql, path)]),
        ("GENERATED_COLUMNS", [told for told, sql in _generated(table, catalog) if names_column(sql, path)]),
    ):
        if found:
            what = "CHECK constraints" if kind == "CONSTRAINT" else "generated columns"
            raise ColumnChangeRefusedError(
                f"Column {quote_path(path)} cannot change: the {what} {', '.join(found)} need it.",
                fix=f"Drop the {what} first.",
                details={"column": list(path), "dependants": found},
                delta_condition=f"DELTA_{kind}_DEPENDENT_COLUMN_CHANGE",
            )


def _conditions(table: TableState, catalog: FeatureCatalog) -> Iterator[tuple[str, str]]:
    for _, behaviour in behaviours_of(catalog).all_with("row_conditions"):
        for condition in behaviour.row_conditions(table.metadata):
            if condition.kind is RowRuleKind.CHECK:
                yield f"{condition.name} ({condition.sql})", condition.sql


def _generated(table: TableState, catalog: FeatureCatalog) -> Iterator[tuple[str, str]]:
    for _, behaviour in behaviours_of(catalog).all_with("column_expressions"):
        for expression in behaviour.column_expressions(table.metadata):
            if expression.source is ColumnSource.GENERATED:
                yield f"{expression.column} ({expression.sql})", expression.sql


def names_column(sql: str, path: FieldPath) -> bool:
    """Whether the expression names the column, something in it, or what it is in. One that cannot be read may."""
    try:
        named = parse_predicate(sql).column_paths
    except PredicateUnreadableError:
        return True
    wanted = tuple(name.lower() for name in path)
    return any(all(one == other for one, other in zip(found, wanted, strict=False)) for found in named)
