"""What an SQL expression comes to for given column values, in three-valued logic, with a fourth answer: cannot tell."""

from __future__ import annotations

import datetime
import decimal
import operator
import re
from collections.abc import Callable
from typing import Any

from sqlglot import expressions as sql

from deltaresolver.transaction.predicate_compare import UNKNOWABLE, cast_text, compare, is_moment, moment

Lookup = Callable[[str], tuple[Any, str]]
"""A column's value (None is null, UNKNOWABLE is not known) and Delta type."""


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
    return int(text) if re.fullmatch(r"\d+", text) else decimal.Decimal(text)


def _column(tree: Any, lookup: Lookup) -> Any:
    if len(tree.parts) != 1:
        return UNKNOWABLE
    return lookup(tree.name)[0]


def _in(tree: sql.Expr, lookup: Lookup) -> Any:
    if tree.args.get("query") is not None or tree.args.get("unnest") is not None:
        return UNKNOWABLE
    value = evaluate(tree.this, lookup)
    answers = [compare(value, evaluate(item, lookup), operator.eq) for item in tree.expressions]
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


def _like(tree: sql.Expr, lookup: Lookup) -> Any:
    value, pattern = evaluate(tree.this, lookup), evaluate(tree.expression, lookup)
    if value is None or pattern is None:
        return None
    if not isinstance(value, str) or not isinstance(pattern, str) or "\\" in pattern:
        return UNKNOWABLE
    parts = {"%": ".*", "_": "."}
    expression = "".join(parts.get(character, re.escape(character)) for character in pattern)
    flags = re.DOTALL | (re.IGNORECASE if isinstance(tree, sql.ILike) else re.NOFLAG)
    return re.fullmatch(expression, value, flags) is not None


def _rlike(tree: sql.Expr, lookup: Lookup) -> Any:
    value, pattern = evaluate(tree.this, lookup), evaluate(tree.expression, lookup)
    if value is None or pattern is None:
        return None
    # Java's expressions and Python's agree on the plain ones only.
    if not isinstance(value, str) or not isinstance(pattern, str) or re.search(r"[\\\[(?+{]", pattern):
        return UNKNOWABLE
    return re.search(pattern, value) is not None


def _case(tree: sql.Expr, lookup: Lookup) -> Any:
    if tree.this is not None:
        return UNKNOWABLE
    for branch in tree.args.get("ifs", []):
        condition = evaluate(branch.this, lookup)
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
        left, right = evaluate(tree.this, lookup), evaluate(tree.expression, lookup)
        if left is None or right is None:
            return None
        # Only whole numbers: Spark's other types round in ways of their own.
        return apply(left, right) if type(left) is int and type(right) is int else UNKNOWABLE

    return judge


def _negate(tree: sql.Expr, lookup: Lookup) -> Any:
    value = evaluate(tree.this, lookup)
    if value is None or value is UNKNOWABLE:
        return value
    return -value if isinstance(value, (int, float, decimal.Decimal)) else UNKNOWABLE


_SOME_MOMENT = datetime.datetime(1970, 1, 1, tzinfo=datetime.UTC)
_CAST_TO: dict[Any, Any] = {
    sql.DataType.Type.DATE: datetime.date.min,
    sql.DataType.Type.TIMESTAMP: _SOME_MOMENT,
    sql.DataType.Type.TIMESTAMPTZ: _SOME_MOMENT,
    sql.DataType.Type.TIMESTAMPLTZ: _SOME_MOMENT,
    sql.DataType.Type.INT: 0,
    sql.DataType.Type.BIGINT: 0,
    sql.DataType.Type.BOOLEAN: True,
}


def _cast(tree: Any, lookup: Lookup) -> Any:
    value, target = evaluate(tree.this, lookup), tree.to.this
    if value is None or value is UNKNOWABLE:
        return value
    like = _CAST_TO.get(target)
    if like is None:
        return (
            value
            if target in (sql.DataType.Type.TEXT, sql.DataType.Type.VARCHAR) and isinstance(value, str)
            else (UNKNOWABLE)
        )
    if isinstance(value, str):
        return cast_text(value, like)
    if isinstance(like, datetime.datetime) and is_moment(value):
        return moment(value)
    return value if type(value) is type(like) else UNKNOWABLE


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
    sql.Cast: _cast,
    sql.TryCast: _cast,
}


def _opposite(value: Any) -> Any:
    return value if value is None or value is UNKNOWABLE else not value
