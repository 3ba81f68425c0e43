"""Lists in sentences."""

from __future__ import annotations

from collections.abc import Iterable

FEW = 3


def first_few(items: Iterable[str], noun: str | None = None) -> str:
    """The first few items and how many more there are: `version 3, 4, 5 and 7 more`."""
    every = list(items)
    shown = ", ".join(every[:FEW])
    more = f" and {len(every) - FEW:,} more" if len(every) > FEW else ""
    return f"{noun} {shown}{more}" if noun else f"{shown}{more}"
