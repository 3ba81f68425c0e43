"""Conditions and values as users give them: SQL text, which can be read here, or a Column, which only Spark can."""

from __future__ import annotations

from collections.abc import Collection
from typing import TYPE_CHECKING, TypeAlias

from sqlglot import expressions as sql

from deltaresolver.transaction.predicate_names import EVERYTHING, TargetCondition, TargetNames, about_target
from deltaresolver.transaction.predicate_sql import parse_predicate

if TYPE_CHECKING:
    from pyspark.sql import Column

Given: TypeAlias = "str | Column"
"""Text in Spark SQL, or a Column."""


_REPEATABLE = (
    *(sql.And, sql.Or, sql.Not, sql.Paren, sql.Is, sql.In, sql.Between, sql.Like),
    *(sql.EQ, sql.NEQ, sql.GT, sql.GTE, sql.LT, sql.LTE, sql.NullSafeEQ),
    *(sql.Neg, sql.Add, sql.Sub, sql.Mul, sql.Div, sql.Mod),
    *(sql.Column, sql.Identifier, sql.Literal, sql.Boolean, sql.Null),
)
_MOVING = ("now", "today", "tomorrow", "yesterday")
"""Texts that Spark takes for a moment which depends on when it reads them."""


def as_column(given: Given) -> Column:
    """What Spark evaluates."""
    from pyspark.sql import functions

    return functions.expr(given) if isinstance(given, str) else given


def shown(given: Given) -> str:
    """What history and messages show."""
    return given if isinstance(given, str) else str(given).removeprefix("Column<'").removesuffix("'>")


def target_condition(condition: Given | None, names: TargetNames) -> TargetCondition:
    """The part of a condition that looks at the table only; of a Column nothing. Raises `PredicateUnreadableError`."""
    if condition is None:
        return TargetCondition(EVERYTHING, is_all=True)
    if not isinstance(condition, str):
        return TargetCondition(EVERYTHING, is_all=False)
    return about_target(condition, names)


def is_repeatable(condition: Given | None, columns: Collection[str]) -> bool:
    """Whether evaluating a condition once more surely gives the same answers; `columns` are lowered.

    That is certain of comparisons of columns and constants alone. A function may name the time, a name that is not a
    column's may stand for one, a subquery may read something that changes, and nothing is known of a Column.
    """
    if condition is None:
        return True
    if not isinstance(condition, str):
        return False
    for node in parse_predicate(condition).tree.walk():
        if not isinstance(node, _REPEATABLE):
            return False
        if isinstance(node, sql.Column) and len(node.parts) == 1 and node.name.lower() not in columns:
            return False
        if isinstance(node, sql.Literal) and node.is_string and node.name.strip().lower().startswith(_MOVING):
            return False
    return True
