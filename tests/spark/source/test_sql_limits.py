"""What Spark does with SQL on format("deltaresolver"): the table in docs/spark.md, row by row."""

from __future__ import annotations

import threading
from pathlib import Path

import pytest
from pyspark.errors import PySparkException
from pyspark.sql import DataFrame, SparkSession

import deltaresolver.spark as ds

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


@pytest.mark.parametrize(
    ("statement", "condition"),
    [
        ("SELECT * FROM deltaresolver.`{path}`", "UNSUPPORTED_DATASOURCE_FOR_DIRECT_QUERY"),
        ("UPDATE limits SET kind = 1", "UNSUPPORTED_FEATURE.TABLE_OPERATION"),
        ("DELETE FROM limits WHERE kind = 1", "does not support deletes"),
        (
            "MERGE INTO limits USING (SELECT 1L AS id) s ON limits.id = s.id WHEN MATCHED THEN DELETE",
            "UNSUPPORTED_FEATURE.TABLE_OPERATION",
        ),
        ("SELECT * FROM limits VERSION AS OF 0", "UNSUPPORTED_FEATURE.TIME_TRAVEL"),
        ("DESCRIBE HISTORY limits", "TABLE_OR_VIEW_NOT_FOUND"),
        ("DESCRIBE DETAIL limits", "TABLE_OR_VIEW_NOT_FOUND"),
    ],
)
def test_a_statement_is_refused_by_spark(spark: SparkSession, table: Path, statement: str, condition: str) -> None:
    with pytest.raises(PySparkException) as caught:
        spark.sql(statement.format(path=table)).collect()
    assert condition in str(caught.value)


def test_a_mode_has_to_be_named(spark: SparkSession, table: Path) -> None:
    with pytest.raises(PySparkException, match="UNSUPPORTED_DATA_SOURCE_SAVE_MODE"):
        rows(spark).write.format("deltaresolver").save(f"{table}-new")


def test_a_table_in_the_catalog_seems_to_work_and_reaches_no_log(spark: SparkSession, table: Path) -> None:
    """Nothing that a Python data source is given lets it refuse; so the page warns."""
    new = f"{table}-new"
    try:
        spark.sql(f"CREATE TABLE limits_new (id BIGINT) USING deltaresolver LOCATION '{new}'")
        spark.sql("ALTER TABLE limits_new SET TBLPROPERTIES ('delta.appendOnly' = 'true')")
        assert not (Path(new) / "_delta_log").exists()
        with pytest.raises(PySparkException, match="PYTHON_DATA_SOURCE_ERROR"):
            spark.sql("SELECT * FROM limits_new").collect()
    finally:
        spark.sql("DROP TABLE IF EXISTS limits_new")


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
