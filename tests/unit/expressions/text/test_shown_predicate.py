"""Conditions as delta-spark's history prints them; `tests/spark` compares with Spark's own parser."""

from __future__ import annotations

import pytest

from deltaresolver.expressions.text.shown_predicate import shown_predicate


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("key = 'a'", "('key = a)"),
        ("p IS NOT NULL", "isnotnull('p)"),
        ("a = 1 and (b < 2 or c in (1, 2))", "(('a = 1) AND (('b < 2) OR 'c IN (1,2)))"),
        ("p <> true", "NOT ('p = true)"),
    ],
)
def test_comparisons_are_shown_as_delta_spark_shows_them(text: str, shown: str) -> None:
    assert shown_predicate(text) == shown


@pytest.mark.parametrize(
    "text",
    [
        "p between 1 and 2",
        "p like 'a%'",
        "p = date '2024-01-01'",
        "date(p) = current_date()",
        "t.p = 1",
        "p >= 1.5",
        "-1 = p",
        "(((",
    ],
)
def test_anything_else_is_shown_as_it_was_written(text: str) -> None:
    assert shown_predicate(text) == text
