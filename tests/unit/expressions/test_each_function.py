"""Each function that is read is evaluated on some value, so that its operands are where they belong."""

from __future__ import annotations

import datetime
from decimal import Decimal
from typing import Any

import pytest

from deltaresolver.expressions.compare import UNKNOWABLE
from deltaresolver.expressions.conditions import parse_predicate
from deltaresolver.expressions.parser.calls import CALLS
from deltaresolver.expressions.scalar import evaluate
from deltaresolver.expressions.tree import Call, walk

DAY = datetime.date(2024, 2, 3)
MOMENT = datetime.datetime(2024, 2, 3, 4, 5, 6, tzinfo=datetime.UTC)
TRUE: list[tuple[str, Any]] = [
    ("abs(x) = 2", -2),
    ("ascii(x) = 97", "a"),
    ("x & 6 = 4", 12),
    ("ceil(x) = 2", Decimal("1.2")),
    ("coalesce(x, 3) = 3", None),
    ("coalesce(x, 3) = 1", 1),
    ("contains(x, 'b')", "abc"),
    ("x || 'b' = 'ab'", "a"),
    ("datediff(x, DATE'2024-02-01') = 2", DAY),
    ("day(x) = 3", DAY),
    ("dayofmonth(x) = 3", DAY),
    ("dayofweek(x) = 7", DAY),
    ("dayofyear(x) = 34", DAY),
    ("endswith(x, 'c')", "abc"),
    ("floor(x) = 1", Decimal("1.2")),
    ("greatest(x, 3) = 3", 2),
    ("hour(x) = 4", MOMENT),
    ("x div 2 = 3", 7),
    ("isnan(x)", float("nan")),
    ("last_day(x) = '2024-02-29'", DAY),
    ("least(x, 3) = 2", 2),
    ("left(x, 2) = 'ab'", "abc"),
    ("length(x) = 3", "abc"),
    ("lower(x) = 'abc'", "aBC"),
    ("md5(x) = '900150983cd24fb0d6963f7d28e17f72'", "abc"),
    ("minute(x) = 5", MOMENT),
    ("month(x) = 2", DAY),
    ("nullif(x, 2) = 1", 1),
    ("power(x, 3) = 8", 2),
    ("quarter(x) = 1", DAY),
    ("regexp_like(x, '^a')", "abc"),
    ("repeat(x, 2) = 'abab'", "ab"),
    ("replace(x, 'b', 'd') = 'adc'", "abc"),
    ("reverse(x) = 'cba'", "abc"),
    ("right(x, 2) = 'bc'", "abc"),
    ("round(x, 1) = 1.3", Decimal("1.25")),
    ("second(x) = 6", MOMENT),
    ("sign(x) = -1", -7),
    ("startswith(x, 'a')", "abc"),
    ("locate('b', x) = 2", "abc"),
    ("substring(x, 2, 1) = 'b'", "abc"),
    ("substring(x, 2) = 'bc'", "abc"),
    ("substring(x, -2, 1) = 'b'", "abc"),
    ("substring(x, 0, 2) = 'ab'", "abc"),
    ("translate(x, 'ab', 'de') = 'dec'", "abc"),
    ("to_date(x) = '2024-02-03'", DAY),
    ("upper(x) = 'ABC'", "aBc"),
    ("weekofyear(x) = 5", DAY),
    ("year(x) = 2024", DAY),
    ("CAST(x AS DECIMAL) = 1", Decimal("1.4")),
    ("CAST(x AS DECIMAL(3,1)) = 1.3", Decimal("1.25")),
    ("CAST(x AS STRING) = '1.50'", Decimal("1.50")),
    ("CAST(x AS INT) = 1", Decimal("1.5")),
    ("(x, 2) = (1, 2)", 1),
    ("x + interval 2 days = '2024-02-05'", DAY),
    ("trim(x) = 'a'", " a "),
    ("trim(both 'b' from x) = 'a'", "bab"),
    ("trim(leading from x) = 'a '", " a "),
    ("trim(trailing from x) = ' a'", " a "),
    ("array_contains(array(1, 2), x)", 2),
    ("NOT array_contains(array(1, 2), x)", 3),
    ("x / 2 = 1.5", 3),
    ("x % 2 = -1", -3),
]
ANSWERING_NOTHING = {"coalesce", "greatest", "isnan", "least", "row"}


def judged(text: str, value: Any) -> Any:
    # The type of no value is that of the other one.
    kind = "integer" if value is None or type(value) is int else ""
    return evaluate(parse_predicate(text).tree, lambda _: (value, kind))


@pytest.mark.parametrize(("text", "value"), TRUE)
def test_a_function_of_a_value_is_what_it_is_in_spark(text: str, value: Any) -> None:
    assert judged(text, value) is True


@pytest.mark.parametrize("text", [text for text, _ in TRUE])
def test_a_function_of_nothing_is_nothing_or_left_open(text: str) -> None:
    called = {node.name for node in walk(parse_predicate(text).tree) if isinstance(node, Call)}
    if called.isdisjoint(ANSWERING_NOTHING):
        assert judged(text, None) in (None, UNKNOWABLE)


@pytest.mark.parametrize("text", ["trunc(x, 5) = x", "trunc(x, 5D) = x", "date_trunc(5, x) = x"])
def test_only_a_text_is_a_unit(text: str) -> None:
    tree = parse_predicate(text).tree
    assert not [node for node in walk(tree) if isinstance(node, Call) and "trunc" in node.name.lower()]
    assert judged(text, DAY) is UNKNOWABLE


@pytest.mark.parametrize("text", ["left(x, true)", "right(x, true)", "repeat(x, true)", "substring(x, true)"])
def test_a_boolean_is_not_taken_for_a_number_of_characters(text: str) -> None:
    """Spark refuses them; Python takes TRUE for 1."""
    assert judged(f"{text} = 'a'", "abc") is UNKNOWABLE


def test_only_an_array_that_is_written_out_is_looked_into() -> None:
    assert judged("array_contains(x, 1)", 1) is UNKNOWABLE


def test_no_function_is_left_out() -> None:
    tried = {node.name for text, _ in TRUE for node in walk(parse_predicate(text).tree) if isinstance(node, Call)}
    assert {name for name, _ in CALLS.values()} - tried == set()
