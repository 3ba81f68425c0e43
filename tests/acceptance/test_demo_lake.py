"""The second half of the demo: Spark writes a lake, every table is explained, and the audit says where it is."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from deltaresolver.audit.document_file import StoredAudit
from deltaresolver.cli.demo_lake import TITLES

pytestmark = pytest.mark.spark


def test_the_demo_builds_explains_and_audits_a_lake(tmp_path: Path) -> None:
    command = [sys.executable, "-m", "deltaresolver.cli.demo", str(tmp_path)]

    done = subprocess.run(command, capture_output=True, text=True, check=False)

    assert done.returncode == 0, done.stderr
    assert "900 rows in" in done.stdout
    for feature in ("checkConstraints", "changeDataFeed", "deletionVectors", "columnMapping", "auditTrail"):
        assert f"- {feature}: " in done.stdout
    assert "1. purge deletion vectors" in done.stdout
    assert (tmp_path / "report.html").as_uri() in done.stdout
    assert "<title>Delta audit" in (tmp_path / "report.html").read_text(encoding="utf-8")
    head = StoredAudit(tmp_path / "audit.json").head
    assert (head.summary.tables, head.summary.broken) == (len(TITLES) + 1, 0)
