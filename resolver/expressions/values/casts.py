"""Casts as Spark makes them: texts read as values, values written as texts, and one type in another.

Where Spark would refuse a value (its casts are strict by default), the answer is UNKNOWABLE.
"""

from __future__ import annotations

import datetime
import decimal
import math
import re
from collections.abc import Callable, Mapping
from typing import Any

from deltaresolver.expressions.compare import UNKNOWABLE, Single, as_single, cast_text, is_moment, moment
from deltaresolver.expressions.tree import WIDTHS
from deltaresolver.model.facts.leaf_types import find_decimal

_MOMENT = datetime.datetime(1970, 1, 1, tzinfo=datetime.UTC)
_WHOLE_TEXT = re.compile(r"[+-]?\d+")
_TRUTHS = {
    **dict.fromkeys(("true", "t", "yes", "y", "1"), True),
    **dict.fromkeys(("false", "f", "no", "n", "0"), False),
}


def cast(value: Any, target: str, *, is_try: bool) -> Any:
    """The value, which is neither null nor unknown, in a Delta type. With `is_try` what does not fit is null."""
    if is_try and isinstance(value, str) and not _reads(value, target):
        return None
    if target in WIDTHS:
        return _whole(value, WIDTHS[target])
    shape = find_decimal(target)
    if shape is not None:
        return _decimal(value, *shape)
    maker = _MAKERS.get(target)
    return UNKNOWABLE if maker is None else maker(value)


def _reads(text: str, target: str) -> bool:
    """Whether the text is a value of the type; true where that is not known."""
    text = text.strip()
    if target in WIDTHS:
        return _WHOLE_TEXT.fullmatch(text) is not None and _fits(int(text), WIDTHS[target])
    return text.lower() in _TRUTHS if target == "boolean" else True


def _fits(number: int, bits: int) -> bool:
    return -(1 << (bits - 1)) <= number < 1 << (bits - 1)


def _whole(value: Any, bits: int) -> Any:
    if isinstance(value, str):
        value = cast_text(value, 0)
    elif isinstance(value, (float, decimal.Decimal)) and math.isfinite(value):
        value = int(value)
    elif isinstance(value, datetime.datetime) and value.tzinfo is not None:
        value = math.floor(value.timestamp())
    elif isinstance(value, bool):
        value = int(value)
    return value if type(value) is int and _fits(value, bits) else UNKNOWABLE


def _double(value: Any) -> Any:
    if isinstance(value, str):
        return cast_text(value, 0.0)
    return float(value) if isinstance(value, (int, float, decimal.Decimal)) else UNKNOWABLE


def _float(value: Any) -> Any:
    if isinstance(value, Single):
        return value
    double = _double(value)
    return double if double is UNKNOWABLE else as_single(double)


def _decimal(value: Any, precision: int, scale: int) -> Any:
    if isinstance(value, (bool, Single)) or not isinstance(value, (int, float, decimal.Decimal, str)):
        return UNKNOWABLE
    if isinstance(value, float) and not math.isfinite(value):
        return None  # with ANSI and without it
    try:
        exact = decimal.Decimal(repr(value) if isinstance(value, float) else value)
        found = exact.quantize(decimal.Decimal(1).scaleb(-scale), rounding=decimal.ROUND_HALF_UP)
    except ArithmeticError:
        return UNKNOWABLE
    return found if abs(found) < decimal.Decimal(10) ** (precision - scale) else UNKNOWABLE


def _truth(value: Any) -> Any:
    if isinstance(value, str):
        return cast_text(value, True)
    return bool(value) if isinstance(value, (int, decimal.Decimal)) else UNKNOWABLE


def _day(value: Any) -> Any:
    if isinstance(value, str):
        return cast_text(value, datetime.date.min)
    if isinstance(value, datetime.datetime):
        return value.date()
    return value if isinstance(value, datetime.date) else UNKNOWABLE


def _moment(value: Any) -> Any:
    if isinstance(value, str):
        return cast_text(value, _MOMENT)
    if type(value) is int:
        return _MOMENT + datetime.timedelta(seconds=value)
    return moment(value) if is_moment(value) else UNKNOWABLE


def _moment_without_zone(value: Any) -> Any:
    found = _moment(value) if not isinstance(value, int) else UNKNOWABLE
    return found if found is UNKNOWABLE else found.replace(tzinfo=None)


def as_text(value: Any) -> Any:
    """The value as Spark writes it; fractions of binary numbers are left to Java."""
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, datetime.datetime):
        plain = value.strftime("%H:%M:%S")
        fraction = f".{value.microsecond:06}".rstrip("0") if value.microsecond else ""
        return f"{value.date().isoformat()} {plain}{fraction}"
    if isinstance(value, datetime.date):
        return value.isoformat()
    if isinstance(value, decimal.Decimal):
        return format(value, "f")
    return str(value) if isinstance(value, (int, str)) else UNKNOWABLE


_MAKERS: Mapping[str, Callable[[Any], Any]] = {
    "string": as_text,
    "double": _double,
    "float": _float,
    "boolean": _truth,
    "date": _day,
    "timestamp": _moment,
    "timestamp_ntz": _moment_without_zone,
}
