"""The only place where an expression that a table keeps becomes a Column."""

from __future__ import annotations

from typing import TYPE_CHECKING

from deltaresolver.expressions.allowed import CheckedExpression

if TYPE_CHECKING:
    from pyspark.sql import Column


def checked_column(expression: str) -> Column:
    """The expression for Spark. Raises `TypeError` for a text that has not passed the gate, a mistake of ours."""
    from pyspark.sql import functions

    if not isinstance(expression, CheckedExpression):
        raise TypeError(f"an expression has not been checked: {expression}")
    return functions.expr(expression)
