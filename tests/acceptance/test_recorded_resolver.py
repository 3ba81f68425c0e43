"""Every recorded answer of delta-spark about protocols is this library's answer too."""

from __future__ import annotations

from pathlib import Path

from deltaresolver.testing import ConformanceReport, run_resolver
from deltaresolver.testing.conformance.known.resolver import REASONS

RECORDED = Path(__file__).parents[1] / "recorded" / "resolver.jsonl.gz"


def ensure_all_pass(report: ConformanceReport) -> None:
    assert not report.failures, "\n".join(f"{failure.id}: {failure.detail}" for failure in report.failures[:5])
    assert report.passed, "there are no cases"


def test_our_own_recorded_cases_pass() -> None:
    report = run_resolver(RECORDED)
    ensure_all_pass(report)
    # A reason that no case needs any more is to be taken out of the list.
    assert {known.reason for known in report.known_differences} == REASONS


def test_shared_recorded_cases_pass_without_exception(shared: Path) -> None:
    report = run_resolver(shared / "conformance" / "resolver.jsonl.gz")
    ensure_all_pass(report)
    assert not report.known_differences
