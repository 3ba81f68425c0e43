"""Decimals by their name in a schema: how many digits they have, and how many other numbers need."""

from __future__ import annotations

import re
from collections.abc import Mapping

_DECIMAL = re.compile(r"decimal\(\s*(\d+)\s*,\s*(-?\d+)\s*\)", re.ASCII)
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
    found = _DECIMAL.fullmatch(name)
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
