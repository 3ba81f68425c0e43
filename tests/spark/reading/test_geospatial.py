"""Geometries and geographies, by Spark's own types: a release that has them is needed."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import pytest

import deltaresolver.spark as ds
from deltaresolver.errors import ReadUnsupportedError
from deltaresolver.spark.held_settings import session_settings
from deltaresolver.spark.source.batch.snapshot_read import SnapshotRead
from deltaresolver.spark.source.settings import SourceSettings
from deltaresolver.spark.source.source_options import parse_source_options
from deltaresolver.spark.tables import DeltaTable

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

pytestmark = pytest.mark.spark

POINT = "0101000000000000000000F03F0000000000000040"
OTHER = "010100000000000000000008400000000000001040"


def shown(rows: DataFrame) -> list[tuple[int, str, int, str]]:
    values = ("id", "hex(st_asbinary(g))", "st_srid(g)", "hex(st_asbinary(h))")
    return sorted(tuple(row) for row in rows.selectExpr(*values).collect())


def test_places_are_written_read_and_rewritten(spark: SparkSession, tmp_path: Path) -> None:
    with session_settings(spark, {"spark.sql.geospatial.enabled": "true"}):
        for start, point in ((0, POINT), (2, OTHER)):
            place = f"st_geomfromwkb(X'{point}')"
            columns = ("id", f"st_setsrid({place}, 4326) g", f"st_geogfromwkb(X'{point}') h")
            rows = spark.range(start, start + 2).selectExpr(*columns)
            ds.write(rows.coalesce(1), tmp_path, mode="append")
        table = DeltaTable.forPath(spark, str(tmp_path))
        assert "geospatial" in table.table.protocol.reader_feature_names
        expected = [(0, POINT, 4326, POINT), (1, POINT, 4326, POINT), (2, OTHER, 4326, OTHER), (3, OTHER, 4326, OTHER)]
        assert shown(ds.read(spark, tmp_path)) == expected
        statistics = table.table.snapshot().files().column("stats").to_pylist()
        assert all('"g":0' in each and POINT not in each for each in statistics)
        table.delete("id = 3")
        table.update("id = 2", {"g": f"st_setsrid(st_geomfromwkb(X'{POINT}'), 4326)"})
        table.optimize().executeCompaction()
        assert shown(table.toDF()) == [*expected[:2], (2, POINT, 4326, OTHER)]
    by_source = SnapshotRead(parse_source_options({"path": str(tmp_path)}), SourceSettings())
    with pytest.raises(ReadUnsupportedError, match="g, h"):
        by_source.row_source(by_source.schema())
