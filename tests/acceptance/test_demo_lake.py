"""The demo with Spark: it writes a lake, explains every table, plans a way back, and audits all of it."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from deltaresolver.audit.document.document_file import StoredAudit
from deltaresolver.cli.demo.lake import PROPERTIES

pytestmark = pytest.mark.spark


def test_the_demo_builds_explains_and_audits_a_lake(tmp_path: Path) -> None:
    command = [sys.executable, "-m", "deltaresolver.cli.demo", str(tmp_path)]

    done = subprocess.run(command, capture_output=True, text=True, check=False, stdin=subprocess.DEVNULL)

    assert (done.returncode, done.stderr) == (0, "")
    assert len(done.stdout.splitlines()) <= 40
    assert "1. purge deletion vectors" in done.stdout
    assert (tmp_path / "report.html").as_uri() in done.stdout
    told = (tmp_path / "explanations.txt").read_text(encoding="utf-8")
    for feature in ("checkConstraints", "changeDataFeed", "deletionVectors", "columnMapping", "auditTrail"):
        assert f"- {feature}: " in told
    for name in PROPERTIES:
        assert list((tmp_path / "lake" / name).rglob("*.parquet"))
    head = StoredAudit(tmp_path / "audit.json").head
    assert (head.summary.tables, head.summary.broken) == (len(PROPERTIES), 0)
