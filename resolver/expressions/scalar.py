"""What an SQL expression comes to for given column values, in three-valued logic, with a fourth answer: cannot tell."""

from __future__ import annotations

import datetime
import decimal
import math
import operator
import re
from collections.abc import Callable, Sequence
from typing import Any

from sqlglot import expressions as sql

from deltaresolver.expressions.calls import CALL_RULES, ValueOf, any_of, applied
from deltaresolver.expressions.casts import as_text
from deltaresolver.expressions.compare import UNKNOWABLE, Single, compare, is_moment
from deltaresolver.expressions.types import Lookup, family, has_long_decimals, in_range, static_type

_EXACT = (int, decimal.Decimal)


def evaluate(tree: sql.Expr, lookup: Lookup) -> Any:
    """The value: `None` is SQL's null, `UNKNOWABLE` is anything."""
    rule = _RULES.get(type(tree))
    if rule is not None:
        return rule(tree, lookup)
    return UNKNOWABLE


def _comparison(how: Callable[[Any, Any], bool]) -> Callable[[sql.Expr, Lookup], Any]:
    def judge(tree: sql.Expr, lookup: Lookup) -> Any:
        return _compared(tree.this, tree.expression, lookup, how)

    return judge


def _compared(left: sql.Expr, right: sql.Expr, lookup: Lookup, how: Callable[[Any, Any], bool]) -> Any:
    values = evaluate(left, lookup), evaluate(right, lookup)
    if not are_mixed(values):
        return compare(*values, how)
    return compare(*values, how, (static_type(left, lookup), static_type(right, lookup)))


def _and(tree: sql.Expr, lookup: Lookup) -> Any:
    """Spark looks at the left side first: what it would refuse there, the right side does not make up for."""
    left = evaluate(tree.this, lookup)
    if left is False or left is UNKNOWABLE:
        return left
    right = evaluate(tree.expression, lookup)
    if right is False or right is UNKNOWABLE:
        return right
    return None if left is None or right is None else True


def _or(tree: sql.Expr, lookup: Lookup) -> Any:
    left = evaluate(tree.this, lookup)
    if left is True or left is UNKNOWABLE:
        return left
    right = evaluate(tree.expression, lookup)
    if right is True or right is UNKNOWABLE:
        return right
    return None if left is None or right is None else False


def _not(tree: sql.Expr, lookup: Lookup) -> Any:
    value = evaluate(tree.this, lookup)
    return value if value is None or value is UNKNOWABLE else not value


_PRECISION = 38


def literal_value(tree: sql.Expr) -> Any:
    """What a literal stands for; UNKNOWABLE for a number that Spark does not have."""
    if tree.is_string:
        return tree.this
    text = tree.this
    if re.fullmatch(r"\d+", text, re.ASCII):
        return int(text) if len(text) <= _PRECISION else UNKNOWABLE
    if re.fullmatch(r"(\d+\.\d*|\.\d+)", text, re.ASCII):
        return decimal.Decimal(text) if len(text) <= _PRECISION else UNKNOWABLE
    number = float(text) if re.fullmatch(r"(\d+\.?\d*|\.\d+)[eE][+-]?\d+", text, re.ASCII) else math.inf
    return number if math.isfinite(number) else UNKNOWABLE


def _column(tree: Any, lookup: Lookup) -> Any:
    if len(tree.parts) != 1:
        return UNKNOWABLE
    return lookup(tree.name)[0]


def _in(tree: sql.Expr, lookup: Lookup) -> Any:
    if tree.args.get("query") is not None or tree.args.get("unnest") is not None:
        return UNKNOWABLE
    members = [tree.this, *tree.expressions]
    values = [evaluate(member, lookup) for member in members]
    if not are_mixed(values):
        answers = [compare(values[0], value, operator.eq) for value in values[1:]]
        # A list may be looked through in any order: what Spark would refuse in it may come first.
        return UNKNOWABLE if UNKNOWABLE in answers else any_of(answers)
    kinds = [static_type(member, lookup) for member in members]
    answers = []
    for value, kind in zip(values[1:], kinds[1:], strict=True):
        answer = compare(values[0], value, operator.eq, (kinds[0], kind))
        if answer in (True, False):
            # A session without ANSI compares all of them as texts, where one is.
            texts = as_text(values[0]), as_text(value)
            answer = UNKNOWABLE if UNKNOWABLE in texts or answer is not (texts[0] == texts[1]) else answer
        answers.append(answer)
    return UNKNOWABLE if UNKNOWABLE in answers else any_of(answers)


