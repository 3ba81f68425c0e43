"""How much of an expression an error shows."""

from __future__ import annotations

import pytest

from deltaresolver.expressions.allowed import _refused


@pytest.mark.parametrize(("length", "is_whole"), [(1, True), (499, True), (500, True), (501, False), (90_000, False)])
def test_an_error_shows_five_hundred_characters(length: int, *, is_whole: bool) -> None:
    text = "x" * length
    shown = _refused(text, "A default", "is odd").details["expression"]
    assert shown == (text if is_whole else f"{text[:500]}...")
