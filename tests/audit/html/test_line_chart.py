"""The chart of feature adoption: axes that reach the data, labels that do not cover each other."""

from __future__ import annotations

import itertools

from hypothesis import given
from hypothesis import strategies as st

from deltaresolver.audit.document.document import AdoptionPoint
from deltaresolver.audit.report.line_chart import HEIGHT, LABEL_HEIGHT, LINES, adoption_chart

COUNTS = st.lists(st.integers(0, 100_000), min_size=2, max_size=30)


def points(lines: list[list[int]]) -> list[AdoptionPoint]:
    return [
        AdoptionPoint(f"feature{number}", f"{2020 + month // 12}-{month % 12 + 1:02}", tables)
        for number, line in enumerate(lines)
        for month, tables in enumerate(line)
    ]


def test_one_month_draws_no_line() -> None:
    assert adoption_chart([AdoptionPoint("deletionVectors", "2026-01", 5)]) is None
    assert adoption_chart([]) is None


@given(st.lists(COUNTS, min_size=1, max_size=LINES + 2))
def test_all_points_lie_within_the_axes_and_labels_stand_apart(lines: list[list[int]]) -> None:
    chart = adoption_chart(points(lines))

    assert chart is not None
    assert len(chart.lines) == min(len(lines), LINES)
    for line in chart.lines:
        for point in line.points.split():
            x, y = map(float, point.split(","))
            assert chart.left <= x <= chart.right + 0.1
            assert 0 < y <= chart.bottom
    places = sorted(line.label_y for line in chart.lines)
    assert all(low - high >= LABEL_HEIGHT - 0.01 for high, low in itertools.pairwise(places))
    assert places[-1] <= HEIGHT


def test_the_most_widespread_features_are_drawn() -> None:
    chart = adoption_chart(points([[n, n] for n in range(1, LINES + 3)]))

    assert chart is not None
    assert {line.feature for line in chart.lines} == {f"feature{n}" for n in range(2, LINES + 2)}
