"""Leaf types by their names in a schema: digits of numbers, and which type may take the place of which."""

from __future__ import annotations

import re
from collections.abc import Mapping

_DECIMAL = r"decimal\(\s*(\d+)\s*,\s*(-?\d+)\s*\)"
_UNSAID = (10, 0)
MAX_PRECISION = 38
DECIMAL_FOR: Mapping[str, tuple[int, int]] = {
    "byte": (3, 0),
    "short": (5, 0),
    "integer": (10, 0),
    "long": (20, 0),
    "float": (14, 7),
    "double": (30, 15),
}
"""Precision and scale of the decimal that Spark takes a number for, beside a decimal."""


def find_decimal(name: str) -> tuple[int, int] | None:
    """Precision and scale of `decimal(p,s)`, or of a bare `decimal`; None for what Spark reads as no decimal."""
    if name == "decimal":
        return _UNSAID
    found = re.fullmatch(_DECIMAL, name, re.ASCII)
    if found is None or int(found[1]) > MAX_PRECISION or int(found[2]) > int(found[1]):
        return None
    return int(found[1]), int(found[2])


def decimal_digits(name: str) -> tuple[int, int] | None:
    """Digits of a decimal before and after the point; None for another type."""
    found = find_decimal(name)
    return None if found is None else (found[0] - found[1], found[1])


def digits_for(name: str) -> tuple[int, int] | None:
    """Digits before and after the point that Spark keeps for values of a type of numbers; None for another type."""
    precision, scale = find_decimal(name) or DECIMAL_FOR.get(name, (0, 0))
    return (precision - scale, scale) if precision else None


_WHOLE = ("byte", "short", "integer", "long")
_WIDER: Mapping[str, tuple[str, ...]] = {
    "byte": ("double",),
    "short": ("double",),
    "integer": ("double",),
    "float": ("double",),
    "date": ("timestamp_ntz",),
}
_STORED_DIGITS: Mapping[str, int] = {"byte": 10, "short": 10, "integer": 10, "long": 20}
"""Digits that a decimal needs to take every value as files store it."""


def widens(before: str, after: str) -> bool:
    """Whether readers of typeWidening can read a file that holds `before` as `after`."""
    if before in _WHOLE and after in _WHOLE:
        return _WHOLE.index(before) < _WHOLE.index(after)
    return after in _WIDER.get(before, ()) or (before != after and _fits_decimal(before, after))


def widens_unasked(before: str, after: str) -> bool:
    """Whether rows of the type `after` may widen a column by being written to it.

    As in delta-spark, such a change stays within whole numbers, fractions or decimals: any other takes ALTER TABLE.
    """
    return widens(before, after) and _kind(before) == _kind(after)


def _kind(name: str) -> str:
    if name in _WHOLE:
        return "whole"
    if name in ("float", "double"):
        return "fraction"
    return name if decimal_digits(name) is None else "decimal"


def _fits_decimal(before: str, after: str) -> bool:
    new = decimal_digits(after)
    old = (_STORED_DIGITS[before], 0) if before in _STORED_DIGITS else decimal_digits(before)
    return new is not None and old is not None and new[0] >= old[0] and new[1] >= old[1]
