"""Programs of the data source alone leave the rows that plain lists predict, and find planted bugs."""

from __future__ import annotations

import random

import pytest

from tests.differential.alone import run_alone
from tests.differential.plain_conditions import draw_plain
from tests.differential.planted import plant
from tests.differential.program import Column, Value

pytest.importorskip("pyspark")


@pytest.mark.parametrize("seed", range(3))
def test_a_program_without_spark_leaves_the_expected_rows(seed: int) -> None:
    assert run_alone(seed, changes=4).failure is None


@pytest.mark.slow
@pytest.mark.parametrize("is_wide", [False, True])
@pytest.mark.parametrize("seed", range(3, 13))
def test_more_programs_leave_the_expected_rows(seed: int, *, is_wide: bool) -> None:
    assert run_alone(seed, is_wide=is_wide).failure is None


def test_a_bug_that_is_put_in_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    plant("earlier_version", monkeypatch)
    assert run_alone(1, changes=2).failure is not None


def test_conditions_are_judged_in_three_values() -> None:
    chance = random.Random(0)
    columns = [Column("n", "INT"), Column("s", "STRING"), Column("d", "DOUBLE")]
    pools: dict[str, tuple[Value, ...]] = {
        "n": (1, 2, None),
        "s": ("a", "O'Brien", None),
        "d": ("nan", "-0.0", "1.5", None),
    }
    rows = [
        {"n": n, "s": s, "d": d} for n in (1, 2, None) for s in ("a", "b", None) for d in (float("nan"), 0.0, 2.0, None)
    ]
    found = set()
    for _ in range(300):
        condition = draw_plain(chance, columns, pools)
        found |= {condition.judged(row) for row in rows}
        for row in rows:
            if None in row.values():
                continue
            assert condition.judged(row) is not None or "NULL" in condition.text
    assert found == {True, False, None}
