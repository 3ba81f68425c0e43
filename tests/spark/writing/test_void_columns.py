"""Columns of nulls alone, of type VOID: in the schema and in no file, until a write or ALTER gives them a type."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import pyarrow.parquet as pq
import pytest

import deltaresolver.spark as ds
from deltaresolver.errors import DeltaResolverError, WriteSchemaMismatchError

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

pytestmark = pytest.mark.spark

ROWS = "1 AS id, null AS v, named_struct('x', null, 'y', 2) AS s"


def columns_in_files(table: Path) -> set[str]:
    return {name for file in table.rglob("*.parquet") for name in pq.read_schema(file).names}


@pytest.mark.parametrize("mapping", ["none", "name"])
def test_void_columns_are_in_no_file_and_read_as_null(spark: SparkSession, tmp_path: Path, mapping: str) -> None:
    properties = {} if mapping == "none" else {"delta.columnMapping.mode": mapping}
    ds.write(spark.sql(f"SELECT {ROWS}"), tmp_path / "t", properties=properties)
    ds.write(spark.sql("SELECT 2 AS id"), tmp_path / "t", mode="append")
    found = ds.read(spark, tmp_path / "t")
    assert found.schema.simpleString() == "struct<id:int,v:void,s:struct<x:void,y:int>>"
    assert sorted(map(str, found.collect())) == ["Row(id=1, v=None, s=Row(x=None, y=2))", "Row(id=2, v=None, s=None)"]
    assert len(columns_in_files(tmp_path / "t")) == 2
    ds.update(spark, tmp_path / "t", {"id": "id + 10"}, "id = 1")
    assert sorted(row["id"] for row in ds.read(spark, tmp_path / "t").collect()) == [2, 11]


def test_a_void_column_gets_a_type(spark: SparkSession, tmp_path: Path) -> None:
    ds.write(spark.sql(f"SELECT {ROWS}"), tmp_path / "t")
    text = spark.sql("SELECT 2 AS id, 'x' AS v")
    with pytest.raises(WriteSchemaMismatchError):
        ds.write(text, tmp_path / "t", mode="append")
    ds.write(text, tmp_path / "t", mode="append", options={"mergeSchema": "true"})
    ds.sql(spark, f"ALTER TABLE delta.`{tmp_path}/t` ALTER COLUMN s.x TYPE STRING")
    found = ds.read(spark, tmp_path / "t")
    assert found.schema.simpleString() == "struct<id:int,v:string,s:struct<x:string,y:int>>"
    assert {row["v"] for row in found.collect()} == {None, "x"}


@pytest.mark.parametrize(
    ("rows", "condition"),
    [
        ("null AS v", "DELTA_CANNOT_WRITE_EMPTY_SCHEMA.TABLE_ALL_VOID_COLUMNS"),
        ("1 AS id, named_struct('x', null) AS s", "DELTA_CANNOT_WRITE_EMPTY_SCHEMA.STRUCT_ALL_VOID_FIELDS"),
        ("1 AS id, array(null) AS a", "DELTA_COMPLEX_TYPE_COLUMN_CONTAINS_NULL_TYPE"),
        ("1 AS id, named_struct('a', array(struct(null AS x))) AS s", "DELTA_COMPLEX_TYPE_COLUMN_CONTAINS_NULL_TYPE"),
        ("1 AS id, map('k', null) AS m", "DELTA_COMPLEX_TYPE_COLUMN_CONTAINS_NULL_TYPE"),
    ],
)
def test_what_no_file_can_hold_is_refused(spark: SparkSession, tmp_path: Path, rows: str, condition: str) -> None:
    with pytest.raises(WriteSchemaMismatchError) as raised:
        ds.write(spark.sql(f"SELECT {rows}"), tmp_path / "t")
    assert raised.value.delta_condition == condition
    assert not (tmp_path / "t" / "_delta_log").exists()


def test_a_partition_column_has_a_type(spark: SparkSession, tmp_path: Path) -> None:
    with pytest.raises(DeltaResolverError) as raised:
        ds.write(spark.sql("SELECT 1 AS id, null AS p"), tmp_path / "t", partition_by="p")
    assert raised.value.delta_condition == "DELTA_INVALID_PARTITION_COLUMN_TYPE"


def test_the_data_source_takes_nulls_for_columns_with_a_type_alone(spark: SparkSession, tmp_path: Path) -> None:
    ds.register(spark)
    ds.write(spark.sql("SELECT 1 AS id, 'a' AS v"), tmp_path / "t")
    spark.sql("SELECT 2 AS id, null AS v").write.format("deltaresolver").mode("append").save(str(tmp_path / "t"))
    assert ds.read(spark, tmp_path / "t").count() == 2
    with pytest.raises(Exception, match="have no type, only null"):
        spark.sql("SELECT 2 AS id, null AS v").write.format("deltaresolver").mode("append").save(str(tmp_path / "n"))
