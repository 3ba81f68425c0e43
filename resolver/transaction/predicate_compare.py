"""Values compared as Spark compares them: nulls, casts between types, and what cannot be told."""

from __future__ import annotations

import datetime
import decimal
import re
from collections.abc import Callable
from typing import Any


class _Unknowable:
    """The answer of an expression that is not computed."""

    def __repr__(self) -> str:
        return "UNKNOWABLE"


UNKNOWABLE: Any = _Unknowable()

_UTC = datetime.UTC


def compare(left: Any, right: Any, how: Callable[[Any, Any], bool]) -> Any:
    """How the two compare; None where one is null, UNKNOWABLE where that cannot be told."""
    if left is UNKNOWABLE or right is UNKNOWABLE:
        return UNKNOWABLE
    if left is None or right is None:
        return None
    pair = _alike(left, right)
    if pair is UNKNOWABLE or pair is None:
        return pair
    return how(*pair)


def _alike(left: Any, right: Any) -> Any:
    """Both in one type, as Spark casts them for a comparison; None where the cast gives null."""
    if isinstance(left, str) is not isinstance(right, str):
        text, other, swap = (left, right, False) if isinstance(left, str) else (right, left, True)
        cast = cast_text(text, other)
        if cast is UNKNOWABLE or cast is None:
            return cast
        return (other, cast) if swap else (cast, other)
    if isinstance(left, bool) is not isinstance(right, bool):
        return UNKNOWABLE
    if is_moment(left) and is_moment(right):
        return moment(left), moment(right)
    numbers = (int, float, decimal.Decimal)
    if type(left) is type(right) or (isinstance(left, numbers) and isinstance(right, numbers)):
        return left, right
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
    """The text in the type of `like`; None where it is no such value, as a lenient cast gives."""
    text = text.strip()
    try:
        if isinstance(like, bool):
            return {"true": True, "t": True, "yes": True, "y": True, "1": True}.get(
                text.lower(), False if text.lower() in ("false", "f", "no", "n", "0") else None
            )
        if isinstance(like, int):
            return int(text) if re.fullmatch(r"[+-]?\d+", text) else UNKNOWABLE
        if isinstance(like, float):
            return float(text)
        if isinstance(like, decimal.Decimal):
            return decimal.Decimal(text)
        if isinstance(like, datetime.datetime):
            return moment(datetime.datetime.fromisoformat(text))
        if isinstance(like, datetime.date):
            return datetime.date.fromisoformat(text[:10]) if len(text) >= 10 else UNKNOWABLE
    except (ValueError, ArithmeticError):
        return UNKNOWABLE
    return UNKNOWABLE
