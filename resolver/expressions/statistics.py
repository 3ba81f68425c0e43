"""SQL conditions as the predicates that statistics can be asked about."""

from __future__ import annotations

import datetime
import decimal
import math
import re
from typing import Any

from sqlglot import expressions as sql

from deltaresolver.errors import UnknownColumnError
from deltaresolver.expressions.casts import as_text
from deltaresolver.expressions.compare import UNKNOWABLE, Single, text_beside
from deltaresolver.expressions.conditions import SqlPredicate
from deltaresolver.expressions.moments import is_written
from deltaresolver.expressions.predicates import (
    And,
    Compare,
    Comparison,
    IsIn,
    IsNull,
    Negation,
    Or,
    Predicate,
    StartsWith,
)
from deltaresolver.expressions.scalar import evaluate
from deltaresolver.expressions.stored_column import StoredColumn, find_column, kind_of
from deltaresolver.expressions.stored_values import FRACTIONAL, WHOLE
from deltaresolver.model.facts.leaf_types import find_decimal
from deltaresolver.model.metadata import Metadata

_COMPARISONS: dict[type[sql.Expr], Comparison] = {
    sql.EQ: Comparison.EQUAL,
    sql.NEQ: Comparison.NOT_EQUAL,
    sql.LT: Comparison.LESS,
    sql.LTE: Comparison.LESS_OR_EQUAL,
    sql.GT: Comparison.GREATER,
    sql.GTE: Comparison.GREATER_OR_EQUAL,
    sql.NullSafeEQ: Comparison.NULL_SAFE_EQUAL,
}
_TURNED = {
    Comparison.LESS: Comparison.GREATER,
    Comparison.LESS_OR_EQUAL: Comparison.GREATER_OR_EQUAL,
    Comparison.GREATER: Comparison.LESS,
    Comparison.GREATER_OR_EQUAL: Comparison.LESS_OR_EQUAL,
}
_LIKE_VALUES: dict[str, Any] = {
    "byte": 0,
    "short": 0,
    "integer": 0,
    "long": 0,
    "float": Single(),
    "double": 0.0,
    "decimal": decimal.Decimal(0),
    "boolean": True,
    "date": datetime.date.min,
    "timestamp": datetime.datetime.min.replace(tzinfo=datetime.UTC),
    "timestamp_ntz": datetime.datetime.min,  # noqa: DTZ901 - of no zone
}


def pruning_predicate(predicates: tuple[SqlPredicate, ...], metadata: Metadata) -> Predicate | None:
    """What of the predicates, taken together, statistics of data columns can decide; None if nothing."""
    parts = [
        found
        for predicate in predicates
        for part in predicate.parts()
        if (found := _convert(part.tree, metadata)) is not None
    ]
    return And(tuple(parts)) if parts else None


def _convert(tree: sql.Expr, metadata: Metadata) -> Predicate | None:
    tree = tree.unnest()
    comparison = _COMPARISONS.get(type(tree))
    if comparison is not None:
        return _comparison(tree, comparison, metadata)
    if isinstance(tree, (sql.And, sql.Or)):
        left, right = _convert(tree.this, metadata), _convert(tree.expression, metadata)
        if left is None or right is None:
            # Half of an AND still decides; inside a NOT it would not, so NOT takes whole conditions only.
            return None
        return And((left, right)) if isinstance(tree, sql.And) else Or((left, right))
    if isinstance(tree, sql.Not):
        inner = _convert(tree.this, metadata)
        return None if inner is None else Negation(inner)
    if isinstance(tree, sql.Is) and isinstance(tree.expression, sql.Null):
        column = _column(tree.this, metadata)
        return None if column is None else IsNull(column[0])
    if isinstance(tree, sql.In) and not tree.args.get("query"):
        return _in(tree, metadata)
    if isinstance(tree, sql.Between):
        low = _compared(tree.this, Comparison.GREATER_OR_EQUAL, tree.args["low"], metadata)
        high = _compared(tree.this, Comparison.LESS_OR_EQUAL, tree.args["high"], metadata)
        return None if low is None or high is None else And((low, high))
    return _starts_with(tree, metadata) if isinstance(tree, sql.Like) else None


