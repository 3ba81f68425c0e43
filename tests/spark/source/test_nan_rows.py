"""Rows are found again by every comparison of fractions: NaN is Spark's greatest number, and -0.0 equals 0.0."""

from __future__ import annotations

import math
from functools import reduce
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

import deltaresolver.spark as ds
from deltaresolver.spark.held_settings import session_settings

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

pytestmark = pytest.mark.spark

LITERALS = (math.nan, math.inf, 0.0, -0.0, 1.5)
FILES = ((-0.0,) * 3, (0.0,) * 3, (1.5, math.nan), (math.nan, math.inf, -math.inf))
"""Equal numbers make a dictionary; each tuple goes to a file of its own."""
RECORDS_BY_PARQUET = {
    "spark.sql.parquet.enableVectorizedReader": "false",
    "spark.sql.parquet.recordLevelFilter.enabled": "true",
}
"""Settings by which Parquet's own reader leaves rows out that do not satisfy a filter."""
COLUMNS = (("d", "="), ("f", ">="), ("s.x", "<=>"), ("d", "<>"))
TEXTS = [f"{name} {operator} double('{each}')" for each in LITERALS for name, operator in COLUMNS]


@pytest.mark.parametrize("way", ["data source", "DataFrame API"])
def test_rows_are_found_by_every_comparison(spark: SparkSession, tmp_path: Path, way: str) -> None:
    pairs = [(place, value) for place, values in enumerate(FILES) for value in values]
    rows = spark.createDataFrame(pairs, "p int, d double")
    rows = rows.selectExpr("p", "d", "cast(d as float) f", "named_struct('x', d) s")
    path = str(tmp_path / "t")
    ds.register(spark)
    if way == "DataFrame API":
        ds.write(rows.repartition(1), path, mode="append", partition_by=["p"])
    else:
        options = {"partitionBy": "p", "delta.columnMapping.mode": "id"}
        rows.coalesce(1).write.format("deltaresolver").mode("append").options(**options).save(path)
    expected = _found(rows, TEXTS)
    assert expected["d = double('nan')"] == 2
    assert _found(ds.read(spark, path), TEXTS) == expected
    # The data source plans every filter in a process of its own.
    few = TEXTS[:1]
    assert _found(spark.read.format("deltaresolver").load(path), few) == {text: expected[text] for text in few}


def test_statements_find_zeros_of_either_sign_whatever_parquet_compares_by(spark: SparkSession, tmp_path: Path) -> None:
    rows = spark.sql(
        "SELECT * FROM VALUES (1, -0.0D, float('-0.0')), (2, 0.0D, float('0.0')), (3, 1.5D, 1.5F) AS (p, d, f)"
    )
    path = str(tmp_path / "t")
    ds.write(rows.coalesce(1), path)
    table = ds.DeltaTable.forPath(spark, path)
    with session_settings(spark, RECORDS_BY_PARQUET):
        table.update("d = 0.0D", {"p": "p + 10"})
        source = spark.sql("SELECT 0.0D d").alias("s")
        merge = table.alias("t").merge(source, "t.d = 0.0D AND t.d = s.d AND t.p > 10")
        merge.whenMatchedUpdate(set={"p": "t.p + 10"}).whenNotMatchedInsert(values={"p": "99"}).execute()
        new = spark.sql("SELECT 21 p, 0.0D d, 1.5F f")
        ds.write(new, path, mode="overwrite", options={"replaceWhere": "d = 0.0D AND p = 21"})
        table.delete("f = float('0.0')")
    assert sorted(row.p for row in ds.read(spark, path).collect()) == [3, 21]


def _found(frame: DataFrame, texts: list[str]) -> dict[str, int]:
    """How many rows each comparison finds, each as a filter of its own over the files."""
    counts = [frame.where(text).selectExpr("count(1) AS rows", f"{place} AS place") for place, text in enumerate(texts)]
    together = reduce(lambda one, other: one.unionAll(other), counts).collect()
    return {texts[row["place"]]: row["rows"] for row in together}
