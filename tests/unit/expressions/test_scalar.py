"""Values that are calculated in conditions."""

from __future__ import annotations

import pytest

from deltaresolver.expressions.compare import UNKNOWABLE
from deltaresolver.expressions.conditions import parse_predicate
from deltaresolver.expressions.scalar import evaluate


@pytest.mark.parametrize(
    ("condition", "answer"),
    [
        ("DATE'2024-02-28' + 2 = DATE'2024-03-01'", True),
        ("DATE'2024-03-01' - 1 = DATE'2024-02-29'", True),
        ("DATE'2024-03-01' + 1 = DATE'2024-03-01'", False),
        ("DATE'9999-12-31' + 1 > DATE'2024-03-01'", UNKNOWABLE),
        ("DATE'2024-03-01' + NULL > DATE'2024-03-01'", None),
    ],
)
def test_days_are_added_to_a_date_and_taken_from_it(condition: str, answer: object) -> None:
    assert evaluate(parse_predicate(condition).tree, lambda _: (UNKNOWABLE, "")) is answer
