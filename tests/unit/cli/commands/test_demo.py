"""The demo tells its story on one screen, without Spark here; tests/acceptance/test_demo_lake.py runs it with Spark."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from deltaresolver.audit.document.document_file import StoredAudit
from deltaresolver.cli.demo.lake import PROPERTIES

SCREEN = (40, 200)
"""Lines, and columns of the longest."""


def demo(*arguments: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "deltaresolver.cli.demo", *arguments]
    return subprocess.run(command, capture_output=True, text=True, check=False, stdin=subprocess.DEVNULL)


@pytest.fixture(scope="module")
def shown(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, subprocess.CompletedProcess[str]]:
    """The folder of a demo without Spark, and what it printed."""
    folder = tmp_path_factory.mktemp("demo")
    return folder, demo("--no-spark", str(folder))


def test_the_demo_without_spark_fits_one_screen_and_ends_with_the_report(
    shown: tuple[Path, subprocess.CompletedProcess[str]],
) -> None:
    folder, done = shown
    assert (done.returncode, done.stderr) == (0, "")
    lines = done.stdout.splitlines()
    assert len(lines) <= SCREEN[0]
    for name in PROPERTIES:
        assert any(line.startswith(f"  {name} ") for line in lines)
    assert "1. drop deletionVectors, truncating history" in done.stdout
    assert lines[-1].endswith((folder / "report.html").as_uri())
    assert "<title>Delta audit" in (folder / "report.html").read_text(encoding="utf-8")
    assert "=== renamed ===" in (folder / "explanations.txt").read_text(encoding="utf-8")


def test_the_audit_of_the_demo_knows_the_third_party_feature(
    shown: tuple[Path, subprocess.CompletedProcess[str]],
) -> None:
    folder, _ = shown
    audit = StoredAudit(folder / "audit.json")
    assert (audit.head.summary.tables, audit.head.summary.broken) == (len(PROPERTIES), 0)
    assert "auditTrail" in {feature.name for feature in audit.head.summary.features}
    assert [rule.tables for rule in audit.head.rules if rule.name == "unknown-feature"] in ([], [0])


def test_the_demo_can_run_twice(shown: tuple[Path, subprocess.CompletedProcess[str]]) -> None:
    folder, first = shown
    assert first.returncode == 0
    assert demo("--no-spark", str(folder)).returncode == 0


def test_a_misspelt_option_is_reported() -> None:
    done = demo("--nospark")
    assert done.returncode == 2
    assert "usage: script/demo [--no-spark] [FOLDER]" in done.stderr
