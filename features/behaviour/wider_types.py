"""Which changes of a leaf type need no file rewritten: the list of the typeWidening feature."""

from __future__ import annotations

import re
from collections.abc import Mapping

_WHOLE = ("byte", "short", "integer", "long")
_WIDER: Mapping[str, tuple[str, ...]] = {
    "byte": ("double",),
    "short": ("double",),
    "integer": ("double",),
    "float": ("double",),
    "date": ("timestamp_ntz",),
}
_DECIMAL = re.compile(r"decimal\((\d+), ?(-?\d+)\)")
WHOLE_DIGITS: Mapping[str, int] = {"byte": 10, "short": 10, "integer": 10, "long": 20}
"""Digits that a decimal needs to take every value as files store it."""


def widens(before: str, after: str) -> bool:
    """Whether readers of typeWidening can read a file that holds `before` as `after`."""
    if before in _WHOLE and after in _WHOLE:
        return _WHOLE.index(before) < _WHOLE.index(after)
    return after in _WIDER.get(before, ()) or (before != after and _fits_decimal(before, after))


def _fits_decimal(before: str, after: str) -> bool:
    new = decimal_digits(after)
    old = (WHOLE_DIGITS[before], 0) if before in WHOLE_DIGITS else decimal_digits(before)
    return new is not None and old is not None and new[0] >= old[0] and new[1] >= old[1]


def decimal_digits(name: str) -> tuple[int, int] | None:
    """Digits of a decimal before and after the point; None for another type."""
    found = _DECIMAL.fullmatch(name)
    return None if found is None else (int(found[1]) - int(found[2]), int(found[2]))
