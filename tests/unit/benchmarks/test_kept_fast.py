"""A run is compared with the committed one by its ratios to the peers."""

from __future__ import annotations

from typing import Any

import pytest

from benchmarks.kept_fast import MOST, compare, judge
from benchmarks.ratios import Measured


def run(started: str, ours: float, theirs: float, arguments: tuple[str, ...] = ()) -> Measured:
    sides = {"deltaresolver": {"best_ms": ours}, "delta-spark": {"best_ms": theirs}}
    record: dict[str, Any] = {"started": started, "arguments": [*arguments], "busy": False}
    return Measured("spark_change", {"record": record, "results": {"DELETE": sides}})


@pytest.mark.parametrize(
    ("ours", "theirs", "code"),
    [
        (100, 400, 0),
        (300, 1200, 0),  # the machine is three times as slow
        (114, 400, 0),
        (116, 400, 1),
        (100, 340, 1),  # the peer has become faster
        (50, 400, 0),
    ],
)
def test_a_ratio_that_grows_by_more_than_a_seventh_fails(ours: float, theirs: float, code: int) -> None:
    changes = list(compare(run("1", 100, 400), run("2", ours, theirs)))
    assert judge(changes, MOST) == code


def test_a_millisecond_more_of_two_is_noise() -> None:
    assert judge(list(compare(run("1", 2, 40), run("2", 3, 40))), MOST) == 0


@pytest.mark.parametrize("now", [run("1", 900, 400), run("2", 900, 400, ("--rows", "10"))])
def test_the_same_run_and_other_sizes_are_not_compared(now: Measured) -> None:
    assert judge(list(compare(run("1", 100, 400), now)), MOST) == 2
