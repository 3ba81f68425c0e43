"""Bars as SVG: one for each name, starting at 1 on a logarithmic axis, or at 0."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from xml.sax.saxutils import escape

import attrs

WIDTH, NAMES, NUMBERS, ROW, TOP, BOTTOM = 820, 330, 110, 22, 64, 16
GOOD, BAD, OTHER = "#4b7f3b", "#c2571a", "#9bb9cf"


@attrs.frozen
class Bar:
    """One row: `value` is the length of the bar, `text` is written after it."""

    name: str
    value: float
    text: str
    colour: str = GOOD


def bars(title: str, below: str, rows: Sequence[Bar], *, around_one: bool) -> str:
    """The figure as one file; with `around_one`, values below 1 go to the left, and values above 1 to the right."""
    height = TOP + ROW * len(rows) + BOTTOM
    lines = [f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {height}" font-family="sans-serif">']
    lines.append(f'<rect width="{WIDTH}" height="{height}" fill="white"/>')
    lines.append(f'<text x="{WIDTH / 2}" y="24" font-size="15" text-anchor="middle" fill="#333">{escape(title)}</text>')
    lines.append(f'<text x="{WIDTH / 2}" y="44" font-size="12" text-anchor="middle" fill="#666">{escape(below)}</text>')
    lines.extend(_around_one(rows, height) if around_one else _from_nought(rows))
    return "\n".join([*lines, "</svg>"]) + "\n"


def _around_one(rows: Sequence[Bar], height: int) -> Iterator[str]:
    logs = [math.log10(row.value) for row in rows]
    low, high = min(-0.3, *logs), max(0.3, *logs)
    room = WIDTH - NAMES - 2 * NUMBERS
    one = NAMES + NUMBERS + room * -low / (high - low)
    for number, (row, log) in enumerate(zip(rows, logs, strict=True)):
        long = room * abs(log) / (high - low)
        start = one if log >= 0 else one - long
        behind = (one + long + 6, "start") if log >= 0 else (one - long - 6, "end")
        yield from _row(number, row, start, long, *behind)
    yield f'<path d="M{one:.1f} {TOP - 6}V{height - BOTTOM + 6}" stroke="#333"/>'


def _from_nought(rows: Sequence[Bar]) -> Iterator[str]:
    room = WIDTH - NAMES - NUMBERS
    most = max(row.value for row in rows)
    for number, row in enumerate(rows):
        long = room * row.value / most
        yield from _row(number, row, NAMES, long, NAMES + long + 6, "start")


def _row(number: int, row: Bar, start: float, long: float, behind: float, anchor: str) -> Iterator[str]:
    y = TOP + ROW * number
    yield f'<text x="{NAMES - 10}" y="{y + 15}" font-size="12" text-anchor="end" fill="#333">{escape(row.name)}</text>'
    yield f'<rect x="{start:.1f}" y="{y + 3}" width="{max(long, 1):.1f}" height="{ROW - 6}" fill="{row.colour}"/>'
    place = f'x="{behind:.1f}" y="{y + 15}" text-anchor="{anchor}"'
    yield f'<text {place} font-size="12" fill="#333">{escape(row.text)}</text>'