def _comparison(tree: Any, comparison: Comparison, metadata: Metadata) -> Predicate | None:
    if isinstance(tree.this.unnest(), sql.Column):
        return _compared(tree.this, comparison, tree.expression, metadata)
    return _compared(tree.expression, _TURNED.get(comparison, comparison), tree.this, metadata)


def _compared(side: Any, comparison: Comparison, other: Any, metadata: Metadata) -> Predicate | None:
    column = _column(side, metadata)
    if column is None:
        return None
    path, stored = column
    value = _value(other, stored)
    return None if value is UNKNOWABLE else Compare(path, comparison, value)


def _in(tree: sql.In, metadata: Metadata) -> Predicate | None:
    column = _column(tree.this, metadata)
    if column is None:
        return None
    values = tuple(_value(item, column[1], in_list=True) for item in tree.expressions)
    return None if any(value is UNKNOWABLE for value in values) else IsIn(column[0], values)


def _starts_with(tree: sql.Like, metadata: Metadata) -> Predicate | None:
    column, pattern = _column(tree.this, metadata), tree.expression
    if column is None or not isinstance(pattern, sql.Literal) or not pattern.is_string:
        return None
    plain = re.fullmatch(r"([^%_\\]+)%", pattern.this)
    return StartsWith(column[0], plain[1]) if plain else None


def _column(tree: Any, metadata: Metadata) -> tuple[tuple[str, ...], StoredColumn] | None:
    tree = tree.unnest()
    if not isinstance(tree, sql.Column):
        return None
    path = tuple(part.name for part in tree.parts)
    try:
        stored = find_column(metadata, path)
    except UnknownColumnError:
        return None
    return None if stored.is_partition or not stored.type else (path, stored)


_EXACT_AS_DOUBLE, _EXACT_AS_SINGLE = 1 << 53, 1 << 24


def _value(tree: sql.Expr, column: StoredColumn, *, in_list: bool = False) -> Any:
    """The value in the column's type, so that both compare as Spark compares the column with the expression."""
    value = evaluate(tree, lambda _: (UNKNOWABLE, ""))
    kind = kind_of(column)
    if isinstance(value, str) and kind != "string":
        return _read(value, column, in_list=in_list)
    if isinstance(value, bool) or not isinstance(value, (int, float, decimal.Decimal)):
        return value
    if kind in FRACTIONAL:
        if kind == "float" and type(value) is int and abs(value) > _EXACT_AS_SINGLE:
            return UNKNOWABLE
        return float(value)
    if isinstance(value, float) and kind == "decimal":
        return _short_decimal(value, column)
    if isinstance(value, float):
        # A column of whole numbers becomes one of fractions, where those that are too long for it are rounded.
        longest = _EXACT_AS_SINGLE if isinstance(value, Single) else _EXACT_AS_DOUBLE
        return value if kind in WHOLE and abs(value) < longest else UNKNOWABLE
    return value


_SHORT = 15


def _short_decimal(value: float, column: StoredColumn) -> Any:
    """The decimal that stands for the fraction among those so short that no two of them are one fraction."""
    shape = find_decimal(column.type)
    if isinstance(value, Single) or not math.isfinite(value) or shape is None or shape[0] > _SHORT:
        return UNKNOWABLE
    exact = decimal.Decimal(repr(value))
    return exact if len(exact.as_tuple().digits) <= _SHORT else UNKNOWABLE


def _read(text: str, column: StoredColumn, *, in_list: bool) -> Any:
    """A text beside a column of another type."""
    kind = kind_of(column)
    like = _LIKE_VALUES.get(kind)
    if kind == "decimal" and not in_list:
        fraction = text_beside(text, like)
        return UNKNOWABLE if fraction is UNKNOWABLE else _short_decimal(fraction, column)
    if like is None or kind == "decimal":
        return UNKNOWABLE
    if kind == "timestamp_ntz" and not is_written(text):
        return UNKNOWABLE
    found = text_beside(text, like, kind)
    # In a list, a session without ANSI compares texts.
    return UNKNOWABLE if in_list and (kind in FRACTIONAL or as_text(found) != text) else found
