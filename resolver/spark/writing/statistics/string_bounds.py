"""How long strings are cut for statistics, so that the result still bounds every value in a file.

Lower bounds count characters and upper bounds UTF-16 units, as delta-spark does, so that different writers cut alike.
"""

from __future__ import annotations

PREFIX_LENGTH = 32
ASCII_MAX = "\x7f"
UNICODE_MAX = "\U0010ffff"


def lower_bound(value: str, length: int = PREFIX_LENGTH) -> str:
    """The first `length` characters, which sort at or before `value`."""
    return value[:length]


def upper_bound(value: str, length: int = PREFIX_LENGTH) -> str | None:
    """A short string that sorts at or after everything that starts like `value`; None where there is none."""
    position, units = _cut(value, length)
    if position >= len(value):
        return value
    while units <= 2 * length:
        if position >= len(value):
            return value
        following = value[position]
        if following != UNICODE_MAX:
            # The tie breaker has to sort after the first character that is left out.
            return value[:position] + (ASCII_MAX if following < ASCII_MAX else UNICODE_MAX)
        position += 1
        units += 2
    return None


def _cut(value: str, length: int) -> tuple[int, int]:
    """How many characters have at least `length` units, and how many units those are; no character is cut in two."""
    units = 0
    for position, character in enumerate(value):
        if units >= length:
            return position, units
        units += _units(character)
    return len(value), units


def _units(character: str) -> int:
    return 2 if character > "\uffff" else 1
