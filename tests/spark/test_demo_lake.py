"""The demo writes a lake, explains it, and ends in the report of its audit, saying where that is."""

from __future__ import annotations

import urllib.parse
import urllib.request
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from deltaresolver.audit.document_file import StoredAudit
from deltaresolver.cli import demo_lake

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

pytestmark = pytest.mark.spark


def test_the_demo_ends_in_the_report_and_says_where_it_is(
    spark: SparkSession, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    # The one session of these tests, which goes on living.
    monkeypatch.setattr(demo_lake, "quiet_session", lambda: spark)
    monkeypatch.setattr(spark, "stop", lambda: None)
    shown = list(demo_lake.show_lake(tmp_path))
    assert [title for title, _ in shown][: len(demo_lake.TITLES)] == list(demo_lake.TITLES.values())
    title, text = shown[-1]
    assert title == "The audit of the lake"
    told = next(line.removeprefix("The report: ") for line in text.splitlines() if line.startswith("The report: "))
    report = Path(urllib.request.url2pathname(urllib.parse.urlsplit(told).path))
    assert report == tmp_path / "report.html"
    assert "<title>Delta audit" in report.read_text(encoding="utf-8")
    head = StoredAudit(tmp_path / "audit.json").head
    assert (head.summary.tables, head.summary.broken) == (len(demo_lake.TITLES) + 1, 0)
