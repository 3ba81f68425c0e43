"""What an SQL expression comes to for given column values, in three-valued logic, with a fourth answer: cannot tell."""

from __future__ import annotations

import datetime
import decimal
import operator
import re
from collections.abc import Callable
from typing import Any

from sqlglot import expressions as sql

from deltaresolver.transaction.predicate_calls import CALL_RULES, ValueOf, any_of, applied
from deltaresolver.transaction.predicate_compare import UNKNOWABLE, compare, is_moment

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
    return any_of([compare(value, evaluate(item, lookup), operator.eq) for item in tree.expressions])


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
            return applied(lambda day, days: apply(day, datetime.timedelta(days=days)), [left, right])
        exact = (type(left) in _EXACT, type(right) in _EXACT)
        if any(exact) and float in (type(left), type(right)):
            left, right = float(left), float(right)
        elif not all(exact):
            # Two binary fractions may be of a width that rounds otherwise.
            return UNKNOWABLE
        return apply(left, right)

    return judge


def _moved(value: Any, by: sql.Expr, apply: Callable[[Any, Any], Any]) -> Any:
    """A date or timestamp moved by a number of days."""
    unit, count = by.args.get("unit"), by.this
    known = isinstance(unit, sql.Var) and unit.name.upper() in ("DAY", "DAYS") and isinstance(count, sql.Literal)
    if not known or not re.fullmatch(r"-?\d+", str(count.this)):
        return UNKNOWABLE
    if value is None or value is UNKNOWABLE or not is_moment(value):
        return None if value is None else UNKNOWABLE
    return applied(lambda moved: apply(moved, datetime.timedelta(days=int(count.this))), [value])


def _negate(tree: sql.Expr, lookup: Lookup) -> Any:
    value = evaluate(tree.this, lookup)
    if value is None or value is UNKNOWABLE:
        return value
    return -value if isinstance(value, (int, float, decimal.Decimal)) else UNKNOWABLE


def _with_values(rule: Callable[[Any, ValueOf], Any]) -> Callable[[Any, Lookup], Any]:
    return lambda tree, lookup: rule(tree, lambda operand: evaluate(operand, lookup))


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
    **{node: _with_values(rule) for node, rule in CALL_RULES.items()},
}


def _opposite(value: Any) -> Any:
    return value if value is None or value is UNKNOWABLE else not value
