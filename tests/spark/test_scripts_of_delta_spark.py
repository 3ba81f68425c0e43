"""What delta-spark's own scripts do and this library once did otherwise; tests/peers/checkout runs them all."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

import deltaresolver.spark as ds
from deltaresolver.errors import ConcurrentAppendError, ReadOptionInvalidError, VacuumRetentionTooShortError
from deltaresolver.expressions.text.shown_predicate import shown_predicate
from deltaresolver.spark import exceptions
from deltaresolver.spark.held_settings import session_settings
from deltaresolver.spark.tables import DeltaTable

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

pytestmark = pytest.mark.spark

RETENTION_CHECK = "spark.databricks.delta.retentionDurationCheck.enabled"


@pytest.fixture
def table(spark: SparkSession, tmp_path: Path) -> DeltaTable:
    ds.write(spark.range(4).selectExpr("id", "id % 2 p"), tmp_path / "t", partition_by="p")
    return DeltaTable.forPath(spark, str(tmp_path / "t"))


def test_a_setting_counts_from_the_next_statement_on(spark: SparkSession, table: DeltaTable) -> None:
    with pytest.raises(VacuumRetentionTooShortError):
        table.vacuum(0)
    with session_settings(spark, {RETENTION_CHECK: "false"}):
        assert table.vacuum(0).count() == 0
    with pytest.raises(VacuumRetentionTooShortError):
        table.vacuum(0)


def test_the_session_holds_the_version_of_the_last_commit(spark: SparkSession, table: DeltaTable) -> None:
    table.delete("id = 1")
    assert spark.conf.get("spark.databricks.delta.lastCommitVersionInSession") == "1"
    table.delete("id = 1")
    assert spark.conf.get("spark.databricks.delta.lastCommitVersionInSession") == "1"
    ds.sql(spark, f"ALTER TABLE delta.`{table.table.log.store.location}` SET TBLPROPERTIES (a = 'b')")
    assert spark.conf.get("spark.databricks.delta.lastCommitVersionInSession") == "2"


def test_convert_works_as_a_statement(spark: SparkSession, tmp_path: Path) -> None:
    spark.range(4).selectExpr("id", "id % 2 p").write.partitionBy("p").parquet(str(tmp_path / "a b"))
    ds.sql(spark, f"CONVERT TO DELTA parquet.`{tmp_path}/a b` PARTITIONED BY (p INT)")
    assert sorted(map(tuple, ds.read(spark, tmp_path / "a b").collect())) == [(0, 0), (1, 1), (2, 0), (3, 1)]


def test_generate_takes_its_mode_in_capitals(table: DeltaTable) -> None:
    table.generate("SYMLINK_FORMAT_MANIFEST")
    assert (Path(table.table.log.store.location) / "_symlink_format_manifest" / "p=0" / "manifest").exists()


def test_an_invalid_timestamp_is_refused_as_delta_spark_does(table: DeltaTable) -> None:
    with pytest.raises(ReadOptionInvalidError) as error:
        table.restoreToTimestamp("05/04/1999")
    assert "The provided timestamp ('05/04/1999') cannot be converted to a valid timestamp" in str(error.value)


def test_optimize_notes_its_condition_as_spark_prints_it(spark: Any, table: DeltaTable) -> None:
    table.optimize().where("p = 1").executeCompaction()
    parser = spark._jsparkSession.sessionState().sqlParser()
    for text in (
        "p = 1",
        "p IS NOT NULL",
        "p in ('a', 'b')",
        "NOT (p <= 2)",
        "a = 1 and (b < 2 or c <=> true)",
        "p != 3",
    ):
        assert shown_predicate(text) == parser.parseExpression(text).simpleString(25)


def test_errors_have_the_names_of_delta_exceptions() -> None:
    assert exceptions.ConcurrentAppendException is ConcurrentAppendError
    for name in exceptions.__all__:
        kind = getattr(exceptions, name)
        assert issubclass(kind, exceptions.DeltaConcurrentModificationException)
        assert kind.default_delta_class == name.removeprefix("Delta")
