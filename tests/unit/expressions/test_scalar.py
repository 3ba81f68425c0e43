"""Values that are calculated in conditions."""

from __future__ import annotations

import datetime

import pytest

from deltaresolver.expressions.compare import UNKNOWABLE, cast_text, read_moment
from deltaresolver.expressions.conditions import parse_predicate
from deltaresolver.expressions.scalar import evaluate
from deltaresolver.expressions.values.casts import cast


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


@pytest.mark.parametrize(
    ("text", "truth"),
    [
        *((word, True) for word in ("true", "t", "yes", "y", "1", "TRUE", " Yes\t")),
        *((word, False) for word in ("false", "f", "no", "n", "0", "False", "\nNO ")),
        *((word, UNKNOWABLE) for word in ("", "on", "off", "2", "tr", "01")),
    ],
)
def test_each_spelling_of_a_boolean_is_read_as_it(text: str, truth: object) -> None:
    assert cast_text(text, True) is truth
    assert cast(text, "boolean", is_try=False) is truth
    assert cast(text, "boolean", is_try=True) is (None if truth is UNKNOWABLE else truth)


@pytest.mark.parametrize(
    ("text", "moment"),
    [
        ("2024", (2024, 1, 1)),
        ("2024-02", (2024, 2, 1)),
        ("2024-02-03", (2024, 2, 3)),
        ("2024-02-03 04:05", (2024, 2, 3, 4, 5)),
        ("2024-02-03 04:05:06.7+01:30", (2024, 2, 3, 2, 35, 6, 700_000)),
        ("2024-02-03 04:05:06-2", (2024, 2, 3, 6, 5, 6)),
    ],
)
def test_missing_parts_of_a_moment_mean_the_earliest(text: str, moment: tuple[int, ...]) -> None:
    assert read_moment(text) == datetime.datetime(*moment, tzinfo=datetime.UTC)  # type: ignore[arg-type, misc]
