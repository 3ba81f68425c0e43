"""Names and values come from other people's tables, and what is printed must not steer a terminal."""

from __future__ import annotations


def visible(text: str) -> str:
    """Text with every control character replaced by `?`; line breaks stay."""
    if text.isprintable():  # nearly always, and ten times as fast
        return text
    return "".join(char if char.isprintable() or char == "\n" else "?" for char in text)
