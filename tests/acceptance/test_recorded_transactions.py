"""What delta-spark answered to conflicts and SQL of our own making is this library's answer too."""

from __future__ import annotations

from pathlib import Path

import pytest

from deltaresolver.testing.conformance.conflicts import run_conflicts
from deltaresolver.testing.conformance.ddl import run_ddl
from deltaresolver.testing.conformance.report import ConformanceReport

RECORDED = Path(__file__).parents[1] / "recorded"


def ensure_all_pass(report: ConformanceReport) -> None:
    assert not report.failures, "\n".join(f"{failure.id}: {failure.detail}" for failure in report.failures[:5])
    assert report.passed, "there are no cases"


def test_own_recorded_conflicts_are_decided_as_recorded() -> None:
    ensure_all_pass(run_conflicts(RECORDED / "conflicts.jsonl.gz"))


@pytest.mark.parametrize("name", ["ddl", "columns"])
def test_own_recorded_sequences_end_as_recorded(name: str) -> None:
    ensure_all_pass(run_ddl(RECORDED / f"{name}.jsonl.gz"))
