"""The gate for expressions of a table: what it lets pass. `tests/security` has what it holds back."""

from __future__ import annotations

import pytest

from deltaresolver.expressions.allowed import checked_expression

WORDS = ("curdate", "current_date", "current_time", "current_timestamp", "localtimestamp", "now")


@pytest.mark.parametrize("word", WORDS)
def test_each_word_for_the_moment_is_a_constant(word: str) -> None:
    for text in (word, f"{word}()", f"{word.upper()}()"):
        assert checked_expression(text, "Default of column c", is_constant=True) == text
