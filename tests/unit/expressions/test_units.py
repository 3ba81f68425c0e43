"""Units of TRUNC and DATE_TRUNC: only a text is one, and it stays as it is written."""

from __future__ import annotations

import datetime

import pytest

from deltaresolver.expressions import tree as nodes
from deltaresolver.expressions.compare import UNKNOWABLE
from deltaresolver.expressions.conditions import parse_predicate
from deltaresolver.expressions.names import TargetNames, about_target
from deltaresolver.expressions.scalar import evaluate
from deltaresolver.expressions.text.written import written

MOMENT = datetime.datetime(2026, 11, 19, 10, 20, 30, tzinfo=datetime.UTC)


@pytest.mark.parametrize("unit", ["month", "MONTH", "`month`", "t.month", "day", "m"])
def test_a_column_called_as_a_unit_is_a_column(unit: str) -> None:
    for text in (f"date_trunc({unit}, ts) = x", f"x = trunc(ts, {unit})", f"`DATE_TRUNC` ({unit}, ts) = x"):
        tree = parse_predicate(text).tree
        found = {column.path[-1].lower() for column in nodes.columns(tree)}
        assert found == {unit.rpartition(".")[2].strip("`").lower(), "ts", "x"}, text
        assert unit.lower() in written(tree).lower()


def test_a_unit_of_the_source_gives_no_condition_on_the_target() -> None:
    names = TargetNames(frozenset({"id", "ts"}), "t", frozenset({"id", "month"}))
    assert about_target("t.id = s.id AND date_trunc(month, t.ts) = t.ts", names).text == "true"
    assert "'month'" in about_target("t.id = s.id AND date_trunc('month', t.ts) = t.ts", names).text


@pytest.mark.parametrize("unit", ["M", "Y", "Q", "D", "H", "S", "W", "MS", "d", ""])
def test_a_text_that_spark_takes_for_no_unit_stays_what_it_is(unit: str) -> None:
    for text in (f"date_trunc('{unit}', ts) = x", f"trunc(ts, '{unit}') = x"):
        tree = parse_predicate(text).tree
        assert f"'{unit}'" in written(tree)
        assert isinstance(tree, nodes.Compared)
        assert evaluate(tree.left, lambda _: (MOMENT, "timestamp")) is UNKNOWABLE


@pytest.mark.parametrize(("unit", "month", "day"), [("month", 11, 1), ("Quarter", 10, 1), ("YY", 1, 1), ("dd", 11, 19)])
def test_a_unit_in_any_case_is_evaluated(unit: str, month: int, day: int) -> None:
    tree = parse_predicate(f"date_trunc('{unit}', ts) = ts").tree
    assert isinstance(tree, nodes.Compared)
    found = evaluate(tree.left, lambda _: (MOMENT, "timestamp"))
    assert (found.month, found.day, found.hour) == (month, day, 0)


def test_a_name_that_only_ends_so_stays() -> None:
    assert written(parse_predicate("by_trunc(a) = 1").tree).lower().startswith("by_trunc(")
