"""Which conditions surely give the same answers whenever they are evaluated over the same rows."""

from __future__ import annotations

from collections.abc import Collection

from sqlglot import expressions as sql

from deltaresolver.transaction.predicate_sql import parse_predicate

_REPEATABLE = (
    *(sql.And, sql.Or, sql.Not, sql.Paren, sql.Is, sql.In, sql.Between, sql.Like),
    *(sql.EQ, sql.NEQ, sql.GT, sql.GTE, sql.LT, sql.LTE, sql.NullSafeEQ),
    *(sql.Neg, sql.Add, sql.Sub, sql.Mul, sql.Div, sql.Mod),
    *(sql.Column, sql.Identifier, sql.Literal, sql.Boolean, sql.Null),
)
_MOVING = ("now", "today", "tomorrow", "yesterday")
"""Texts that Spark takes for a moment which depends on when it reads them."""


def has_fixed_answers(condition: str, columns: Collection[str]) -> bool:
    """Whether a condition consists of comparisons of columns, which are given lowered, and constants alone.

    A function may name the time, a name that is not a column's may stand for one, and a subquery may read something
    that changes. Raises `PredicateUnreadableError`.
    """
    for node in parse_predicate(condition).tree.walk():
        if not isinstance(node, _REPEATABLE):
            return False
        if isinstance(node, sql.Column) and len(node.parts) == 1 and node.name.lower() not in columns:
            return False
        if isinstance(node, sql.Literal) and node.is_string and node.name.strip().lower().startswith(_MOVING):
            return False
    return True
