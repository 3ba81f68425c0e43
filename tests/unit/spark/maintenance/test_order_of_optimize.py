"""ZORDER BY in a statement: names keep what their quotes say, and history has them as delta-spark has."""

from __future__ import annotations

import pytest

from deltaresolver.spark.maintenance.order_columns import _as_told
from deltaresolver.spark.sql.upkeep import _read_order
from deltaresolver.spark.sql.words import StatementWords


@pytest.mark.parametrize(
    ("text", "names", "told"),
    [
        ("ZORDER BY (a, b)", ("a", "b"), ("a", "b")),
        ("ZORDER BY a", ("a",), ("a",)),
        ("ZORDER BY (`a.b`, s.c)", ("`a.b`", "s.c"), ("`a.b`", "s.c")),
        ("ZORDER BY (`b c`, `x``y`)", ("`b c`", "`x``y`"), ("b c", "x`y")),
    ],
)
def test_names_are_read_as_they_are_quoted(text: str, names: tuple[str, ...], told: tuple[str, ...]) -> None:
    found = _read_order(StatementWords.of(text))
    assert found == names
    assert tuple(map(_as_told, found)) == told
