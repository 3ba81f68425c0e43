"""Conditions that may be evaluated once more: only such as cannot change their answer."""

from __future__ import annotations

import pytest

from deltaresolver.expressions.repeatable import has_fixed_answers
from tests.nasty import UNSTABLE_CONDITIONS

COLUMNS = frozenset({"id", "day", "a b"})


@pytest.mark.parametrize(
    "condition",
    [
        "id = 1",
        "t.id % 10 <= -3 OR NOT (`a b` IN ('x', NULL))",
        "day BETWEEN '2024-01-01' AND '2024-02-01' AND id IS NOT NULL",
        "id <=> null AND s.anything LIKE 'a%'",
    ],
)
def test_comparisons_of_columns_and_constants_may_be_evaluated_again(condition: str) -> None:
    assert has_fixed_answers(condition, COLUMNS)


@pytest.mark.parametrize(
    "condition",
    [
        *UNSTABLE_CONDITIONS,
        "day < now()",
        "day < current_date",
        "day < current_date()",
        "id = current_user",
        "some_function(id)",
        "id IN (SELECT id FROM others)",
        "day > DATE 'today'",
        "day > TIMESTAMP ' NOW '",
        "day > 'tomorrow'",
        "other = 1",
        "exists(array(1), x -> x > id)",
    ],
)
def test_any_other_condition_may_change_its_answer(condition: str) -> None:
    assert not has_fixed_answers(condition, COLUMNS)
