"""Into how many parts rows are shuffled where it is known about how many rows there are."""

from __future__ import annotations

_ROWS_A_PART = 1 << 14
_MAX_PARTS = 200
"""What Spark takes by itself, whatever there is to shuffle: each task then writes a file for each of them."""


def parts_for(rows: int) -> int:
    """So many parts that none is large; Spark joins small ones afterwards."""
    return min(rows // _ROWS_A_PART + 1, _MAX_PARTS)
