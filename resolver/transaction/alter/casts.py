"""Which type of a value can become which without losing any value: what Spark asks before Delta is asked."""

from __future__ import annotations

from deltaresolver.model.facts.leaf_types import digits_for

_ORDER = ("byte", "short", "integer", "long", "float", "double")
_MOMENTS = {
    "date": ("timestamp", "timestamp_ntz"),
    "long": ("timestamp",),
    "timestamp": ("timestamp_ntz", "long"),
    "timestamp_ntz": ("timestamp",),
}


def casts_up(before: str, after: str) -> bool:
    """Whether every value of one leaf type has a value of the other."""
    if after in (before, "string") or before == "void":
        return True
    if before in _ORDER and after in _ORDER:
        return _ORDER.index(before) < _ORDER.index(after)
    old, new = digits_for(before), digits_for(after)
    if old is not None and new is not None:
        return new[0] >= old[0] and new[1] >= old[1]
    return after in _MOMENTS.get(before, ())
