"""What Spark does with SQL on format("deltaresolver"): the table in docs/spark.md, row by row."""

from __future__ import annotations

import threading
from pathlib import Path
from typing import Any

import pytest
from pyspark.errors import PySparkException
from pyspark.sql import DataFrame, SparkSession

import deltaresolver.spark as ds
from tests.spark.source.sql_limits_job import STATEMENTS
from tests.spark_job import run_job

pytestmark = pytest.mark.spark


@pytest.fixture
def table(spark: SparkSession, tmp_path: Path) -> Path:
    ds.register(spark)
    path = tmp_path / "table"
    ds.write(rows(spark), path)
    spark.sql(f"CREATE OR REPLACE TEMPORARY VIEW limits USING deltaresolver OPTIONS (path '{path}')")
    return path


def rows(spark: SparkSession) -> DataFrame:
    return spark.range(4).selectExpr("id", "id % 2 AS kind")


def test_a_view_reads_and_appends(spark: SparkSession, table: Path) -> None:
    spark.sql("INSERT INTO limits SELECT 100L, 1L")
    assert spark.sql("SELECT count(*) FROM limits").first() == (5,)


@pytest.fixture(scope="module")
def told(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Any]:
    """What a Spark says that has nothing of delta-spark's."""
    found: dict[str, Any] = run_job("tests.spark.source.sql_limits_job", tmp_path_factory.mktemp("limits"))
    return found


@pytest.mark.parametrize(("statement", "condition"), STATEMENTS.items())
def test_a_statement_is_refused_by_spark(told: dict[str, Any], statement: str, condition: str) -> None:
    assert condition in told["statements"][statement]


def test_a_mode_has_to_be_named(spark: SparkSession, table: Path) -> None:
    with pytest.raises(PySparkException, match="UNSUPPORTED_DATA_SOURCE_SAVE_MODE"):
        rows(spark).write.format("deltaresolver").save(f"{table}-new")


def test_a_table_that_only_the_catalog_would_know_is_refused(told: dict[str, Any]) -> None:
    for error in told["made"]:
        assert "DR771" in error
        assert "limits_new" in error
        assert "ds.sql(spark, text)" in error
    assert sorted(told["listed"]) == ["limits_named", "limits_other"]
    assert told["other"] == ""


def test_an_error_of_plain_sql_names_the_function_to_call_instead(told: dict[str, Any]) -> None:
    assert "DR771" in told["altered"]
    for error in (told["altered"], told["read"]):
        assert "ds.sql(spark, text), or ds.enable(spark)" in error
    assert "DATA_SOURCE_NOT_FOUND" in told["read"]


def test_other_threads_read_and_write_through_functions(spark: SparkSession, table: Path) -> None:
    failed: list[BaseException] = []

    def work() -> None:
        try:
            ds.write(rows(spark), table, mode="append")
            assert spark.read.format("deltaresolver").load(str(table)).count() == 8
            assert ds.read(spark, table).count() == 8
        except BaseException as error:  # noqa: BLE001 - handed to the thread that asserts
            failed.append(error)

    thread = threading.Thread(target=work)
    thread.start()
    thread.join()
    assert failed == []
