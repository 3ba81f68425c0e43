"""Statements whose first words are a slip of the pen for words that are known."""

from __future__ import annotations

import difflib
from collections.abc import Iterable

from deltaresolver.errors import StatementUnreadableError
from deltaresolver.transaction.ddl.token_stream import TokenStream, unreadable

SURE = 0.8
"""How similar words must be: what only resembles a known form may well be one that Spark has."""


def find_misspelt(stream: TokenStream, known: Iterable[str]) -> StatementUnreadableError | None:
    """The error for the next words, where they are nearly one of the known beginnings; None where they are not."""
    nearest: tuple[float, str, str] | None = None
    for form in known:
        written = stream.next_words(len(form.split()))
        if written is not None and written != form and _each_is_near(written, form):
            nearest = max(nearest or (0.0, "", ""), (_likeness(written, form), written, form))
    if nearest is None:
        return None
    _, written, form = nearest
    slip = next(one for one, other in zip(written.split(), form.split(), strict=True) if one != other)
    return unreadable(stream.sql, f"{written} is unknown (did you mean {form}?)", slip)


def _likeness(written: str, form: str) -> float:
    return difflib.SequenceMatcher(None, written, form).ratio()


def _each_is_near(written: str, form: str) -> bool:
    """Whether each word resembles its own: DROP COLUMN resembles ADD COLUMN only as a whole."""
    return all(_likeness(one, other) >= SURE for one, other in zip(written.split(), form.split(), strict=True))
