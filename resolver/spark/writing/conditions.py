"""Conditions and values as users give them: SQL text, which can be read here, or a Column, which only Spark can."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, TypeAlias

import attrs
from sqlglot import expressions as sql

from deltaresolver.model.metadata import Metadata
from deltaresolver.spark.reading.select_files import EVERYTHING
from deltaresolver.transaction.predicate_sql import SqlPredicate, parse_predicate

if TYPE_CHECKING:
    from pyspark.sql import Column

Given: TypeAlias = "str | Column"
"""Text in Spark SQL, or a Column."""


def as_column(given: Given) -> Column:
    """What Spark evaluates."""
    from pyspark.sql import functions

    return functions.expr(given) if isinstance(given, str) else given


def shown(given: Given) -> str:
    """What history and messages show."""
    return given if isinstance(given, str) else str(given).removeprefix("Column<'").removesuffix("'>")


@attrs.frozen(slots=True)
class TargetNames:
    """How expressions name the table's columns: after its alias, or by names that nothing else has."""

    columns: frozenset[str]
    """Lowered."""
    alias: str | None = None
    others: frozenset[str] = frozenset()
    """Columns of the source, lowered."""

    @classmethod
    def of(cls, metadata: Metadata, alias: str | None = None, others: Iterable[str] = ()) -> TargetNames:
        """The names of a table with this metadata, beside columns `others`."""
        names = frozenset(field.name.lower() for field in metadata.schema.fields)
        return cls(names, alias, frozenset(name.lower() for name in others))

    def own(self, column: sql.Column) -> sql.Column | None:
        """The column as the table alone would be asked for it; None if it is not surely the table's."""
        parts: list[sql.Expr] = column.parts
        first = parts[0].name.lower()
        if self.alias is not None and first == self.alias.lower() and len(parts) > 1:
            # Innermost first, as sqlglot names the parts of a column.
            inner = [part.copy() for part in reversed(parts[1:])]
            return sql.Column(**dict(zip(("this", "table", "db", "catalog"), inner, strict=False)))
        return column if first in self.columns and first not in self.others else None


@attrs.frozen(slots=True)
class TargetCondition:
    """What a condition says of the table alone, in Spark SQL without aliases."""

    text: str
    is_all: bool
    """Whether that is all it says; else rows for which the text is true may not satisfy it."""


def target_condition(condition: Given | None, names: TargetNames) -> TargetCondition:
    """The part of a condition that looks at the table only; of a Column nothing. Raises `PredicateUnreadableError`."""
    if condition is None:
        return TargetCondition(EVERYTHING, is_all=True)
    if not isinstance(condition, str):
        return TargetCondition(EVERYTHING, is_all=False)
    parts = [_on_target(part, names) for part in parse_predicate(condition).parts()]
    if names.alias is None and None not in parts:
        return TargetCondition(condition, is_all=True)
    text = " AND ".join(f"({part})" for part in parts if part is not None) or EVERYTHING
    return TargetCondition(text, is_all=None not in parts)


def _on_target(part: SqlPredicate, names: TargetNames) -> str | None:
    if any(part.tree.find_all(sql.Query)):
        return None
    tree = part.tree.copy()
    for column in list(tree.find_all(sql.Column)):
        own = names.own(column)
        if own is None:
            return None
        if own is not column:
            if column is tree:
                tree = own
            else:
                column.replace(own)
    return tree.sql(dialect="spark")
