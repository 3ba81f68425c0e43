"""What an SQL expression comes to for given column values, in three-valued logic, with a fourth answer: cannot tell."""

from __future__ import annotations

import datetime
import decimal
import operator
import re
from collections.abc import Callable, Sequence
from typing import Any

from sqlglot import expressions as sql

from deltaresolver.transaction.predicate_cast import cast
from deltaresolver.transaction.predicate_compare import UNKNOWABLE, compare, is_moment, moment
from deltaresolver.transaction.predicate_functions import (
    CALLS,
    NAMED,
    add_days,
    as_day,
    is_plain_expression,
    like_expression,
    trimmed,
    truncated,
)

Lookup = Callable[[str], tuple[Any, str]]
"""A column's value (None is null, UNKNOWABLE is not known) and Delta type."""
_EXACT = (int, decimal.Decimal)


def evaluate(tree: sql.Expr, lookup: Lookup) -> Any:
    """The value: `None` is SQL's null, `UNKNOWABLE` is anything."""
    rule = _RULES.get(type(tree))
    if rule is not None:
        return rule(tree, lookup)
    return UNKNOWABLE


def _comparison(how: Callable[[Any, Any], bool]) -> Callable[[sql.Expr, Lookup], Any]:
    def judge(tree: sql.Expr, lookup: Lookup) -> Any:
        return compare(evaluate(tree.this, lookup), evaluate(tree.expression, lookup), how)

    return judge


def _and(tree: sql.Expr, lookup: Lookup) -> Any:
    left, right = evaluate(tree.this, lookup), evaluate(tree.expression, lookup)
    if left is False or right is False:
        return False
    if left is UNKNOWABLE or right is UNKNOWABLE:
        return UNKNOWABLE
    return None if left is None or right is None else True


def _or(tree: sql.Expr, lookup: Lookup) -> Any:
    left, right = evaluate(tree.this, lookup), evaluate(tree.expression, lookup)
    if left is True or right is True:
        return True
    if left is UNKNOWABLE or right is UNKNOWABLE:
        return UNKNOWABLE
    return None if left is None or right is None else False


def _not(tree: sql.Expr, lookup: Lookup) -> Any:
    value = evaluate(tree.this, lookup)
    return value if value is None or value is UNKNOWABLE else not value


def _literal(tree: sql.Expr, _: Lookup) -> Any:
    if tree.is_string:
        return tree.this
    text = tree.this
    if re.fullmatch(r"\d+", text):
        return int(text)
    return float(text) if "e" in text.lower() else decimal.Decimal(text)


def _column(tree: Any, lookup: Lookup) -> Any:
    if len(tree.parts) != 1:
        return UNKNOWABLE
    return lookup(tree.name)[0]


def _in(tree: sql.Expr, lookup: Lookup) -> Any:
    if tree.args.get("query") is not None or tree.args.get("unnest") is not None:
        return UNKNOWABLE
    value = evaluate(tree.this, lookup)
    return _any_of([compare(value, evaluate(item, lookup), operator.eq) for item in tree.expressions])


def _any_of(answers: Sequence[Any]) -> Any:
    """Whether one of the answers is true."""
    if any(answer is True for answer in answers):
        return True
    if any(answer is UNKNOWABLE for answer in answers):
        return UNKNOWABLE
    return None if any(answer is None for answer in answers) else False


def _between(tree: sql.Expr, lookup: Lookup) -> Any:
    value = evaluate(tree.this, lookup)
    low = compare(value, evaluate(tree.args["low"], lookup), operator.ge)
    high = compare(value, evaluate(tree.args["high"], lookup), operator.le)
    if low is False or high is False:
        return False
    if low is UNKNOWABLE or high is UNKNOWABLE:
        return UNKNOWABLE
    return None if low is None or high is None else True


def _is(tree: sql.Expr, lookup: Lookup) -> Any:
    value, target = evaluate(tree.this, lookup), tree.expression
    if value is UNKNOWABLE:
        return UNKNOWABLE
    if isinstance(target, sql.Null):
        return value is None
    return value is target.this if isinstance(target, sql.Boolean) else UNKNOWABLE


def _null_safe_equal(tree: sql.Expr, lookup: Lookup) -> Any:
    left, right = evaluate(tree.this, lookup), evaluate(tree.expression, lookup)
    if left is UNKNOWABLE or right is UNKNOWABLE:
        return UNKNOWABLE
    if left is None or right is None:
        return left is right
    return compare(left, right, operator.eq)


def _like(tree: sql.Expr, lookup: Lookup, escape: str = "\\") -> Any:
    value, patterns = evaluate(tree.this, lookup), tree.expression
    if isinstance(patterns, sql.Any):
        listed = patterns.this
        patterns = listed.expressions if isinstance(listed, sql.Tuple) else [listed.unnest()]
        return _any_of([_matches(tree, value, evaluate(each, lookup), escape) for each in patterns])
    return _matches(tree, value, evaluate(patterns, lookup), escape)


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


