"""`_metadata` of rows that come from one scan or from several."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import pytest

import deltaresolver.spark as ds
from deltaresolver.table import Table

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

pytestmark = pytest.mark.spark
VECTORS, MAPPED = {"delta.enableDeletionVectors": "true"}, {"delta.columnMapping.mode": "name"}


@pytest.mark.parametrize(
    ("properties", "partition_by"),
    [({}, ()), (VECTORS, ()), ({**VECTORS, **MAPPED}, "p")],
    ids=["one scan", "some files have vectors", "partitions and vectors"],
)
def test_each_row_names_its_file(
    spark: SparkSession, tmp_path: Path, properties: dict[str, str], partition_by: str | tuple[str, ...]
) -> None:
    path = str(tmp_path / "a table")
    for start in (0, 10):
        rows = spark.range(start, start + 6).selectExpr("id", "cast(id % 2 as int) p", "'m' _metadata_").coalesce(1)
        ds.write(rows, path, mode="append", partition_by=partition_by, properties={} if start else properties)
    ds.delete(spark, path, "id = 1")
    rows = ds.read(spark, path)
    assert rows.columns == ["id", "p", "_metadata_"]
    wanted = ("id", "_metadata.file_path", "_metadata.file_name", "_metadata.row_index")
    found = rows.where("_metadata.row_index >= 0").select(*wanted).collect()
    files = Table(path).snapshot().files().column("path").to_pylist()
    assert sorted(row.id for row in found) == [0, 2, 3, 4, 5, *range(10, 16)]
    assert {row.file_name for row in found} == {file.rpartition("/")[2] for file in files}
    assert len({(row.file_path, row.row_index) for row in found}) == len(found)
    assert rows.groupBy("_metadata.file_path").count().count() == len(files)
    assert rows.select("*").columns == rows.columns
    assert rows.union(rows).distinct().count() == len(found)


def test_a_column_called_metadata_shows_the_tables_own_values(spark: SparkSession, tmp_path: Path) -> None:
    path = str(tmp_path / "t")
    for start in (0, 10):
        rows = spark.range(start, start + 4).selectExpr("id", "id + 1 _metadata").coalesce(1)
        ds.write(rows, path, mode="append", properties={} if start else VECTORS)
    ds.delete(spark, path, "id = 1")
    assert sorted(row[0] for row in ds.read(spark, path).select("_metadata").collect()) == [1, 3, 4, 11, 12, 13, 14]
