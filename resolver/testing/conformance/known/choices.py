"""Reasons to differ that hold for several kinds of recorded answers."""

from __future__ import annotations

LEFT_USABLE = (
    "What leaves a table that delta-spark itself then fails to read or write, or rows with one id, is refused before "
    "anything is written: a protocol that does not name what the metadata switches on, rows tracked and not tracked, "
    "a mark of row ids that is no number, a struct dropped with a clustering column in it, a constraint that no writer "
    "would evaluate. delta-spark finds out afterwards, if at all."
)
GEOSPATIAL = (
    "delta-spark refuses geometry and geography unless a preview flag of its session is on; the protocol that such a "
    "table needs is known, and does not depend on the flag."
)
