"""A NOT NULL column is shown so where the files are known to hold no null, and only there.

delta-spark shows it by the table's word alone. Where a file of another writer holds a null all the same, Spark then
counts it as a value, finds nothing with IS NULL and fails on a string: `test_changes_beside_delta_spark` has the peer.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import deltaresolver.spark as ds
from deltaresolver.table import Table

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

pytestmark = pytest.mark.spark

DECLARED = "a BIGINT NOT NULL, b STRING NOT NULL, c BIGINT, p INT NOT NULL, s STRUCT<x: INT NOT NULL, y: INT> NOT NULL"


def shown(rows: DataFrame) -> set[str]:
    """The columns that hold no null by the schema; of structs their fields too."""
    found = {field.name for field in rows.schema if not field.nullable}
    nested = [field for field in rows.schema if hasattr(field.dataType, "fields")]
    kinds: list[tuple[str, Any]] = [(field.name, field.dataType) for field in nested]
    return found | {f"{name}.{inner.name}" for name, kind in kinds for inner in kind.fields if not inner.nullable}


def rows_of(spark: SparkSession) -> DataFrame:
    columns = ["id a", "string(id) b", "if(id > 1, id, null) c", "int(id % 2) p", "struct(int(id) x, int(null) y) s"]
    return spark.range(4).selectExpr(*columns)


@pytest.mark.parametrize("properties", [{}, {"delta.columnMapping.mode": "name"}])
def test_an_empty_table_and_a_filled_one_show_not_null(
    spark: SparkSession, tmp_path: Path, properties: dict[str, str]
) -> None:
    Table.create(tmp_path, DECLARED, partition_columns=["p"], properties=properties)
    everything = {"a", "b", "p", "s", "s.x"}
    assert shown(ds.read(spark, tmp_path)) == everything
    ds.write(rows_of(spark), tmp_path, mode="append")
    rows = ds.read(spark, tmp_path)
    assert shown(rows) >= everything - {"s.x"}
    assert sorted(map(tuple, rows.select("a", "b", "c", "p", "s.x").collect())) == [
        (0, "0", None, 0, 0),
        (1, "1", None, 1, 1),
        (2, "2", 2, 0, 2),
        (3, "3", 3, 1, 3),
    ]
    assert rows.where("a IS NULL OR p IS NULL").count() == 0
    assert rows.where("a > 1 AND p = 1").count() == 1
    ds.delete(spark, tmp_path, "a = 0")
    assert ds.read(spark, tmp_path).selectExpr("sum(a)", "count(b)", "count(s)").first() == (6, 3, 3)


def test_filters_still_reach_the_files(spark: SparkSession, tmp_path: Path) -> None:
    Table.create(tmp_path, "a BIGINT NOT NULL")
    ds.write(spark.range(9).selectExpr("id a"), tmp_path, mode="append")
    plan: Any = ds.read(spark, tmp_path).where("a > 5")
    assert "GreaterThan(a,5)" in plan._jdf.queryExecution().executedPlan().toString()


def holding_nulls(path: Path, stats: dict[str, Any] | None) -> None:
    """A table whose file breaks its NOT NULL, as writers that check nothing leave it."""
    (path / "_delta_log").mkdir(parents=True)
    columns = {"a": pa.array([1, None, 3], pa.int64()), "b": pa.array(["x", None, "z"])}
    pq.write_table(pa.table(columns), path / "f.parquet")
    fields = [
        {"name": name, "type": kind, "nullable": False, "metadata": {}}
        for name, kind in (("a", "long"), ("b", "string"))
    ]
    add = {"path": "f.parquet", "partitionValues": {}, "size": (path / "f.parquet").stat().st_size}
    add |= {"modificationTime": 1, "dataChange": True, **({} if stats is None else {"stats": json.dumps(stats)})}
    metadata = {
        "id": "i",
        "format": {"provider": "parquet", "options": {}},
        "partitionColumns": [],
        "configuration": {},
    }
    metadata["schemaString"] = json.dumps({"type": "struct", "fields": fields})
    actions = [{"protocol": {"minReaderVersion": 1, "minWriterVersion": 2}}, {"metaData": metadata}, {"add": add}]
    (path / "_delta_log" / f"{0:020}.json").write_text("".join(json.dumps(action) + "\n" for action in actions))


@pytest.mark.parametrize(
    ("stats", "expected"),
    [
        (None, set()),
        ({"numRecords": 3}, set()),
        ({"numRecords": 3, "nullCount": {"a": 1, "b": 1}}, set()),
        ({"numRecords": 3, "nullCount": {"a": 1}}, set()),
    ],
)
def test_nulls_that_should_not_be_there_are_shown(
    spark: SparkSession, tmp_path: Path, stats: dict[str, Any] | None, expected: set[str]
) -> None:
    holding_nulls(tmp_path / "t", stats)
    rows = ds.read(spark, tmp_path / "t")
    assert shown(rows) == expected
    assert list(map(tuple, rows.collect())) == [(1, "x"), (None, None), (3, "z")]
    assert rows.where("a IS NULL").count() == rows.where("b IS NULL").count() == 1
    assert rows.selectExpr("count(a)", "count(b)", "sum(a)").first() == (2, 2, 4)
    ds.register(spark)
    by_source = spark.read.format("deltaresolver").load(str(tmp_path / "t"))
    assert shown(by_source) == set()
    assert sorted(map(str, by_source.collect())) == sorted(map(str, rows.collect()))
    assert by_source.where("a IS NULL").count() == by_source.where("b IS NULL").count() == 1
    assert ds.delete(spark, tmp_path / "t", "a IS NULL") is not None
    assert list(map(tuple, ds.read(spark, tmp_path / "t").collect())) == [(1, "x"), (3, "z")]


@pytest.mark.parametrize("text", ["", "x", "99999999999", "007"])
def test_partition_values_that_cannot_be_read_show_no_not_null(spark: SparkSession, tmp_path: Path, text: str) -> None:
    Table.create(tmp_path, "a BIGINT, p INT NOT NULL", partition_columns=["p"])
    ds.write(spark.range(2).selectExpr("id a", "int(1) p"), tmp_path, mode="append")
    assert shown(ds.read(spark, tmp_path)) == {"p"}
    file = tmp_path / "_delta_log" / f"{1:020}.json"
    file.write_text(file.read_text().replace('"p":"1"', f'"p":"{text}"'))
    for checksum in file.parent.glob("*.crc"):
        checksum.unlink()
    rows = ds.read(spark, tmp_path)
    assert shown(rows) == set()
    assert rows.where("p IS NULL").count() == (0 if text == "007" else 2)
