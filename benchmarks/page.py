"""docs/performance.md and its figures, from the recorded results.

    python -m benchmarks.all      measure; see there for quick and resumed runs
    python -m benchmarks.page     write the page and its figures

Of a whole and a quick run of the same part, the one on an idle machine counts, and of two idle ones the later one.
Nothing is measured here and nothing but results is read, so the same results make the same page.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator, Mapping
from pathlib import Path

from benchmarks.bar_figure import BAD, GOOD, Bar, bars
from benchmarks.budgets import BUDGETS, Budget
from benchmarks.cold_section import cold_figure, cold_section
from benchmarks.growth_section import growth_figures, growth_section
from benchmarks.machine import ROOT
from benchmarks.parts import PARTS
from benchmarks.profile_section import flame_figures, profile_section
from benchmarks.ratios import Measured, Ratio, measured
from benchmarks.results_folder import RESULTS
from benchmarks.scale_section import scale_section

PAGE = ROOT / "docs" / "performance.md"
IMAGES = ROOT / "docs" / "images"
TOP = """\
# Performance

How long each kind of work takes compared with another tool that does the same, and how the time grows with the size.
Both sides of a ratio were measured in one run on one machine: seconds on your machine will differ, ratios much less.
This page is made by `python -m benchmarks.page` from the results of `python -m benchmarks.all`;
[Numbers](../benchmarks/README.md) describes each benchmark and has the tables behind the ratios.
"""
KEPT = """\
## Kept fast

`python -m benchmarks.kept_fast` compares a new run with the committed results by the ratios to the peers, not by
seconds, and ends with 1 if one of them has grown by more than 15 %. How work grows is tested by
`tests/laws/test_growth.py` and `test_growth_axes.py`, and what each command imports is limited in
`tests/house/test_cold.py`; all three run with the tests, since a busy machine changes no count.
"""
BUSY = "*Busy*: others used more than 15 % of the cores before or after; such ratios are only a rough guide.\n"
MANY = "Where a line stands for several measurements, the worst of them counts.\n"


def main() -> int:
    """Write the page and its figures."""
    PAGE.write_text(page(RESULTS), encoding="utf-8")
    for name, svg in figures(RESULTS).items():
        (IMAGES / name).write_text(svg, encoding="utf-8")
    print(f"written: {PAGE.relative_to(ROOT)} and {len(figures(RESULTS))} figures")
    return 0


def page(folder: Path) -> str:
    """The text of docs/performance.md."""
    found = _all(folder)
    sections = [
        TOP,
        _runs(found),
        _budgets(found),
        cold_section(found.get("cold")),
        growth_section(found),
        scale_section(found.get("spark_scale"), found.get("large_log")),
        profile_section(found.get("profile")),
        KEPT,
    ]
    return "\n".join(section for section in sections if section)


def figures(folder: Path) -> Mapping[str, str]:
    """The figures by their names below docs/images."""
    found = _all(folder)
    drawn = {"budgets.svg": _figure(found), "cold.svg": cold_figure(found.get("cold")), **growth_figures(found)}
    drawn |= flame_figures(found.get("profile"))
    return {f"performance_{name}": svg for name, svg in drawn.items() if svg}


def _all(folder: Path) -> dict[str, Measured]:
    found = {part: measured(part, folder) for part in PARTS}
    return {part: one for part, one in found.items() if one is not None}


def _compared(found: Mapping[str, Measured]) -> Iterator[tuple[Budget, Ratio | None]]:
    for budget in BUDGETS:
        yield budget, budget.worst(found[budget.part].ratios()) if budget.part in found else None


def _runs(found: Mapping[str, Measured]) -> str:
    """When and on which machine every part was measured, and the load by other programs."""
    groups: dict[tuple[str, ...], list[str]] = {}
    for part, one in found.items():
        groups.setdefault(_circumstances(one), []).append(part)
    rows = [f"| {', '.join(parts)} | {' | '.join(told)} |" for told, parts in groups.items()]
    return "\n".join(
        [
            "## Measured\n",
            "| parts | commit | date | sizes | machine |",
            "|---|---|---|---|---|",
            *rows,
            "",
            BUSY,
        ]
    )


def _circumstances(one: Measured) -> tuple[str, ...]:
    record = one.record
    machine = record.get("machine", {})
    where = f"{machine['cores']} cores, {machine['processor']}" if machine else "2 cores"
    return (
        str(record.get("commit", "unknown")),
        str(record.get("date", "unknown")),
        "quick" if record.get("quick") else "whole",
        f"{where}, {'idle' if one.is_idle else 'busy'}",
    )


def _budgets(found: Mapping[str, Measured]) -> str:
    lines = list(_compared(found))
    met = sum(ratio is not None and budget.is_met(ratio) for budget, ratio in lines)
    made = sum(ratio is not None for _, ratio in lines)
    rows = [_budget_row(budget, ratio) for budget, ratio in lines]
    missed = [
        f"- **{budget.work}**: {budget.limit}."
        for budget, ratio in lines
        if budget.limit and ratio is not None and not budget.is_met(ratio)
    ]
    return "\n".join(
        [
            "## Targets\n",
            f"{met} of {made} measured lines are met. {MANY}",
            "![Each ratio against its target](images/performance_budgets.svg)\n",
            "| work | beside | target | measured | ours | theirs | |",
            "|---|---|---|---|---|---|---|",
            *rows,
            "",
            *(["Why a target is missed:\n", *missed, ""] if missed else []),
        ]
    )


def _budget_row(budget: Budget, ratio: Ratio | None) -> str:
    target = budget.written(budget.target)
    if ratio is None:
        return f"| {budget.work} | {budget.peer} | {target} | | | | not measured |"
    verdict = "met" if budget.is_met(ratio) else "**missed**"
    ours, theirs = (_figure_of(value, ratio.unit) for value in (ratio.ours, ratio.theirs))
    cells = budget.work, budget.peer, target, budget.written(ratio.of_peer), ours, theirs, verdict
    return f"| {' | '.join(cells)} |"


def _figure_of(value: float, unit: str) -> str:
    return f"{value:,.0f} {unit}" if value >= 100 else f"{value:.3g} {unit}"


def _figure(found: Mapping[str, Measured]) -> str:
    rows = [
        Bar(
            budget.work.replace("`", ""),
            budget.target / ratio.of_peer,
            f"{budget.target / ratio.of_peer:.2f}",
            GOOD if budget.is_met(ratio) else BAD,
        )
        for budget, ratio in _compared(found)
        if ratio is not None
    ]
    below = "1 is the target exactly; 2 is twice as good; logarithmic"
    return bars("Measured against the targets", below, rows, around_one=True) if rows else ""


if __name__ == "__main__":
    sys.exit(main())
