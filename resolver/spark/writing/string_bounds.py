"""How long strings are cut for statistics, so that the result still bounds every value in a file.

Lengths count UTF-16 units, as Delta's writers do, so that different writers cut alike.
"""

from __future__ import annotations

PREFIX_LENGTH = 32
ASCII_MAX = "\x7f"
UNICODE_MAX = "\U0010ffff"


def lower_bound(value: str, length: int = PREFIX_LENGTH) -> str:
    """A prefix of at least `length` units that no character is cut in two by; it sorts at or before `value`."""
    if len(value) <= length and value.isascii():
        return value
    units = 0
    for position, character in enumerate(value):
        if units >= length:
            return value[:position]
        units += _units(character)
    return value


def upper_bound(value: str, length: int = PREFIX_LENGTH) -> str | None:
    """A short string that sorts at or after everything that starts like `value`; None where there is none."""
    prefix = lower_bound(value, length)
    if len(prefix) == len(value):
        return value
    position, units = len(prefix), sum(map(_units, prefix))
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


def _units(character: str) -> int:
    return 2 if character > "\uffff" else 1
