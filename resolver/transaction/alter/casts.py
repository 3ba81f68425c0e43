"""Which type of a value can become which without losing any value: what Spark asks before Delta is asked."""

from __future__ import annotations

import re

_ORDER = ("byte", "short", "integer", "long", "float", "double")
_DIGITS = {"byte": 3, "short": 5, "integer": 10, "long": 20, "float": 14, "double": 30}
_SCALES = {"float": 7, "double": 15}
_MOMENTS = {
    "date": ("timestamp", "timestamp_ntz"),
    "long": ("timestamp",),
    "timestamp": ("timestamp_ntz", "long"),
    "timestamp_ntz": ("timestamp",),
}
_DECIMAL = re.compile(r"decimal\((\d+), ?(-?\d+)\)")


def casts_up(before: str, after: str) -> bool:
    """Whether every value of one leaf type has a value of the other."""
    if after in (before, "string") or before == "void":
        return True
    if before in _ORDER and after in _ORDER:
        return _ORDER.index(before) < _ORDER.index(after)
    old, new = _digits(before), _digits(after)
    if old is not None and new is not None:
        return new[0] >= old[0] and new[1] >= old[1]
    return after in _MOMENTS.get(before, ())


def _digits(name: str) -> tuple[int, int] | None:
    """Digits before and after the point that a number has room for."""
    found = _DECIMAL.fullmatch(name)
    if found is not None:
        return int(found[1]) - int(found[2]), int(found[2])
    if name not in _DIGITS:
        return None
    scale = _SCALES.get(name, 0)
    return _DIGITS[name] - scale, scale
