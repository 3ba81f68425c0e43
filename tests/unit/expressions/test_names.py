"""The part of a condition over a table and other rows that concerns the table alone."""

from __future__ import annotations

import pytest

from deltaresolver.expressions.names import TargetNames, about_target, equalities

NAMES = TargetNames(frozenset({"id", "day", "s", "odd name"}), "t", frozenset({"id", "key"}))
ALONE = TargetNames(frozenset({"id", "day", "s"}))


@pytest.mark.parametrize(
    ("condition", "text", "is_all"),
    [
        ("t.id = s.id AND t.day > '2024'", "(day > '2024')", False),
        ("day = 'x' AND T.ID < 5", "(day = 'x') AND (ID < 5)", True),
        ("id = 5", "true", False),
        ("t.id = key OR t.day = 'x'", "true", False),
        ("t.`odd name` IS NULL", "(`odd name` IS NULL)", True),
        ("t.s.a = 1 AND other.id = 3", "(s.a = 1)", False),
        ("t.id = s.id AND s.a = 1", "true", False),
        ("t.id IN (SELECT 1)", "true", False),
        ("t.day", "(day)", True),
    ],
)
def test_conjuncts_on_the_table_alone_are_kept_without_its_alias(condition: str, text: str, is_all: bool) -> None:
    found = about_target(condition, NAMES)
    assert (found.text, found.is_all) == (text, is_all)


def test_without_an_alias_a_condition_stays_as_it_is_written() -> None:
    assert about_target("id=1  and s.a >2", ALONE).text == "id=1  and s.a >2"


@pytest.mark.parametrize(
    ("condition", "found"),
    [
        ("t.id = key", [("id", "key")]),
        ("new.`a key` = t.day AND t.id = key", [("day", "new.`a key`"), ("id", "key")]),
        ("t.id = s.key", []),
        ("lower(key) = t.day", []),
        ("t.id = t.day", []),
        ("id = s.key", []),
        ("t.id <=> s.key", []),
        ("t.s.a = s.key", []),
        ("t.id = s.key + t.id", []),
    ],
)
def test_columns_that_must_equal_something_of_the_other_rows_are_found(
    condition: str, found: list[tuple[str, str]]
) -> None:
    assert list(equalities(condition, NAMES)) == found
