"""Conditions on char(n) columns: constants are filled up where Spark compares with such, else there is no answer."""

from __future__ import annotations

import pytest

from deltaresolver.transaction.predicate_char import as_filled_up
from deltaresolver.transaction.predicate_sql import parse_predicate


@pytest.mark.parametrize(
    ("condition", "filled"),
    [
        ("c = 'bb'", "c = 'bb  '"),
        ("'bb' < C", "'bb  ' < C"),
        ("c = 'bb      '", "c = 'bb  '"),
        ("c IN ('', 'abcd')", "c IN ('    ', 'abcd')"),
        ("c BETWEEN 'a' AND 'b'", "c BETWEEN 'a   ' AND 'b   '"),
        ("NOT (c = 'a' OR c IS NULL)", "NOT (c = 'a   ' OR c IS NULL)"),
        ("c = 'abcde'", None),
        ("c = other", None),
        ("c LIKE 'a%'", None),
        ("length(c) = 2", None),
        ("c = 5", None),
        ("c IN (SELECT 'a')", None),
        ("other = 'a'", None),
    ],
)
def test_comparisons_with_constants_are_filled_up(condition: str, filled: str | None) -> None:
    found = as_filled_up(parse_predicate(condition), {"c": 4})
    assert (None if found is None else found.text) == filled
