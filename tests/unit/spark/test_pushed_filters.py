"""Filters that Spark pushes down are trees, and read from their SQL they are the same."""

from __future__ import annotations

import datetime
from decimal import Decimal
from typing import Any

import pytest

from deltaresolver.expressions.conditions import parse_predicate
from deltaresolver.expressions.text.written import written
from deltaresolver.spark.source.batch.pushed_filters import as_sql, as_tree, reliable

filters = pytest.importorskip("pyspark.sql.datasource")
pytestmark = pytest.mark.skipif(
    not hasattr(filters, "StringStartsWith"), reason="Spark hands filters over from PySpark 4.1 on"
)
VALUES: list[Any] = [
    *(True, 1, -1, 1 << 31, -(1 << 31), 1 << 62, Decimal("1E+5"), "a'b\\c%", ""),
    datetime.datetime(2024, 1, 1, 1, 2, 3, 5),
    datetime.datetime(2024, 1, 1, tzinfo=datetime.UTC),
    datetime.date(1500, 1, 1),
]


@pytest.mark.parametrize("value", VALUES, ids=repr)
def test_a_comparison_is_the_same_tree_from_its_sql(value: Any) -> None:
    for kind in ("EqualTo", "EqualNullSafe", "GreaterThan", "GreaterThanOrEqual", "LessThan", "LessThanOrEqual"):
        for each in (getattr(filters, kind)(("a b", "c"), value), filters.In(("x",), (value, value))):
            text, tree = as_sql([each, filters.Not(each)]), as_tree(each)
            assert text is not None
            assert tree is not None
            first, second = (part.tree for part in parse_predicate(text).parts())
            assert (written(first), written(second)) == (written(tree), f"NOT {written(tree)}")
            assert isinstance(value, Decimal) or first == tree


@pytest.mark.parametrize("value", [1.5, None, b"x"])
def test_what_cannot_be_written_is_left_to_spark(value: Any) -> None:
    assert as_sql([filters.EqualTo(("x",), value), filters.In(("x",), (1, value))]) is None


def test_patterns_and_nulls_are_the_same_trees_from_their_sql() -> None:
    given = [filters.StringStartsWith(("x",), "a_%"), filters.IsNotNull(("x",)), filters.StringStartsWith(("x",), "\\")]
    assert as_sql(given) == "(`x` LIKE 'a\\\\_\\\\%%') AND (NOT `x` IS NULL)"
    assert as_sql([]) is None


SHIFTED = (datetime.date(1582, 10, 15), datetime.datetime(1582, 10, 15, 11, tzinfo=datetime.UTC))
EXACT = (
    datetime.date(1582, 10, 4),
    datetime.date(1582, 10, 16),
    datetime.datetime(1582, 10, 15, 11),
    datetime.datetime(1582, 10, 18, tzinfo=datetime.UTC),
)


def test_what_may_have_been_a_day_that_the_legacy_calendar_lacks_is_left_to_spark() -> None:
    """Spark makes 1582-10-15 of the ten days before it, but for moments without a zone."""
    for value in (*SHIFTED, *EXACT):
        for each in (filters.EqualTo(("x",), value), filters.In(("x",), (value, *EXACT[:1]))):
            kept = [] if value in SHIFTED else [each, filters.Not(each)]
            assert reliable([each, filters.Not(each)]) == kept
    assert reliable([filters.IsNull(("x",))]) == [filters.IsNull(("x",))]
