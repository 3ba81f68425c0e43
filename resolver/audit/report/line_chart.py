"""The chart of how many tables support each feature, month by month, as points of an SVG."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Sequence

import attrs

from deltaresolver.audit.document.document import AdoptionPoint

WIDTH, HEIGHT = 720, 260
LEFT, RIGHT, TOP, BOTTOM = 44, 176, 12, 28
LINES = 6
"""The number of lines: more could not be distinguished. The others are in the table below the chart."""
LABEL_HEIGHT = 15


@attrs.frozen
class Line:
    """One feature's line: the number of its colour, its points, and the position of its label."""

    feature: str
    colour: int
    points: str
    label_x: float
    label_y: float
    end_x: float
    end_y: float
    last: int


@attrs.frozen
class Tick:
    """A mark on an axis."""

    place: float
    label: str


@attrs.frozen
class LineChart:
    """Everything the template draws."""

    lines: tuple[Line, ...]
    months: tuple[Tick, ...]
    counts: tuple[Tick, ...]
    width: int = WIDTH
    height: int = HEIGHT
    left: int = LEFT
    right: int = WIDTH - RIGHT
    bottom: int = HEIGHT - BOTTOM


def adoption_chart(points: Iterable[AdoptionPoint]) -> LineChart | None:
    """The most widespread features over time; None with fewer than two months to connect."""
    by_feature: dict[str, dict[str, int]] = defaultdict(dict)
    for point in points:
        by_feature[point.feature][point.month] = point.tables
    months = sorted({month for line in by_feature.values() for month in line})
    if len(months) < 2:
        return None
    chosen = sorted(by_feature, key=lambda name: (-max(by_feature[name].values()), name))[:LINES]
    top = _round_up(max(max(by_feature[name].values()) for name in chosen))
    across = (WIDTH - LEFT - RIGHT) / (len(months) - 1)
    down = (HEIGHT - TOP - BOTTOM) / top

    def place(number: int, tables: int) -> tuple[float, float]:
        return round(LEFT + number * across, 1), round(HEIGHT - BOTTOM - tables * down, 1)

    lines = []
    for colour, name in enumerate(chosen):
        spots = [place(n, by_feature[name][month]) for n, month in enumerate(months) if month in by_feature[name]]
        text = " ".join(f"{x},{y}" for x, y in spots)
        lines.append(Line(name, colour, text, spots[-1][0] + 10, spots[-1][1] + 4, *spots[-1], _last(by_feature[name])))
    step = max(1, -(-len(months) // 8))
    return LineChart(
        _apart(lines),
        tuple(Tick(place(n, 0)[0], month) for n, month in enumerate(months) if n % step == 0),
        tuple(Tick(place(0, top * part // 4)[1], f"{top * part // 4:,}") for part in range(5)),
    )


def _last(line: dict[str, int]) -> int:
    return line[max(line)]


def _round_up(count: int) -> int:
    """The next number that four equal steps of whole tables reach."""
    unit = 4
    while count > unit * 10:
        unit *= 10
    return max(unit, -(-count // unit) * unit)


def _apart(lines: Sequence[Line]) -> tuple[Line, ...]:
    """The same lines, with labels moved so that they do not overlap."""
    placed: list[Line] = []
    for line in sorted(lines, key=lambda line: line.label_y):
        lowest = placed[-1].label_y + LABEL_HEIGHT if placed else TOP
        placed.append(attrs.evolve(line, label_y=max(line.label_y, lowest)))
    over = max(0.0, placed[-1].label_y - (HEIGHT - BOTTOM)) if placed else 0.0
    return tuple(attrs.evolve(line, label_y=line.label_y - over) for line in placed)
