"""Texts spelt as a session with default settings reads them."""

from __future__ import annotations

from collections.abc import Callable

from deltaresolver.expressions.text.reading import STANDARD, SqlReading, has_reference
from deltaresolver.expressions.text.tokens import Kind, Token, UnclosedError, tokens
from deltaresolver.model.schema import quoted


class Unreadable(ValueError):  # noqa: N818 - a reason, which becomes the error of the one who asked
    """Why a text is not a condition."""


def respelt(text: str, reading: SqlReading) -> str:
    """The text so that a session with default settings reads it as one with these. Raises `Unreadable`."""
    if reading == STANDARD:
        return text
    try:
        # A reference stays a reference, and other text does not become one.
        spell = _plainly_quoted if has_reference(text) else quoted_text
        return " ".join(_standard(token, spell) for token in tokens(text, reading))
    except UnclosedError as error:
        raise Unreadable(str(error)) from None


def quoted_text(text: str) -> str:
    """A text as a literal that a session with default settings reads, and takes for no reference (`${...}`)."""
    return _plainly_quoted(text).replace("${", "\\u0024{")


def _plainly_quoted(text: str) -> str:
    return "'" + text.replace("\\", "\\\\").replace("'", "\\'") + "'"


def _standard(token: Token, spell: Callable[[str], str]) -> str:
    if token.kind is Kind.TEXT:
        return spell(token.value)
    return quoted(token.value) if token.kind is Kind.QUOTED_NAME else token.value
