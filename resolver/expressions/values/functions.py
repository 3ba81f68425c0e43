"""Functions of Spark SQL on plain values, where Python can say exactly what Spark says.

A function takes values that are neither null nor unknown. It answers UNKNOWABLE for types it does not know, and may
raise ArithmeticError, ValueError or TypeError in place of that.
"""

from __future__ import annotations

import datetime
import decimal
import hashlib
import math
from collections.abc import Callable, Mapping
from typing import Any

from deltaresolver.expressions.compare import UNKNOWABLE, Single

Function = Callable[..., Any]


def _of_texts(apply: Function) -> Function:
    """The function where every value is a text."""

    def call(*values: Any) -> Any:
        return apply(*values) if all(isinstance(value, str) for value in values) else UNKNOWABLE

    return call


def _of_text_and_numbers(apply: Function) -> Function:
    def call(text: Any, *numbers: Any) -> Any:
        fits = isinstance(text, str) and all(type(number) is int for number in numbers)
        return apply(text, *numbers) if fits else UNKNOWABLE

    return call


def _of_wholes(apply: Function) -> Function:
    def call(*values: Any) -> Any:
        return apply(*values) if all(type(value) is int for value in values) else UNKNOWABLE

    return call


def _of_day(apply: Callable[[datetime.date], Any]) -> Function:
    def call(value: Any) -> Any:
        return apply(value) if isinstance(value, datetime.date) else UNKNOWABLE

    return call


def _of_moment(apply: Callable[[datetime.datetime], Any]) -> Function:
    def call(value: Any) -> Any:
        return apply(value) if isinstance(value, datetime.datetime) else UNKNOWABLE

    return call


def _substring(text: str, start: int, length: int = 2**31 - 1) -> str:
    begin = start - 1 if start > 0 else len(text) + start if start < 0 else 0
    return text[max(begin, 0) : max(begin + length, 0)]


def _replaced(text: str, old: str, new: str) -> str:
    return text.replace(old, new) if old else text


def _translated(text: str, old: str, new: str) -> str:
    table: dict[int, str | None] = {}
    for position, character in enumerate(old):
        table.setdefault(ord(character), new[position] if position < len(new) else None)
    return text.translate(table)


def _capitalised(text: str, *_: str) -> Any:
    if not text.isascii():
        return UNKNOWABLE
    return " ".join(word[:1].upper() + word[1:].lower() for word in text.split(" "))


def remainder(left: Any, right: Any) -> Any:
    """With the sign of the dividend."""
    kinds = {type(left), type(right)}
    if kinds == {Single, int}:
        return _remainder_of_single(left, right)
    if not kinds <= {int, decimal.Decimal, float} or kinds == {float}:
        return UNKNOWABLE
    if float in kinds:
        return math.fmod(float(left), float(right))
    found = abs(left) % abs(right)
    return -found if left < 0 else found


def _remainder_of_single(left: Any, right: Any) -> Any:
    """FLOAT beside a whole number is a DOUBLE in some sessions: the remainder is exact in both, where its operands are.

    Beyond 24 bits a whole number may be another one as a FLOAT.
    """
    whole = right if type(right) is int else left
    return Single(math.fmod(float(left), float(right))) if abs(whole) <= 1 << 24 else UNKNOWABLE


def _power(left: Any, right: Any) -> Any:
    return math.pow(left, right) if type(left) is int and type(right) is int else UNKNOWABLE


_LONGEST = 1_000_000
"""Characters of a text that is made here."""


def _repeated(text: str, times: int) -> Any:
    return text * times if len(text) * times <= _LONGEST else UNKNOWABLE


def _padded(text: str, length: int, filling: str, *, at_left: bool) -> Any:
    if length > _LONGEST:
        return UNKNOWABLE
    missing = length - len(text)
    if missing <= 0 or not filling:
        return text[: max(length, 0)]
    added = (filling * missing)[:missing]
    return added + text if at_left else text + added


def pad(text: Any, length: Any, filling: Any, *, at_left: bool) -> Any:
    """LPAD or RPAD."""
    fits = isinstance(text, str) and isinstance(filling, str) and type(length) is int
    return _padded(text, length, filling, at_left=at_left) if fits else UNKNOWABLE


