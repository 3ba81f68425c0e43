"""Data files of mapped tables say which column has which id: readers that go by ids would else find null everywhere."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import pyarrow.parquet as pq
import pytest

import deltaresolver.spark as ds

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

WRITES_IDS = "spark.sql.parquet.fieldId.write.enabled"


@pytest.mark.spark
@pytest.mark.parametrize("mode", ["id", "name"])
def test_a_session_that_writes_no_ids_writes_them_into_mapped_tables(
    spark: SparkSession, tmp_path: Path, mode: str
) -> None:
    path = tmp_path / "t"
    rows = spark.range(0, 4, 1, 1).selectExpr("id", "named_struct('a', id) st")
    properties = {"delta.columnMapping.mode": mode, "delta.enableChangeDataFeed": "true"}
    spark.conf.set(WRITES_IDS, "false")
    try:
        ds.write(rows, path, mode="append", properties=properties)
        ds.update(spark, path, {"id": "id + 10"}, "id = 1")
        assert spark.conf.get(WRITES_IDS) == "false"
    finally:
        spark.conf.unset(WRITES_IDS)
    files = [pq.read_schema(file) for file in path.rglob("*.parquet") if "_delta_log" not in file.parts]
    assert {"_change_type" in schema.names for schema in files} == {True, False}
    for schema in files:
        own = [field for field in schema if field.name != "_change_type"]
        fields = [*own, *(field.type.field(0) for field in own if field.type.num_fields)]
        assert all(b"PARQUET:field_id" in (field.metadata or {}) for field in fields), schema
