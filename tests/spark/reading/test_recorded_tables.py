"""Tables that delta-spark wrote, with the rows it read: `conformance tables --data` on the set a clone has."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from deltaresolver.spark.session import session_time_zone
from deltaresolver.testing.conformance.tables import run_tables
from deltaresolver.testing.conformance.tables_data import run_tables_data
from tests.archives import unpack

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

RECORDED = Path(__file__).parents[2] / "recorded" / "tables.tar.gz"


@pytest.fixture(scope="module")
def corpus(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("recorded")
    unpack(RECORDED, folder)
    return folder


def test_logs_say_what_delta_spark_recorded(corpus: Path) -> None:
    report = run_tables(corpus)
    assert report.failures == ()
    assert report.passed >= 25


@pytest.mark.spark
def test_rows_are_those_that_delta_spark_read(spark: SparkSession, corpus: Path) -> None:
    zone = session_time_zone(spark)
    report = run_tables_data(corpus)
    assert report.failures == ()
    assert report.known_differences == ()
    assert report.passed >= 25
    assert session_time_zone(spark) == zone


@pytest.mark.spark
def test_other_rows_than_recorded_fail(spark: SparkSession, corpus: Path) -> None:
    expectation = corpus / "expect" / "plain.json"
    text = expectation.read_text()
    expectation.write_text(text.replace('"digest": "', '"digest": "0'))
    try:
        report = run_tables_data(corpus, ["plain"])
    finally:
        expectation.write_text(text)
    assert [failure.id for failure in report.failures] == ["plain"]