def _whole_quotient(left: Any, right: Any) -> int:
    found = int(abs(left) // abs(right))
    return found if (left < 0) is (right < 0) else -found


def _number_pair(apply: Function) -> Function:
    """The function where both values are exact numbers."""

    def call(left: Any, right: Any) -> Any:
        exact = type(left) in (int, decimal.Decimal) and type(right) in (int, decimal.Decimal)
        return apply(left, right) if exact else UNKNOWABLE

    return call


def quotient(left: Any, right: Any) -> Any:
    """One number divided by the other, as a fraction."""
    numbers = (int, float)
    exact = isinstance(left, numbers) and isinstance(right, numbers)
    return float(left) / float(right) if exact and not isinstance(left, bool) else UNKNOWABLE


_MAX_DIGITS = 30


def _rounded(value: Any, digits: Any = 0) -> Any:
    """ROUND, halves away from zero; of numbers of 32 bits Spark rounds other digits than are known here."""
    if type(digits) is not int or not 0 <= digits <= _MAX_DIGITS:
        return UNKNOWABLE
    if type(value) is int:
        return value
    if type(value) not in (float, decimal.Decimal):
        return UNKNOWABLE
    exact = decimal.Decimal(repr(value)) if isinstance(value, float) else value
    scale = exact.as_tuple().exponent
    if not isinstance(scale, int):
        return UNKNOWABLE
    if digits and -scale <= digits:
        return value
    return type(value)(exact.quantize(decimal.Decimal(1).scaleb(-digits), rounding=decimal.ROUND_HALF_UP))


def _number(apply: Callable[[Any], Any]) -> Function:
    def call(value: Any) -> Any:
        fits = isinstance(value, (int, float, decimal.Decimal)) and not isinstance(value, bool)
        return apply(value) if fits else UNKNOWABLE

    return call


_SMALLEST_OF_TYPES = frozenset(-(1 << (bits - 1)) for bits in (8, 16, 32, 64))


def _absolute(value: Any) -> Any:
    """Not of what may be the least number of its type, which has no opposite."""
    return UNKNOWABLE if value in _SMALLEST_OF_TYPES or isinstance(value, Single) else abs(value)


def add_days(value: Any, days: Any) -> Any:
    """The day so many days later."""
    if not isinstance(value, datetime.date) or type(days) is not int:
        return UNKNOWABLE
    return as_day(value) + datetime.timedelta(days=days)


def as_day(value: datetime.date) -> datetime.date:
    """The day of a date or timestamp."""
    return value.date() if isinstance(value, datetime.datetime) else value


def _days_between(last: Any, first: Any) -> Any:
    if isinstance(last, datetime.date) and isinstance(first, datetime.date):
        return (as_day(last) - as_day(first)).days
    return UNKNOWABLE


def _last_of_month(day: datetime.date) -> datetime.date:
    first = as_day(day).replace(day=28) + datetime.timedelta(days=4)
    return first - datetime.timedelta(days=first.day)


FUNCTIONS: Mapping[str, Function] = {
    "abs": _number(_absolute),
    "ascii": _of_texts(lambda text: ord(text[0]) if text else 0),
    "bit_and": _of_wholes(lambda left, right: left & right),
    "ceil": _number(math.ceil),
    "concat": _of_texts(lambda *texts: "".join(texts)),
    "contains": _of_texts(lambda text, part: part in text),
    "datediff": _days_between,
    "day": _of_day(lambda day: day.day),
    "dayofweek": _of_day(lambda day: day.isoweekday() % 7 + 1),
    "dayofyear": _of_day(lambda day: day.timetuple().tm_yday),
    "div": _number_pair(_whole_quotient),
    "endswith": _of_texts(str.endswith),
    "floor": _number(math.floor),
    "hour": _of_moment(lambda moment: moment.hour),
    "initcap": _of_texts(_capitalised),
    "last_day": _of_day(_last_of_month),
    "left": _of_text_and_numbers(lambda text, count: text[: max(count, 0)]),
    "locate": _of_texts(lambda text, part: text.find(part) + 1),
    "md5": _of_texts(lambda text: hashlib.md5(text.encode(), usedforsecurity=False).hexdigest()),
    "minute": _of_moment(lambda moment: moment.minute),
    "month": _of_day(lambda day: day.month),
    "pmod": _of_wholes(lambda left, right: left % abs(right) if right else UNKNOWABLE),
    "power": _power,
    "quarter": _of_day(lambda day: (day.month + 2) // 3),
    "repeat": _of_text_and_numbers(_repeated),
    "replace": _of_texts(_replaced),
    "reverse": _of_texts(lambda text: text[::-1]),
    "right": _of_text_and_numbers(lambda text, count: text[-count:] if count > 0 else ""),
    "round": _rounded,
    "second": _of_moment(lambda moment: moment.second),
    "sign": _number(lambda value: float((value > 0) - (value < 0))),
    "startswith": _of_texts(str.startswith),
    "substring": _of_text_and_numbers(_substring),
    "to_date": _of_day(as_day),
    "translate": _of_texts(_translated),
    "weekofyear": _of_day(lambda day: day.isocalendar().week),
    "year": _of_day(lambda day: day.year),
}
"""Functions of values none of which is null, by their names in trees."""

_MONTHS_OF_UNIT = {"YEAR": 12, "YYYY": 12, "YY": 12, "QUARTER": 3, "MONTH": 1, "MM": 1, "MON": 1}


def first_of_period(value: Any, unit: str) -> Any:
    """TRUNC: the first day of the year, quarter or month."""
    is_known = isinstance(value, datetime.date) and unit in _MONTHS_OF_UNIT
    return as_day(truncated(value, unit)) if is_known else UNKNOWABLE


def truncated(value: Any, unit: str) -> Any:
    """DATE_TRUNC: the beginning of the year, quarter, month or day, in the type of the value."""
    months = _MONTHS_OF_UNIT.get(unit)
    if not isinstance(value, datetime.date) or not (months or unit in ("DAY", "DD")):
        return UNKNOWABLE
    start = _start_of_day(value)
    return start.replace(month=(value.month - 1) // months * months + 1, day=1) if months else start


def _start_of_day(value: datetime.date) -> datetime.date:
    if isinstance(value, datetime.datetime):
        return value.replace(hour=0, minute=0, second=0, microsecond=0)
    return value


TRIMS: Mapping[str, Callable[..., str]] = {"trim": str.strip, "ltrim": str.lstrip, "rtrim": str.rstrip}
