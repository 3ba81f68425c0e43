"""Draw results/log_growth.json as docs/images/log_growth.svg: time by number of actions, both logarithmic.

    python benchmarks/plot_growth.py

On such axes a cost that grows with the log is a line of slope one; it is drawn dashed through the largest log.
"""

from __future__ import annotations

import json
import math
from collections.abc import Iterator
from pathlib import Path
from typing import Any

HERE = Path(__file__).parent
SOURCE = HERE / "results" / "log_growth.json"
TARGET = HERE.parent / "docs" / "images" / "log_growth.svg"
WIDTH, HEIGHT, MARGIN = 640, 420, 70
LINES = {
    ("deltaresolver", "b"): ("all paths", "#1b6ca8"),
    ("deltaresolver", "c"): ("adds with stats", "#c2571a"),
    ("delta-rs", "b"): ("all paths, delta-rs", "#9bb9cf"),
    ("delta-rs", "c"): ("adds with stats, delta-rs", "#e3b79c"),
}


def main() -> None:
    """Draw the figure."""
    rows = json.loads(SOURCE.read_text())["rows"]
    TARGET.parent.mkdir(parents=True, exist_ok=True)
    TARGET.write_text("\n".join(_draw(rows)) + "\n")


def _draw(rows: list[dict[str, Any]]) -> Iterator[str]:
    across = _decades(row["actions"] for row in rows)
    up = _decades(row["cpu_seconds"] for row in rows)

    def place(actions: float, seconds: float) -> tuple[float, float]:
        return (
            MARGIN + (math.log10(actions) - across[0]) / (across[1] - across[0]) * (WIDTH - 2 * MARGIN),
            HEIGHT - MARGIN - (math.log10(seconds) - up[0]) / (up[1] - up[0]) * (HEIGHT - 2 * MARGIN),
        )

    yield f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {HEIGHT}" font-family="sans-serif">'
    yield f'<rect width="{WIDTH}" height="{HEIGHT}" fill="white"/>'
    for power in range(across[0], across[1] + 1):
        x, y = place(10**power, 10 ** up[0])
        yield f'<path d="M{x:.1f} {y}V{MARGIN}" stroke="#ddd"/>'
        yield _text(x, y + 20, f"10^{power}")
    for power in range(up[0], up[1] + 1):
        x, y = place(10 ** across[0], 10**power)
        yield f'<path d="M{x} {y:.1f}H{WIDTH - MARGIN}" stroke="#ddd"/>'
        yield _text(x - 30, y + 4, f"{10.0**power:g} s")
    yield _text(WIDTH / 2, HEIGHT - 20, "file actions in the log")
    yield _text(WIDTH / 2, 30, "Reading a log: processor seconds of all threads")
    for number, (line, (label, colour)) in enumerate(LINES.items()):
        points = sorted((row["actions"], row["cpu_seconds"]) for row in rows if (row["side"], row["task"]) == line)
        if not points:
            continue
        yield from _line([place(*point) for point in points], colour)
        largest, seconds = points[-1]
        # The dashed line ends where it would leave the figure below.
        smallest = max(10 ** across[0], largest * 10 ** up[0] / seconds)
        (x, y), (x2, y2) = place(largest, seconds), place(smallest, seconds * smallest / largest)
        yield f'<path d="M{x:.1f} {y:.1f}L{x2:.1f} {y2:.1f}" stroke="{colour}" stroke-dasharray="4 4" opacity="0.5"/>'
        yield f'<text x="{MARGIN + 15}" y="{MARGIN + 20 + 20 * number}" font-size="13" fill="{colour}">{label}</text>'
    yield "</svg>"


def _decades(values: Iterator[float]) -> tuple[int, int]:
    found = list(values)
    low, high = math.floor(math.log10(min(found))), math.ceil(math.log10(max(found)))
    return low, max(high, low + 1)


def _line(points: list[tuple[float, float]], colour: str) -> Iterator[str]:
    path = "L".join(f"{x:.1f} {y:.1f}" for x, y in points)
    yield f'<path d="M{path}" fill="none" stroke="{colour}" stroke-width="2"/>'
    for x, y in points:
        yield f'<circle cx="{x:.1f}" cy="{y:.1f}" r="4" fill="{colour}"/>'


def _text(x: float, y: float, text: str) -> str:
    return f'<text x="{x:.1f}" y="{y:.1f}" font-size="12" text-anchor="middle" fill="#333">{text}</text>'


if __name__ == "__main__":
    main()
