"""Compares values as Spark does: nulls, casts between types, and comparisons that are unknown."""

from __future__ import annotations

import datetime
import decimal
import math
import operator
import re
import struct
from collections.abc import Callable
from typing import Any


class _Unknowable:
    """The answer of an expression that is not computed."""

    def __repr__(self) -> str:
        return "UNKNOWABLE"


UNKNOWABLE: Any = _Unknowable()


class Single(float):
    """A number of 32 bits. Beside whole numbers and texts, it depends on the session what it is compared as."""

    __slots__ = ()


_UTC = datetime.UTC
_NUMBERS = (int, float, decimal.Decimal)
_DAY = re.compile(r"(\d{4})(?:-(\d{1,2})(?:-(\d{1,2})(?:[ T].*)?)?)?", re.ASCII)
_MOMENT = re.compile(
    r"(\d{4})(?:-(\d{1,2})(?:-(\d{1,2})(?:[ T](\d{1,2}):(\d{1,2})(?::(\d{1,2})(?:\.(\d{1,9}))?)?)?)?)?"
    r"(Z|[+-]\d{1,2}(?::?\d{2})?)?",
    re.ASCII,
)
_TRUTHS = {
    **dict.fromkeys(("true", "t", "yes", "y", "1"), True),
    **dict.fromkeys(("false", "f", "no", "n", "0"), False),
}


_WIDTHS = {"byte": 8, "short": 16, "integer": 32, "long": 64}
_BLANKS = " \t\n\r\f\v"
_EXACT_AS_SINGLE = 1 << 24


def compare(left: Any, right: Any, how: Callable[[Any, Any], bool], kinds: tuple[str, str] = ("", "")) -> Any:
    """How the two compare; None where one is null, UNKNOWABLE where the answer is unknown.

    An answer is given only if every session gives it, with `spark.sql.ansi.enabled` or without. `kinds` are the Delta
    types of the two as far as they are known.
    """
    if left is UNKNOWABLE or right is UNKNOWABLE:
        return UNKNOWABLE
    if left is None or right is None:
        return None
    if isinstance(left, tuple) or isinstance(right, tuple):
        return _compare_rows(left, right, how)
    pair = _alike(left, right, kinds)
    if pair is UNKNOWABLE or pair is None:
        return pair
    if isinstance(pair[0], float):
        # NaN equals itself and is greater than every other number.
        pair = ((math.isnan(pair[0]), pair[0]), (math.isnan(pair[1]), pair[1]))
        if pair[0][0] or pair[1][0]:
            return how(pair[0][0], pair[1][0])
    return how(*pair)


def _compare_rows(left: Any, right: Any, how: Callable[[Any, Any], bool]) -> Any:
    """Rows by their first unequal members; there null equals null."""
    if not isinstance(left, tuple) or not isinstance(right, tuple) or how not in (operator.eq, operator.ne):
        return UNKNOWABLE
    answers = [
        (mine is None and theirs is None) if mine is None or theirs is None else compare(mine, theirs, operator.eq)
        for mine, theirs in zip(left, right, strict=False)
    ]
    if len(left) != len(right) or any(answer is None or answer is UNKNOWABLE for answer in answers):
        return UNKNOWABLE
    return all(answers) is (how is operator.eq)


def _alike(left: Any, right: Any, kinds: tuple[str, str]) -> Any:
    """Both in one type, as Spark casts them for a comparison."""
    if isinstance(left, str) is not isinstance(right, str):
        if isinstance(left, str):
            cast = text_beside(left, right, kinds[1])
            return cast if cast is UNKNOWABLE else (cast, _widened(right))
        cast = text_beside(right, left, kinds[0])
        return cast if cast is UNKNOWABLE else (_widened(left), cast)
    if isinstance(left, bool) is not isinstance(right, bool):
        return UNKNOWABLE
    if is_moment(left) and is_moment(right):
        return moment(left), moment(right)
    if isinstance(left, _NUMBERS) and isinstance(right, _NUMBERS):
        return _numbers(left, right)
    return (left, right) if type(left) is type(right) else UNKNOWABLE


def _numbers(left: Any, right: Any) -> Any:
    """Beside a binary fraction every number becomes one."""
    if not isinstance(left, float) and not isinstance(right, float):
        return left, right
    for one, other in ((left, right), (right, left)):
        if isinstance(one, Single) and type(other) is int and abs(other) > _EXACT_AS_SINGLE:
            return UNKNOWABLE
    return float(left), float(right)


