"""Statements whose first words are a slip of the pen for words that are known."""

from __future__ import annotations

import difflib
from collections.abc import Iterable

from deltaresolver.errors import StatementUnreadableError
from deltaresolver.transaction.ddl.token_stream import TokenStream, unreadable

SURE = 0.8
"""How similar words must be: what only resembles a known form may well be one that Spark has."""


def find_misspelt(stream: TokenStream, known: Iterable[str]) -> StatementUnreadableError | None:
    """The error for what comes next, where it is nearly one of the known beginnings; None where it is none of them."""
    for form in sorted(known, key=lambda one: -len(one.split())):
        length = len(form.split())
        written = stream.next_words(length)
        if written is None or written == form:
            continue
        if difflib.SequenceMatcher(None, written, form).ratio() >= SURE and _each_is_near(written, form):
            return unreadable(stream.sql, f"{written} is unknown (did you mean {form}?)", written.split()[0])
    return None


def _each_is_near(written: str, form: str) -> bool:
    """Whether each word resembles its own: DROP COLUMN resembles ADD COLUMN only as a whole."""
    pairs = zip(written.split(), form.split(), strict=True)
    return all(difflib.SequenceMatcher(None, one, other).ratio() >= SURE for one, other in pairs)