def _escape(tree: sql.Expr, lookup: Lookup) -> Any:
    by = tree.expression
    known = isinstance(tree.this, (sql.Like, sql.ILike)) and isinstance(by, sql.Literal) and len(by.this) == 1
    return _like(tree.this, lookup, by.this) if known else UNKNOWABLE


def _rlike(tree: sql.Expr, lookup: Lookup) -> Any:
    value, pattern = evaluate(tree.this, lookup), evaluate(tree.expression, lookup)
    if value is None or pattern is None:
        return None
    if not isinstance(value, str) or not isinstance(pattern, str) or not is_plain_expression(pattern):
        return UNKNOWABLE
    try:
        return re.search(pattern, value, re.ASCII) is not None
    except re.error:
        return UNKNOWABLE


def _case(tree: sql.Expr, lookup: Lookup) -> Any:
    subject = tree.this
    for branch in tree.args.get("ifs", []):
        condition = evaluate(branch.this, lookup)
        if subject is not None:
            condition = compare(evaluate(subject, lookup), condition, operator.eq)
        if condition is UNKNOWABLE:
            return UNKNOWABLE
        if condition is True:
            return evaluate(branch.args["true"], lookup)
    default = tree.args.get("default")
    return None if default is None else evaluate(default, lookup)


def _if(tree: sql.Expr, lookup: Lookup) -> Any:
    condition = evaluate(tree.this, lookup)
    if condition is UNKNOWABLE:
        return UNKNOWABLE
    branch = tree.args.get("true") if condition is True else tree.args.get("false")
    return None if branch is None else evaluate(branch, lookup)


def _coalesce(tree: sql.Expr, lookup: Lookup) -> Any:
    for item in (tree.this, *tree.expressions):
        value = evaluate(item, lookup)
        if value is not None:
            return value
    return None


def _text_function(apply: Callable[[str], Any]) -> Callable[[sql.Expr, Lookup], Any]:
    def judge(tree: sql.Expr, lookup: Lookup) -> Any:
        value = evaluate(tree.this, lookup)
        if value is None:
            return None
        more = [name for name, item in tree.args.items() if name != "this" and item]
        return apply(value) if isinstance(value, str) and not more else UNKNOWABLE

    return judge


def _arithmetic(apply: Callable[[Any, Any], Any]) -> Callable[[sql.Expr, Lookup], Any]:
    def judge(tree: sql.Expr, lookup: Lookup) -> Any:
        if isinstance(tree.expression, sql.Interval):
            return _moved(evaluate(tree.this, lookup), tree.expression, apply)
        left, right = evaluate(tree.this, lookup), evaluate(tree.expression, lookup)
        if left is UNKNOWABLE or right is UNKNOWABLE:
            return UNKNOWABLE
        if left is None or right is None:
            return None
        if type(left) is datetime.date and type(right) is int and apply is not operator.mul:
            return apply(left, datetime.timedelta(days=right))
        # Only exact numbers: Spark's others round in ways of their own.
        exact = type(left) in _EXACT and type(right) in _EXACT
        return apply(left, right) if exact else UNKNOWABLE

    return judge


def _moved(value: Any, by: sql.Expr, apply: Callable[[Any, Any], Any]) -> Any:
    """A date or timestamp moved by a number of days."""
    unit, count = by.args.get("unit"), by.this
    known = isinstance(unit, sql.Var) and unit.name.upper() in ("DAY", "DAYS") and isinstance(count, sql.Literal)
    if not known or not re.fullmatch(r"-?\d+", str(count.this)):
        return UNKNOWABLE
    if value is None or value is UNKNOWABLE:
        return value
    return apply(value, datetime.timedelta(days=int(count.this))) if is_moment(value) else UNKNOWABLE


def _negate(tree: sql.Expr, lookup: Lookup) -> Any:
    value = evaluate(tree.this, lookup)
    if value is None or value is UNKNOWABLE:
        return value
    return -value if isinstance(value, (int, float, decimal.Decimal)) else UNKNOWABLE


def _cast(tree: Any, lookup: Lookup) -> Any:
    value = evaluate(tree.this, lookup)
    if value is None or value is UNKNOWABLE:
        return value
    return cast(value, tree.to, is_try=bool(tree.args.get("safe")))


def _call(tree: sql.Expr, lookup: Lookup) -> Any:
    """A function of values: null if one of them is null."""
    names, apply = CALLS[type(tree)]
    operands = [tree.args.get(name) for name in names]
    flat = [each for operand in operands if operand is not None for each in
            (operand if isinstance(operand, list) else [operand])]  # fmt: skip
    return _applied(apply, [evaluate(operand, lookup) for operand in flat])


def _applied(apply: Callable[..., Any], values: Sequence[Any]) -> Any:
    if any(value is UNKNOWABLE for value in values):
        return UNKNOWABLE
    if any(value is None for value in values):
        return None
    try:
        return apply(*values)
    except (ArithmeticError, ValueError, TypeError):
        return UNKNOWABLE