def are_mixed(values: Sequence[Any]) -> bool:
    """Whether texts stand beside values of other types."""
    texts = others = False
    for value in values:
        if isinstance(value, str):
            texts = True
        elif value is not None:
            others = True
    return texts and others


def reaches(tree: sql.Expr, lookup: Lookup) -> tuple[Any, Any]:
    """Of a BETWEEN: whether the value reaches its lower end, and whether it stays within its upper."""
    low = _compared(tree.this, tree.args["low"], lookup, operator.ge)
    return low, _compared(tree.this, tree.args["high"], lookup, operator.le)


def _between(tree: sql.Expr, lookup: Lookup) -> Any:
    low, high = reaches(tree, lookup)
    if low is False or low is UNKNOWABLE:
        return low
    if high is False or high is UNKNOWABLE:
        return high
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
        # A text on the other side may still be refused, or be null itself for a session without ANSI.
        sides = [each for each in (tree.this, tree.expression) if not isinstance(each.unnest(), sql.Null)]
        alike = len({static_type(each, lookup) == "string" for each in sides}) < 2
        return left is right if alike else UNKNOWABLE
    return _compared(tree.this, tree.expression, lookup, operator.eq)


def _case(tree: sql.Expr, lookup: Lookup) -> Any:
    subject = tree.this
    branches = tree.args.get("ifs", [])
    default = tree.args.get("default")
    results = [branch.args["true"] for branch in branches] + ([] if default is None else [default])
    for branch in branches:
        if subject is not None:
            condition = _compared(subject, branch.this, lookup, operator.eq)
        else:
            condition = evaluate(branch.this, lookup)
        if condition is UNKNOWABLE:
            return UNKNOWABLE
        if condition is True:
            return _one_of(branch.args["true"], results, lookup)
    return None if default is None else _one_of(default, results, lookup)


def _if(tree: sql.Expr, lookup: Lookup) -> Any:
    condition = evaluate(tree.this, lookup)
    if condition is UNKNOWABLE:
        return UNKNOWABLE
    branch = tree.args.get("true") if condition is True else tree.args.get("false")
    both = [each for each in (tree.args.get("true"), tree.args.get("false")) if each is not None]
    return None if branch is None else _one_of(branch, both, lookup)


def _coalesce(tree: sql.Expr, lookup: Lookup) -> Any:
    items = [tree.this, *tree.expressions]
    for item in items:
        value = evaluate(item, lookup)
        if value is not None:
            return _one_of(item, items, lookup)
    return None


def _one_of(chosen: sql.Expr, among: Sequence[sql.Expr], lookup: Lookup) -> Any:
    """The value of the chosen one, which all of them share a type with: the widest."""
    value = evaluate(chosen, lookup)
    if value is None or value is UNKNOWABLE:
        return value
    kinds = {family(static_type(each, lookup)) for each in among if not isinstance(each.unnest(), sql.Null)}
    return value if len(kinds) == 1 and "" not in kinds else UNKNOWABLE


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
        if isinstance(left, Single) or isinstance(right, Single):
            return UNKNOWABLE
        exact = (type(left) in _EXACT, type(right) in _EXACT)
        if any(exact) and float in (type(left), type(right)):
            left, right = float(left), float(right)
        elif not all(exact) or has_long_decimals(tree, lookup):
            # Two binary fractions may be of a width that rounds otherwise, as long decimals are.
            return UNKNOWABLE
        return in_range(apply(left, right), static_type(tree, lookup))

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
    if isinstance(value, bool) or not isinstance(value, (int, float, decimal.Decimal)):
        return UNKNOWABLE
    return Single(-value) if isinstance(value, Single) else in_range(-value, static_type(tree.this, lookup))


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
    sql.Literal: lambda tree, _: literal_value(tree),
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
