"""Recorded SQL that needs an engine, carried out by ds.sql; `conformance ddl --engine spark` does all of it."""

from __future__ import annotations

import gzip
import json
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from deltaresolver.testing.conformance.ddl_on_spark import run_ddl_on_spark

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

pytestmark = pytest.mark.spark

SEQUENCES = (
    "col/cm-id",
    "dml/analyze",
    "dml/append-only",
    "dml/convert-path",
    "dml/merge-insert-only",
    "drop/columnMapping/fast-off",
    "gen/partition",
    "misc/partition-ops",
    "rt/merge",
)
"""Those that found something, and one of each kind of statement."""


def test_statements_do_what_was_recorded(spark: SparkSession, shared: Path, tmp_path: Path) -> None:
    with gzip.open(shared / "conformance" / "ddl.jsonl.gz", "rt") as lines:
        chosen = [line for line in lines if json.loads(line)["id"] in SEQUENCES]
    assert len(chosen) == len(SEQUENCES)
    path = tmp_path / "chosen.jsonl"
    path.write_text("".join(chosen))
    report = run_ddl_on_spark(path, spark)
    assert report.failures == ()
    assert report.compared == report.statements
