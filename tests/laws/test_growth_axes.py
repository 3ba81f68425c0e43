"""The growth that docs/performance.md shows holds: calls at n and at 4n, for every axis."""

from __future__ import annotations

import pytest

from benchmarks.growth import slopes
from benchmarks.growth_axes import AXES, Axis

ROOM = 0.1
"""For what is made once and kept, and is met in one of the two sizes only."""


SLOW = ("an audit",)
"""Whose calls take seconds to count."""


@pytest.mark.parametrize(
    "axis",
    [pytest.param(axis, id=axis.name, marks=[pytest.mark.slow] if axis.work in SLOW else []) for axis in AXES],
)
def test_work_grows_no_faster_than_the_page_says(axis: Axis) -> None:
    few = min(axis.sizes[0], 400)
    (slope,) = slopes(axis, (few, 4 * few))
    assert slope <= axis.most + ROOM


def test_a_quadratic_work_is_noticed() -> None:
    def make(size: int, folder: object) -> object:
        return lambda: [len(str(one)) for one in range(size) for _ in range(size)]

    (slope,) = slopes(Axis("squares", "numbers", make, (10,)), (20, 80))  # type: ignore[arg-type]
    assert slope > 1.9


def test_every_axis_has_a_name_of_its_own_and_sizes_that_grow_alike() -> None:
    assert len({axis.name for axis in AXES}) == len({axis.grows_with for axis in AXES}) == len(AXES)
    for axis in AXES:
        assert {round(large / small) for small, large in zip(axis.sizes, axis.sizes[1:], strict=False)} <= {4, 10}