def _widened(value: Any) -> Any:
    """A number as it is compared with a text."""
    return float(value) if isinstance(value, decimal.Decimal) else value


def text_beside(text: str, value: Any, kind: str = "") -> Any:
    """The text as Spark reads it to compare it with the value of this Delta type, if sessions agree about it."""
    if type(value) is int:
        found = cast_text(text, value)
        half = 1 << (_WIDTHS.get(kind, 8) - 1)
        return found if found is not UNKNOWABLE and -half <= found < half else UNKNOWABLE
    if isinstance(value, Single):
        found = cast_text(text, value)
        return found if found is not UNKNOWABLE and as_single(found) == found else UNKNOWABLE
    if isinstance(value, decimal.Decimal):
        return cast_text(text, 0.0)
    return cast_text(text, value)


def as_single(value: float) -> Single | Any:
    """The number in 32 bits; UNKNOWABLE where it is too large for them."""
    try:
        return Single(struct.unpack("f", struct.pack("f", value))[0])
    except OverflowError:
        return UNKNOWABLE


def is_moment(value: Any) -> bool:
    """Whether the value is a date or a timestamp."""
    return isinstance(value, datetime.date)


def moment(value: datetime.date) -> datetime.datetime:
    """The moment, in UTC where it names no zone."""
    if isinstance(value, datetime.datetime):
        return value if value.tzinfo is not None else value.replace(tzinfo=_UTC)
    return datetime.datetime(value.year, value.month, value.day, tzinfo=_UTC)


def cast_text(text: str, like: Any) -> Any:
    """The text in the type of `like`; UNKNOWABLE where it cannot be read as one, which Spark refuses."""
    text = text.strip(_BLANKS)
    try:
        return _read_text(text, like)
    except (ValueError, ArithmeticError):
        return UNKNOWABLE


def _read_text(text: str, like: Any) -> Any:
    if isinstance(like, bool):
        return _TRUTHS.get(text.lower(), UNKNOWABLE)
    if isinstance(like, int):
        return int(text) if re.fullmatch(r"[+-]?\d+", text, re.ASCII) else UNKNOWABLE
    if isinstance(like, float):
        return float(text) if re.fullmatch(r"[+-]?(\d+(?:\.\d*)?|\.\d+)([eE][+-]?\d+)?", text, re.ASCII) else UNKNOWABLE
    if isinstance(like, decimal.Decimal):
        return decimal.Decimal(text) if re.fullmatch(r"[+-]?(\d+(?:\.\d*)?|\.\d+)", text, re.ASCII) else UNKNOWABLE
    if isinstance(like, datetime.datetime):
        return read_moment(text) if like.tzinfo is not None else _plain_moment(text)
    return read_day(text) if isinstance(like, datetime.date) else UNKNOWABLE


def read_day(text: str) -> Any:
    """The date in a text as Spark reads it: month and day may be left out, a time may follow."""
    found = _DAY.fullmatch(text)
    return UNKNOWABLE if found is None else datetime.date(int(found[1]), int(found[2] or 1), int(found[3] or 1))


def _plain_moment(text: str) -> Any:
    """A moment of no zone; what Spark does with an offset beside one depends on too much."""
    found = _MOMENT.fullmatch(text)
    return UNKNOWABLE if found is None or found[8] else read_moment(text).replace(tzinfo=None)


def read_moment(text: str) -> Any:
    """The moment in a text as Spark reads it, in UTC unless it names a zone."""
    found = _MOMENT.fullmatch(text)
    if found is None or (found[8] and not found[4]):
        # Spark refuses a zone right after a day.
        return UNKNOWABLE
    year, month, day, hour, minute, second = (int(found[number] or default) for number, default in zip(
        range(1, 7), (1, 1, 1, 0, 0, 0), strict=True))  # fmt: skip
    micros = int((found[7] or "0").ljust(6, "0")[:6])
    plain = datetime.datetime(year, month, day, hour, minute, second, micros, tzinfo=_UTC)
    return plain - _offset(found[8])


def _offset(zone: str | None) -> datetime.timedelta:
    if zone is None or zone == "Z":
        return datetime.timedelta()
    digits = zone[1:].replace(":", "")
    hours, minutes = (int(digits[:-2]), int(digits[-2:])) if len(digits) > 2 else (int(digits), 0)
    offset = datetime.timedelta(hours=hours, minutes=minutes)
    return -offset if zone[0] == "-" else offset
