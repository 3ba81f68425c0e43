"""SQL conditions as the predicates that statistics can be asked about."""

from __future__ import annotations

import datetime
import decimal
import re
from typing import Any

from sqlglot import expressions as sql

from deltaresolver.errors import UnknownColumnError
from deltaresolver.log.pruning.predicates import And, Compare, Comparison, IsIn, IsNull, Not, Or, Predicate, StartsWith
from deltaresolver.log.pruning.stored_column import StoredColumn, find_column, kind_of
from deltaresolver.model.metadata import Metadata
from deltaresolver.transaction.predicate_compare import UNKNOWABLE, cast_text
from deltaresolver.transaction.predicate_sql import SqlPredicate
from deltaresolver.transaction.predicate_value import evaluate
from deltaresolver.transaction.written_moment import is_written

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
    "float": 0.0,
    "double": 0.0,
    "decimal": decimal.Decimal(0),
    "boolean": True,
    "date": datetime.date.min,
    "timestamp": datetime.datetime.min.replace(tzinfo=datetime.UTC),
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
        return None if inner is None else Not(inner)
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
    values = tuple(_value(item, column[1]) for item in tree.expressions)
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


def _value(tree: sql.Expr, column: StoredColumn) -> Any:
    value = evaluate(tree, lambda _: (UNKNOWABLE, ""))
    kind = kind_of(column)
    if isinstance(value, str) and kind == "timestamp_ntz":
        # Without an offset, of which Spark would think nothing here.
        moment = cast_text(value, _LIKE_VALUES["timestamp"]) if is_written(value) else UNKNOWABLE
        return moment if moment is UNKNOWABLE else moment.replace(tzinfo=None)
    if isinstance(value, str) and kind != "string":
        like = _LIKE_VALUES.get(kind)
        return UNKNOWABLE if like is None else cast_text(value, like)
    return value
