"""`deltaresolver conformance`: the report of a run, its exit code, and what cannot be run."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from deltaresolver.cli.commands import conformance
from deltaresolver.testing.conformance.report import ConformanceReport, Failure, KnownDifference
from tests.archives import unpack
from tests.unit.cli.running import run

REPORT = ConformanceReport(
    "resolver",
    11_000,
    tuple(Failure(f"case-{number}", "expected 1, found 2") for number in range(12)),
    (KnownDifference("odd-1", "They are wrong."), KnownDifference("odd-2", "They are wrong.")),
)


def test_a_report_is_printed_in_few_lines(capsys: pytest.CaptureFixture[str]) -> None:
    assert conformance.finish(REPORT, 2, as_json=False) == 1
    assert capsys.readouterr().out == (
        "11,000 passed, 12 failed, 2 known to differ\n"
        "  case-0: expected 1, found 2\n"
        "  case-1: expected 1, found 2\n"
        "  and 10 more; --show prints them\n"
        "  known, 2: They are wrong.\n"
    )


def test_a_report_as_json_has_every_difference(capsys: pytest.CaptureFixture[str]) -> None:
    assert conformance.finish(REPORT, 2, as_json=True) == 1
    data = json.loads(capsys.readouterr().out)
    assert (data["passed"], data["failed"], len(data["failures"]), len(data["known_differences"])) == (
        11_000,
        12,
        12,
        2,
    )


def test_known_differences_alone_are_not_a_failure(capsys: pytest.CaptureFixture[str]) -> None:
    report = ConformanceReport("tables", 3, (), REPORT.known_differences)
    assert conformance.finish(report, 10, as_json=False) == 0
    assert capsys.readouterr().out.startswith("3 passed, 0 failed, 2 known to differ\n")


def test_nothing_to_run_is_reported(tmp_path: Path) -> None:
    assert run("conformance", "tables", str(tmp_path), "--json").error["code"] == "DR109"
    assert run("conformance", "tables", str(tmp_path / "nowhere"), "--json").error["code"] == "DR109"
    assert run("conformance", "ddls", str(tmp_path), "--json").error["code"] == "DR109"


@pytest.mark.slow
def test_the_recorded_tables_pass(shared: Path, tmp_path: Path) -> None:
    unpack(shared / "conformance" / "tables.tar.gz", tmp_path)
    corpus = next(tmp_path.rglob("expect")).parent
    outcome = run("conformance", "tables", str(corpus), "--json")
    assert outcome.code == 0, outcome.data["failures"]
    assert outcome.data["passed"] > 300
