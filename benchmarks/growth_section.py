"""The part of docs/performance.md about how work grows."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any

from benchmarks.line_figure import WIDTH, figure, page
from benchmarks.ratios import Measured

Lines = Mapping[str, Sequence[tuple[float, float]]]
TEXT = """\
Counted are calls of functions, Python's and C's, which are the same however busy a machine is; beside them processor
milliseconds. A slope of 1 is linear: four times as much takes four times as long. `last` is the slope between the two
largest sizes, where fixed costs weigh least. The tests hold the slope of the calls. A plan takes 1.8 times
as many calls once its schema outgrows 64 KiB, between 800 and 1,600 columns, since longer schemas are not remembered;
its calls are linear before and after (1,600 to 6,400 columns: a slope of 0.99). A plan to drop one of many features
grows by their square."""


def slope(points: Sequence[tuple[float, float]]) -> float:
    """The exponent with which the second number grows with the first: least squares over logarithms."""
    logs = [(math.log(x), math.log(y)) for x, y in points if x > 0 and y > 0]
    if len(logs) < 2:
        return 0.0
    middle_x, middle_y = (sum(values) / len(logs) for values in zip(*logs, strict=True))
    above = sum((x - middle_x) * (y - middle_y) for x, y in logs)
    return float(above / sum((x - middle_x) ** 2 for x, _ in logs))


def growth_section(found: Mapping[str, Measured]) -> str:
    """A table of slopes; empty where nothing was counted."""
    lines = []
    if "growth" in found:
        lines += [TEXT, ""]
        for place, _ in enumerate(_groups(found["growth"])):
            lines.append(f"![Calls against sizes](images/performance_growth_{place + 1}.svg)\n")
        lines += [
            "| work | grows with | sizes | slope of calls | last | slope of time | last |",
            "|---|---|---|---|---|---|---|",
        ]
        lines += [_row(axis) for axis in found["growth"].results["axes"]]
        lines.append("")
    if "log_growth" in found:
        lines += [
            "Reading a whole log, by the number of its actions:\n",
            "![Seconds against actions](images/performance_log.svg)\n",
        ]
    return "\n".join(["## Growth\n", *lines]) if lines else ""


def growth_figures(found: Mapping[str, Measured]) -> Mapping[str, str]:
    """The figures by name."""
    drawn = {}
    if "growth" in found:
        for place, group in enumerate(_groups(found["growth"])):
            figures = [
                figure("Calls", "size", "both logarithmic", lines, logarithmic=True, left=side * WIDTH)
                for side, lines in enumerate(group)
            ]
            drawn[f"growth_{place + 1}.svg"] = page(figures)
    if "log_growth" in found:
        drawn["log.svg"] = page(
            [figure("Reading a log", "actions", "processor seconds", _log(found["log_growth"]), logarithmic=True)]
        )
    return drawn


def _groups(found: Measured) -> list[list[Lines]]:
    """The lines of every figure: three for each, so that their names fit above it, and two figures side by side."""
    axes = found.results["axes"]
    lines: list[Lines] = [
        {axis["axis"]: [(row["size"], row["calls"]) for row in axis["rows"]] for axis in axes[first : first + 3]}
        for first in range(0, len(axes), 3)
    ]
    return [lines[first : first + 2] for first in range(0, len(lines), 2)]


def _row(axis: Mapping[str, Any]) -> str:
    rows = axis["rows"]
    told = []
    for key in ("calls", "cpu_ms"):
        points = [(row["size"], row[key]) for row in rows]
        told += [f"{slope(points):.2f}", f"{slope(points[-2:]):.2f}"]
    sizes = f"{rows[0]['size']:,} to {rows[-1]['size']:,}"
    return f"| {axis['work']} | {axis['axis']} | {sizes} | {' | '.join(told)} |"


def _log(found: Measured) -> Mapping[str, Sequence[tuple[float, float]]]:
    names = {"b": "paths", "c": "with statistics"}
    lines: dict[str, list[tuple[float, float]]] = {}
    for row in found.results["rows"]:
        side = "" if row["side"] == "deltaresolver" else f", {row['side']}"
        lines.setdefault(names[row["task"]] + side, []).append((row["actions"], row["cpu_seconds"]))
    return lines
