"""Every recorded answer of delta-spark about protocols is this library's answer too."""

from __future__ import annotations

from pathlib import Path

import pytest

from deltaresolver.testing import run_resolver

RECORDED = Path(__file__).parents[1] / "recorded" / "resolver.jsonl.gz"


def ensure_all_pass(path: Path) -> None:
    report = run_resolver(path)
    assert not report.failures, "\n".join(f"{failure.id}: {failure.detail}" for failure in report.failures[:5])
    assert report.passed, f"{path} holds no cases"


def test_own_recorded_cases_pass() -> None:
    if not RECORDED.exists():
        pytest.skip(f"{RECORDED.name} is not recorded yet, and cannot be installed")
    ensure_all_pass(RECORDED)


def test_shared_recorded_cases_pass(shared: Path) -> None:
    ensure_all_pass(shared / "conformance" / "resolver.jsonl.gz")
