"""Columns that statements call by another case than the table does."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import pytest

import deltaresolver.spark as ds

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

pytestmark = pytest.mark.spark


@pytest.mark.parametrize("condition", ["t.id = s.id", "t.ID = s.ID AND t.kEy = s.key", "s.id = t.iD AND t.Id = s.id"])
def test_a_merge_finds_columns_in_any_case(spark: SparkSession, tmp_path: Path, condition: str) -> None:
    path = tmp_path / "t"
    ds.write(spark.range(6).selectExpr("id AS Id", "id % 2 AS Key", "id AS W"), path, partition_by="Key")
    source = spark.range(4, 8).selectExpr("id", "id % 2 AS key", "7L AS w").alias("s")
    merge = ds.DeltaTable.forPath(spark, path).alias("t").merge(source, condition)
    counts = merge.whenMatchedUpdateAll().whenNotMatchedInsertAll().execute().first()
    assert counts is not None
    assert (counts.num_updated_rows, counts.num_inserted_rows) == (2, 2)
    expected = [(each, each % 2, 7 if each > 3 else each) for each in range(8)]
    assert sorted(tuple(row) for row in ds.read(spark, path).collect()) == expected
