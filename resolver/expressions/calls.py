"""Functions, casts and patterns in SQL conditions: what they come to, given the values of their operands."""

from __future__ import annotations

import decimal
import math
import operator
import re
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from sqlglot import expressions as sql

from deltaresolver.expressions.casts import cast
from deltaresolver.expressions.compare import UNKNOWABLE, compare, moment
from deltaresolver.expressions.functions import (
    CALLS,
    NAMED,
    add_days,
    as_day,
    is_plain_expression,
    like_expression,
    pad,
    trimmed,
    truncated,
)

ValueOf = Callable[[sql.Expr], Any]
"""What an operand comes to: None is null, UNKNOWABLE is not known."""


def any_of(answers: Sequence[Any]) -> Any:
    """Whether one of the answers is true."""
    if any(answer is True for answer in answers):
        return True
    if any(answer is UNKNOWABLE for answer in answers):
        return UNKNOWABLE
    return None if any(answer is None for answer in answers) else False


def _like(tree: sql.Expr, value_of: ValueOf, escape: str = "\\") -> Any:
    value, patterns = value_of(tree.this), tree.expression
    if isinstance(patterns, sql.Any):
        listed = patterns.this
        patterns = listed.expressions if isinstance(listed, sql.Tuple) else [listed.unnest()]
        return any_of([_matches(tree, value, value_of(each), escape) for each in patterns])
    return _matches(tree, value, value_of(patterns), escape)


def _matches(tree: sql.Expr, value: Any, pattern: Any, escape: str) -> Any:
    if value is None or pattern is None:
        return None
    if not isinstance(value, str) or not isinstance(pattern, str):
        return UNKNOWABLE
    expression = like_expression(pattern, escape)
    if expression is None:
        return UNKNOWABLE
    flags = re.DOTALL | (re.IGNORECASE if isinstance(tree, sql.ILike) else re.NOFLAG)
    return re.fullmatch(expression, value, flags) is not None


def _escape(tree: sql.Expr, value_of: ValueOf) -> Any:
    by = tree.expression
    known = isinstance(tree.this, (sql.Like, sql.ILike)) and isinstance(by, sql.Literal) and len(by.this) == 1
    return _like(tree.this, value_of, by.this) if known else UNKNOWABLE


def _rlike(tree: sql.Expr, value_of: ValueOf) -> Any:
    value, pattern = value_of(tree.this), value_of(tree.expression)
    if value is None or pattern is None:
        return None
    if not isinstance(value, str) or not isinstance(pattern, str) or not is_plain_expression(pattern):
        return UNKNOWABLE
    try:
        return re.search(pattern, value, re.ASCII) is not None
    except re.error:
        return UNKNOWABLE


def _cast(tree: Any, value_of: ValueOf) -> Any:
    is_try = bool(tree.args.get("safe"))
    return applied(lambda value: cast(value, tree.to, is_try=is_try), [value_of(tree.this)])


def _call(tree: sql.Expr, value_of: ValueOf) -> Any:
    """A function of values: null if one of them is null."""
    names, apply = CALLS[type(tree)]
    operands = [tree.args.get(name) for name in names]
    flat = [each for operand in operands if operand is not None for each in
            (operand if isinstance(operand, list) else [operand])]  # fmt: skip
    return applied(apply, [value_of(operand) for operand in flat])


def applied(apply: Callable[..., Any], values: Sequence[Any]) -> Any:
    """The function of the values: null if one of them is, UNKNOWABLE where it or one of them cannot be told."""
    if any(value is UNKNOWABLE for value in values):
        return UNKNOWABLE
    if any(value is None for value in values):
        return None
    try:
        return apply(*values)
    except (ArithmeticError, ValueError, TypeError):
        return UNKNOWABLE


def _named(tree: sql.Expr, value_of: ValueOf) -> Any:
    name, operands = str(tree.this).lower(), tree.expressions
    if name in ("isnull", "isnotnull") and len(operands) == 1:
        value = value_of(operands[0])
        return value if value is UNKNOWABLE else (value is None) is (name == "isnull")
    apply = NAMED.get(name)
    return UNKNOWABLE if apply is None else applied(apply, [value_of(operand) for operand in operands])


