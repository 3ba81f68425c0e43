"""Which changes of a leaf type need no file rewritten: the list of the typeWidening feature."""

from __future__ import annotations

from collections.abc import Mapping

from deltaresolver.model.facts.decimals import decimal_digits

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