def _named(tree: sql.Expr, lookup: Lookup) -> Any:
    name, operands = str(tree.this).lower(), tree.expressions
    if name in ("isnull", "isnotnull") and len(operands) == 1:
        value = evaluate(operands[0], lookup)
        return value if value is UNKNOWABLE else (value is None) is (name == "isnull")
    apply = NAMED.get(name)
    return UNKNOWABLE if apply is None else _applied(apply, [evaluate(operand, lookup) for operand in operands])


def _days_added(tree: sql.Expr, lookup: Lookup) -> Any:
    unit = tree.args.get("unit")
    if unit is not None and unit.name.upper() != "DAY":
        return UNKNOWABLE
    return _applied(add_days, [evaluate(tree.this, lookup), evaluate(tree.expression, lookup)])


def _truncated(tree: sql.Expr, lookup: Lookup) -> Any:
    """TRUNC gives a date, DATE_TRUNC a timestamp."""
    found = _applied(truncated, [evaluate(tree.this, lookup), tree.args["unit"].name.upper()])
    if found is None or found is UNKNOWABLE:
        return found
    return as_day(found) if isinstance(tree, sql.DateTrunc) else moment(found)


def _trim(tree: sql.Expr, lookup: Lookup) -> Any:
    values = [evaluate(operand, lookup) for operand in (tree.this, tree.args.get("expression")) if operand is not None]
    position = tree.args.get("position")
    if not all(value is None or isinstance(value, str) for value in values):
        return UNKNOWABLE
    return _applied(lambda text, *characters: trimmed(text, position, *characters), values)


def _extreme(how: Callable[[Any, Any], bool]) -> Callable[[sql.Expr, Lookup], Any]:
    """GREATEST or LEAST, which skip nulls."""

    def judge(tree: sql.Expr, lookup: Lookup) -> Any:
        best = None
        for item in (tree.this, *tree.expressions):
            value = evaluate(item, lookup)
            if value is UNKNOWABLE or (best is not None and value is not None and type(value) is not type(best)):
                return UNKNOWABLE
            if best is None or compare(value, best, how) is True:
                best = value
        return best

    return judge


def _nullif(tree: sql.Expr, lookup: Lookup) -> Any:
    value = evaluate(tree.this, lookup)
    equal = compare(value, evaluate(tree.expression, lookup), operator.eq)
    return UNKNOWABLE if equal is UNKNOWABLE else None if equal is True else value


def _tuple(tree: sql.Expr, lookup: Lookup) -> Any:
    return tuple(evaluate(item, lookup) for item in tree.expressions)


def _contains(tree: sql.Expr, lookup: Lookup) -> Any:
    """ARRAY_CONTAINS of a written out array."""
    if not isinstance(tree.this, sql.Array):
        return UNKNOWABLE
    value = evaluate(tree.expression, lookup)
    return _any_of([compare(evaluate(item, lookup), value, operator.eq) for item in tree.this.expressions])


_RULES: dict[type[sql.Expr], Callable[[Any, Lookup], Any]] = {
    sql.And: _and,
    sql.Or: _or,
    sql.Not: _not,
    sql.Paren: lambda tree, lookup: evaluate(tree.this, lookup),
    sql.EQ: _comparison(operator.eq),
    sql.NEQ: _comparison(operator.ne),
    sql.LT: _comparison(operator.lt),
    sql.LTE: _comparison(operator.le),
    sql.GT: _comparison(operator.gt),
    sql.GTE: _comparison(operator.ge),
    sql.NullSafeEQ: _null_safe_equal,
    sql.NullSafeNEQ: lambda tree, lookup: _opposite(_null_safe_equal(tree, lookup)),
    sql.Literal: _literal,
    sql.Boolean: lambda tree, _: tree.this,
    sql.Null: lambda _, __: None,
    sql.Column: _column,
    sql.In: _in,
    sql.Between: _between,
    sql.Is: _is,
    sql.Like: _like,
    sql.ILike: _like,
    sql.RegexpLike: _rlike,
    sql.Case: _case,
    sql.If: _if,
    sql.Coalesce: _coalesce,
    sql.Upper: _text_function(str.upper),
    sql.Lower: _text_function(str.lower),
    sql.Length: _text_function(len),
    sql.Add: _arithmetic(operator.add),
    sql.Sub: _arithmetic(operator.sub),
    sql.Mul: _arithmetic(operator.mul),
    sql.Neg: _negate,
    **dict.fromkeys(CALLS, _call),
    sql.Anonymous: _named,
    sql.ArrayContains: _contains,
    sql.Cast: _cast,
    sql.Escape: _escape,
    sql.Greatest: _extreme(operator.gt),
    sql.Least: _extreme(operator.lt),
    sql.Nullif: _nullif,
    sql.DateTrunc: _truncated,
    sql.TimestampTrunc: _truncated,
    sql.Trim: _trim,
    sql.TsOrDsAdd: _days_added,
    sql.Tuple: _tuple,
    sql.TryCast: _cast,
}


def _opposite(value: Any) -> Any:
    return value if value is None or value is UNKNOWABLE else not value
