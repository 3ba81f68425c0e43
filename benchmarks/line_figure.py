"""A figure of a few lines as SVG, with both axes logarithmic or both from 0."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence

import attrs

WIDTH, HEIGHT, LEFT, RIGHT, TOP, BOTTOM = 480, 360, 72, 40, 64, 56
COLOURS = ("#1b6ca8", "#c2571a", "#4b7f3b", "#7a4f9a")
_LETTER, _GAP = 7.2, 16
"""The average width of a letter in a name, and the space after a name."""
Points = Sequence[tuple[float, float]]


@attrs.frozen
class Axis:
    """Maps values to places: `low` and `high` are the ends, as powers of ten where the axis is logarithmic."""

    low: float
    high: float
    marks: tuple[float, ...]
    is_logarithmic: bool

    @classmethod
    def logarithmic(cls, values: Sequence[float]) -> Axis:
        """Whole decades around all values."""
        low, high = math.floor(math.log10(min(values))), math.ceil(math.log10(max(values)))
        high = max(high, low + 1)
        return cls(low, high, tuple(10.0**power for power in range(low, high + 1)), True)

    @classmethod
    def from_nought(cls, values: Sequence[float]) -> Axis:
        """From 0 to a round number above all values."""
        step = 10 ** math.floor(math.log10(max(values)))
        step = step if max(values) / step >= 4 else step / 2 if max(values) / step >= 2 else step / 5
        count = math.ceil(max(values) / step)
        return cls(0, step * count, tuple(step * number for number in range(count + 1)), False)

    def share(self, value: float) -> float:
        """The place of a value on the axis, from 0 to 1."""
        place = math.log10(value) if self.is_logarithmic else value
        return (place - self.low) / (self.high - self.low)


def figure(
    title: str, across: str, up: str, lines: Mapping[str, Points], *, logarithmic: bool, left: float = 0
) -> Iterator[str]:
    """One figure's elements, moved `left` to the right; `across` and `up` name the axes."""
    kind = Axis.logarithmic if logarithmic else Axis.from_nought
    x_axis = kind([x for points in lines.values() for x, _ in points])
    y_axis = kind([y for points in lines.values() for _, y in points])

    def place(x: float, y: float) -> tuple[float, float]:
        wide, tall = WIDTH - LEFT - RIGHT, HEIGHT - TOP - BOTTOM
        return left + LEFT + x_axis.share(x) * wide, HEIGHT - BOTTOM - y_axis.share(y) * tall

    start, end = left + LEFT, left + WIDTH - RIGHT
    for mark in x_axis.marks:
        x, _ = place(mark, y_axis.marks[0])
        yield f'<path d="M{x:.1f} {HEIGHT - BOTTOM}V{TOP}" stroke="#e4e4e4"/>'
        yield _text(x, HEIGHT - BOTTOM + 18, _number(mark))
    for mark in y_axis.marks:
        _, y = place(x_axis.marks[0], mark)
        yield f'<path d="M{start:.1f} {y:.1f}H{end:.1f}" stroke="#e4e4e4"/>'
        yield _text(start - 8, y + 4, _number(mark), "end")
    yield _text((start + end) / 2, HEIGHT - 14, across)
    yield _text((start + end) / 2, 22, f"{title}, {up}")
    # The names are above the figure, where no line can cross them.
    beside = start
    for (name, points), colour in zip(lines.items(), COLOURS, strict=False):
        yield from _line([place(*point) for point in points], colour)
        yield f'<circle cx="{beside + 4:.1f}" cy="{TOP - 18}" r="4" fill="{colour}"/>'
        yield f'<text x="{beside + 14:.1f}" y="{TOP - 13}" font-size="13" fill="{colour}">{name}</text>'
        beside += 14 + _LETTER * len(name) + _GAP


def page(figures: Sequence[Iterator[str]]) -> str:
    """Figures side by side as one file."""
    wide = WIDTH * len(figures)
    lines = [f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {wide} {HEIGHT}" font-family="sans-serif">']
    lines.append(f'<rect width="{wide}" height="{HEIGHT}" fill="white"/>')
    for one in figures:
        lines.extend(one)
    return "\n".join([*lines, "</svg>"]) + "\n"


def _line(points: Points, colour: str) -> Iterator[str]:
    path = "L".join(f"{x:.1f} {y:.1f}" for x, y in points)
    yield f'<path d="M{path}" fill="none" stroke="{colour}" stroke-width="2"/>'
    for x, y in points:
        yield f'<circle cx="{x:.1f}" cy="{y:.1f}" r="4" fill="{colour}"/>'


def _text(x: float, y: float, text: str, anchor: str = "middle") -> str:
    return f'<text x="{x:.1f}" y="{y:.1f}" font-size="12" text-anchor="{anchor}" fill="#333">{text}</text>'


def _number(value: float) -> str:
    return f"{value:,.0f}" if value >= 1 or value == 0 else f"{value:g}"