def _days_added(tree: sql.Expr, value_of: ValueOf) -> Any:
    unit = tree.args.get("unit")
    if unit is not None and unit.name.upper() != "DAY":
        return UNKNOWABLE
    return applied(add_days, [value_of(tree.this), value_of(tree.expression)])


def _truncated(tree: sql.Expr, value_of: ValueOf) -> Any:
    """TRUNC gives a date, DATE_TRUNC a timestamp."""
    found = applied(truncated, [value_of(tree.this), tree.args["unit"].name.upper()])
    if found is None or found is UNKNOWABLE:
        return found
    return as_day(found) if isinstance(tree, sql.DateTrunc) else moment(found)


def _pad(tree: sql.Expr, value_of: ValueOf) -> Any:
    at_left = bool(tree.args.get("is_left"))
    operands = (tree.this, tree.expression, tree.args.get("fill_pattern"))
    values = [" " if operand is None else value_of(operand) for operand in operands]
    return applied(lambda *given: pad(*given, at_left=at_left), values)


def _trim(tree: sql.Expr, value_of: ValueOf) -> Any:
    values = [value_of(operand) for operand in (tree.this, tree.args.get("expression")) if operand is not None]
    position = tree.args.get("position")
    if not all(value is None or isinstance(value, str) for value in values):
        return UNKNOWABLE
    return applied(lambda text, *characters: trimmed(text, position, *characters), values)


def _extreme(how: Callable[[Any, Any], bool]) -> Callable[[sql.Expr, ValueOf], Any]:
    """GREATEST or LEAST, which skip nulls."""

    def judge(tree: sql.Expr, value_of: ValueOf) -> Any:
        best = None
        for item in (tree.this, *tree.expressions):
            value = value_of(item)
            if value is UNKNOWABLE or (best is not None and value is not None and type(value) is not type(best)):
                return UNKNOWABLE
            if best is None or compare(value, best, how) is True:
                best = value
        return best

    return judge


def _nullif(tree: sql.Expr, value_of: ValueOf) -> Any:
    value = value_of(tree.this)
    equal = compare(value, value_of(tree.expression), operator.eq)
    return UNKNOWABLE if equal is UNKNOWABLE else None if equal is True else value


def _is_nan(tree: sql.Expr, value_of: ValueOf) -> Any:
    """Null is a number to ISNAN, or at least not none."""
    value = value_of(tree.this)
    if value is None:
        return False
    if isinstance(value, (int, decimal.Decimal)) and not isinstance(value, bool):
        return False
    return math.isnan(value) if isinstance(value, float) else UNKNOWABLE


def _tuple(tree: sql.Expr, value_of: ValueOf) -> Any:
    return tuple(value_of(item) for item in tree.expressions)


def _contains(tree: sql.Expr, value_of: ValueOf) -> Any:
    """ARRAY_CONTAINS of a written out array."""
    if not isinstance(tree.this, sql.Array):
        return UNKNOWABLE
    value = value_of(tree.expression)
    return any_of([compare(value_of(item), value, operator.eq) for item in tree.this.expressions])


CALL_RULES: Mapping[type[sql.Expr], Callable[[Any, ValueOf], Any]] = {
    **dict.fromkeys(CALLS, _call),
    sql.Anonymous: _named,
    sql.ArrayContains: _contains,
    sql.Cast: _cast,
    sql.Escape: _escape,
    sql.Greatest: _extreme(operator.gt),
    sql.IsNan: _is_nan,
    sql.Least: _extreme(operator.lt),
    sql.Nullif: _nullif,
    sql.Pad: _pad,
    sql.DateTrunc: _truncated,
    sql.TimestampTrunc: _truncated,
    sql.Trim: _trim,
    sql.TsOrDsAdd: _days_added,
    sql.Tuple: _tuple,
    sql.Like: _like,
    sql.ILike: _like,
    sql.RegexpLike: _rlike,
    sql.TryCast: _cast,
}
