"""docs/performance.md is generated from the recorded results and agrees with them."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from benchmarks import page as pages
from benchmarks.budgets import BUDGETS
from benchmarks.parts import PARTS
from benchmarks.ratios import Measured, measured
from benchmarks.results_folder import RESULTS


def test_the_page_and_its_figures_are_made_from_the_results() -> None:
    again = "run python -m benchmarks.page"
    assert pages.PAGE.read_text(encoding="utf-8") == pages.page(RESULTS), again
    for name, svg in pages.figures(RESULTS).items():
        assert (pages.IMAGES / name).read_text(encoding="utf-8") == svg, again


def test_every_budget_finds_its_part() -> None:
    assert {budget.part for budget in BUDGETS} <= PARTS.keys()
    for budget in BUDGETS:
        found = measured(budget.part)
        if found is not None:
            assert budget.worst(found.ratios()) is not None, budget.work


def test_the_worst_comparison_decides() -> None:
    rows = [
        {"task": "b", "shape": "1x1", "variant": name, "deltaresolver": figures(1.0), "delta-rs": figures(theirs)}
        for name, theirs in (("commits", 9.0), ("checkpoint", 5.0), ("sidecars", 7.0))
    ]
    budget = next(one for one in BUDGETS if one.works == "all paths.*")
    worst = budget.worst(Measured("log", {"rows": rows}).ratios())
    assert worst is not None
    assert (worst.work, budget.written(worst.of_peer)) == ("all paths, 1x1, checkpoint", "5x as fast")
    assert not budget.is_met(worst)


def figures(seconds: float) -> dict[str, float]:
    return {"seconds": seconds, "peak_mb": 100.0}


@pytest.mark.parametrize(
    ("whole", "quick", "chosen"),
    [
        ({"busy": False, "started": "2026-01-01"}, {"busy": True, "started": "2026-01-02"}, "whole"),
        ({"busy": True, "started": "2026-01-02"}, {"busy": False, "started": "2026-01-01"}, "quick"),
        ({"busy": False, "started": "2026-01-01"}, {"busy": False, "started": "2026-01-02"}, "quick"),
        ({"busy": True, "started": "2026-01-02"}, {"busy": True, "started": "2026-01-01"}, "whole"),
    ],
)
def test_an_idle_run_counts_more_than_a_later_one(
    whole: dict[str, Any], quick: dict[str, Any], chosen: str, tmp_path: Path
) -> None:
    (tmp_path / "quick").mkdir()
    for folder, record in (("", whole), ("quick", quick)):
        content = {"record": record, "is": folder or "whole"}
        (tmp_path / folder / "small.json").write_text(json.dumps(content), encoding="utf-8")
    found = measured("small", tmp_path)
    assert found is not None
    assert found.results["is"] == chosen


def test_a_page_without_results_says_that_nothing_was_measured(tmp_path: Path) -> None:
    assert "0 of 0 measured lines are met" in pages.page(tmp_path)
    assert pages.figures(tmp_path) == {}
