"""The ten days that the legacy calendar lacks, 1582-10-05 to 1582-10-14, are days like any other for statements.

Spark's readers are handed 1582-10-15 instead, by which they pass over files that hold the day.
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import pytest

import deltaresolver.spark as ds

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

pytestmark = pytest.mark.spark

DAYS = ("1582-10-04", "1582-10-10", "1582-10-12", "1582-10-15", "2024-01-01")
CLOCK = "11:11:11.000001"
MOMENT = f"t = TIMESTAMP'1582-10-10 {CLOCK}'"
CONDITIONS = ("d > DATE'1582-10-10' AND d < DATE'1582-10-15'", MOMENT)


@pytest.fixture
def rows(spark: SparkSession) -> DataFrame:
    """Each day in a file of its own."""
    listed = ", ".join(f"({place}, DATE'{day}', TIMESTAMP'{day} {CLOCK}')" for place, day in enumerate(DAYS))
    return spark.sql(f"SELECT * FROM VALUES {listed} AS (p, d, t)").repartition(len(DAYS))


def numbers(frame: DataFrame) -> list[int]:
    return sorted(row["p"] for row in frame.select("p").collect())


def test_statements_find_rows_of_these_days(spark: SparkSession, rows: DataFrame, tmp_path: Path) -> None:
    path = str(tmp_path / "t")
    ds.write(rows, path, mode="append", partition_by=["p"])
    earlier = spark.conf.get("spark.sql.datetime.java8API.enabled")
    table = ds.DeltaTable.forPath(spark, path)
    table.update(MOMENT, {"t": "NULL"})
    assert numbers(ds.read(spark, path).where("t IS NULL")) == [1]
    source = spark.sql("SELECT DATE'1582-10-12' d, TIMESTAMP'2000-01-01 00:00:00' t")
    table.alias("t").merge(source.alias("s"), "t.d = s.d").whenMatchedUpdate(set={"t": "s.t"}).whenNotMatchedInsert(
        values={"p": "99", "d": "s.d", "t": "s.t"}
    ).execute()
    assert numbers(ds.read(spark, path).where("year(t) = 2000")) == [2]
    ds.write(rows.where("p = 1"), path, mode="overwrite", options={"replaceWhere": "d = DATE'1582-10-10'"})
    assert numbers(ds.read(spark, path)) == list(range(len(DAYS)))
    table.delete(CONDITIONS[0])
    assert numbers(ds.read(spark, path)) == [0, 1, 3, 4]
    assert spark.conf.get("spark.sql.datetime.java8API.enabled") == earlier


def test_the_data_source_finds_rows_of_these_days(spark: SparkSession, rows: DataFrame, tmp_path: Path) -> None:
    path = str(tmp_path / "t")
    ds.register(spark)
    ds.write(rows, path, mode="append")
    for condition in CONDITIONS:
        found = spark.read.format("deltaresolver").load(path).where(condition)
        assert numbers(found) == numbers(rows.where(condition)), condition
