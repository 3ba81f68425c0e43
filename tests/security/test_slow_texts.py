"""Texts on which a backtracking regular expression takes very long: each is judged in time linear in its length."""

from __future__ import annotations

import itertools
import re
import time
from collections.abc import Callable

import pytest

from deltaresolver.errors import PropertyInvalidError
from deltaresolver.expressions.compare import UNKNOWABLE
from deltaresolver.expressions.values.patterns import matches, searches
from deltaresolver.log.upkeep.retention import duration_ms
from deltaresolver.model.facts.stored_text import read_stored

SECONDS = 5.0
"""Of processor time; each takes a small part of one, and took hours or for ever."""
LONG = 200_000


def refused(work: Callable[[], object]) -> None:
    """It says that this is no such value."""
    with pytest.raises((ValueError, PropertyInvalidError)):
        work()


SLOW: dict[str, Callable[[], object]] = {
    "a float of zeros": lambda: refused(lambda: read_stored("double", "0" * LONG + "x")),
    "a float of digits and signs": lambda: refused(lambda: read_stored("float", "1" * LONG + "e")),
    "a decimal of zeros": lambda: refused(lambda: read_stored("decimal(10,2)", "0" * LONG + "x")),
    "a day of zeros": lambda: refused(lambda: read_stored("date", "0" * LONG)),
    "a moment of zeros": lambda: refused(lambda: read_stored("timestamp", "0" * LONG + ":")),
    "a duration of a long number": lambda: refused(lambda: duration_ms(f"interval {'9' * LONG} days", "k")),
    "a duration of 5,000 digits": lambda: refused(lambda: duration_ms(f"interval {'9' * 5_000} weeks", "k")),
    "a duration of many parts": lambda: duration_ms("interval " + "1 week " * 50_000, "k"),
    "LIKE of many parts": lambda: matches("a" * LONG, "%a" * 30 + "%b", "\\", ignores_case=False),
    "LIKE of nearly equal parts": lambda: matches("ab" * 50_000, "%ab%ba%" * 20 + "c", "\\", ignores_case=False),
    "LIKE of percent signs": lambda: matches("a" * 1000, "%" * LONG + "b", "\\", ignores_case=False),
    "RLIKE of repeated groups": lambda: searches("a" * 60, "(a+)+b"),
    "RLIKE of choices": lambda: searches("a" * 60, "(a|a)*b"),
    "RLIKE of overlapping choices": lambda: searches("a" * 60, "(a|aa)+b"),
    "RLIKE of many stars": lambda: searches("a" * 2_000, "a*a*a*a*a*a*b"),
    "RLIKE of question marks": lambda: searches("a" * LONG, "a?" * 50_000),
    "RLIKE of classes": lambda: searches("a" * 2_000, "[ab]*[ac]*[ad]*[ae]*b"),
}


@pytest.mark.parametrize("name", SLOW)
def test_a_slow_text_is_judged_soon(name: str) -> None:
    began = time.process_time()
    SLOW[name]()
    assert time.process_time() - began < SECONDS


@pytest.mark.parametrize("characters", ["ab", "a\n", "a.", "a\\"])
def test_like_means_what_one_expression_of_all_its_parts_means(characters: str) -> None:
    texts = ["".join(one) for size in range(4) for one in itertools.product(characters, repeat=size)]
    patterns = ["".join(one) for size in range(5) for one in itertools.product(f"{characters[0]}%_", repeat=size)]
    for pattern in patterns:
        whole = "".join({"%": ".*", "_": "."}.get(one, re.escape(one)) for one in pattern)
        for text in texts:
            expected = re.fullmatch(whole, text, re.DOTALL) is not None
            assert matches(text, pattern, "!", ignores_case=False) is expected, (text, pattern)


@pytest.mark.parametrize(
    ("text", "pattern", "found"),
    [
        ("100%", "100!%", True),
        ("100x", "100!%", False),
        ("a%b", "a!%%", True),
        ("!", "!!", True),
        ("\\.b", "%\\.b", True),
    ],
)
def test_escaped_signs_stand_for_themselves(text: str, pattern: str, found: bool) -> None:
    assert matches(text, pattern, "!", ignores_case=False) is found


@pytest.mark.parametrize(
    ("text", "pattern", "found"),
    [("error 5", "error [0-9]+", True), ("abab", "(ab)+", True), ("x" * 1000, "y*z", False), ("a.b", "a\\.b", True)],
)
def test_ordinary_expressions_are_still_judged(text: str, pattern: str, found: bool) -> None:
    assert searches(text, pattern) is found
    assert searches("a" * 40, "(a+)+b") is UNKNOWABLE
