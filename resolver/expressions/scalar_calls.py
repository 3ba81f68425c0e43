"""Evaluates the functions of the closed list over Python values, given the values of their operands."""

from __future__ import annotations

import datetime
import decimal
import math
import operator
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import Any

from deltaresolver.expressions import tree as nodes
from deltaresolver.expressions.compare import UNKNOWABLE, Single, compare, is_moment, moment
from deltaresolver.expressions.values.functions import (
    FUNCTIONS,
    TRIMS,
    add_days,
    first_of_period,
    pad,
    truncated,
)
from deltaresolver.expressions.values.patterns import searches

Values = Sequence[Any]
Apply = Callable[[nodes.Call, Values], Any]


def any_of(answers: Sequence[Any]) -> Any:
    """Whether one of the answers is true."""
    if any(answer is True for answer in answers):
        return True
    if any(answer is UNKNOWABLE for answer in answers):
        return UNKNOWABLE
    return None if any(answer is None for answer in answers) else False


def applied(apply: Callable[..., Any], values: Values) -> Any:
    """The function of the values: null if one of them is null, UNKNOWABLE where it or one of them is unknown."""
    for value in values:
        if value is UNKNOWABLE:
            return UNKNOWABLE
    for value in values:
        if value is None:
            return None
    try:
        return apply(*values)
    except (ArithmeticError, ValueError, TypeError):
        return UNKNOWABLE


def in_range(value: Any, kind: str) -> Any:
    """The number, if it is one of the type; sessions differ in what they do with one that is not.

    Where the type is not known it must be one of the smallest.
    """
    half = 1 << (nodes.WIDTHS.get(kind, 8) - 1)
    return value if type(value) is not int or -half <= value < half else UNKNOWABLE


def _strict(apply: Callable[..., Any]) -> Apply:
    """A function of values: null if one of them is null."""
    return lambda _, values: applied(apply, values)


def _negated(node: nodes.Call, values: Values) -> Any:
    value = values[0]
    if value is None or value is UNKNOWABLE:
        return value
    if isinstance(value, bool) or not isinstance(value, (int, float, decimal.Decimal)):
        return UNKNOWABLE
    return Single(-value) if isinstance(value, Single) else in_range(-value, node.kind)


def _moved(_: nodes.Call, values: Values) -> Any:
    """A date or timestamp moved by a number of days."""
    value, days = values
    if value is None or value is UNKNOWABLE:
        return value
    return applied(lambda moved: moved + datetime.timedelta(days=days), (value,)) if is_moment(value) else UNKNOWABLE


def _text_alone(apply: Callable[[str], Any]) -> Apply:
    def call(_: nodes.Call, values: Values) -> Any:
        value = values[0]
        return None if value is None else apply(value) if isinstance(value, str) else UNKNOWABLE

    return call


def _padded(node: nodes.Call, values: Values) -> Any:
    given = values if len(values) == 3 else [*values, " "]
    return applied(partial(pad, at_left=node.name == "lpad"), given)


def _trimmed(node: nodes.Call, values: Values) -> Any:
    if not all(value is None or isinstance(value, str) for value in values):
        return UNKNOWABLE
    return applied(TRIMS[node.name], values if len(values) == 2 else [*values, " "])


def _beginning(_: nodes.Call, values: Values) -> Any:
    found = applied(truncated, values)
    return found if found is None or found is UNKNOWABLE else moment(found)


def _extreme(how: Callable[[Any, Any], bool]) -> Apply:
    """GREATEST or LEAST, which skip nulls."""

    def judge(_: nodes.Call, values: Values) -> Any:
        best = None
        for value in values:
            if value is UNKNOWABLE or (best is not None and value is not None and type(value) is not type(best)):
                return UNKNOWABLE
            if best is None or compare(value, best, how) is True:
                best = value
        return best

    return judge


def _nullif(_: nodes.Call, values: Values) -> Any:
    equal = compare(values[0], values[1], operator.eq)
    return UNKNOWABLE if equal is UNKNOWABLE else None if equal is True else values[0]


def _is_nan(_: nodes.Call, values: Values) -> Any:
    """Null is a number to ISNAN, or at least not none."""
    value = values[0]
    if value is None:
        return False
    if isinstance(value, (int, decimal.Decimal)) and not isinstance(value, bool):
        return False
    return math.isnan(value) if isinstance(value, float) else UNKNOWABLE


def _contains(_: nodes.Call, values: Values) -> Any:
    """ARRAY_CONTAINS: the value, and then the items."""
    return any_of([compare(item, values[0], operator.eq) for item in values[1:]])


CALLS: Mapping[str, Apply] = {
    **{name: _strict(apply) for name, apply in FUNCTIONS.items()},
    "array_contains": _contains,
    "date_add": _strict(add_days),
    "date_trunc": _beginning,
    "greatest": _extreme(operator.gt),
    "isnan": _is_nan,
    "least": _extreme(operator.lt),
    "length": _text_alone(len),
    "lower": _text_alone(str.lower),
    "lpad": _padded,
    "ltrim": _trimmed,
    "moved": _moved,
    "negative": _negated,
    "nullif": _nullif,
    "rlike": _strict(searches),
    "row": lambda _, values: tuple(values),
    "rpad": _padded,
    "rtrim": _trimmed,
    "trim": _trimmed,
    "trunc": _strict(first_of_period),
    "upper": _text_alone(str.upper),
}
