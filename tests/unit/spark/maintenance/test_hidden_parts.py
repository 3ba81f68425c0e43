"""Which files REORG PURGE writes again for a column that the table has no more."""

from __future__ import annotations

from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from deltaresolver.model.metadata import Metadata
from deltaresolver.model.schema import ArrayType, MapType, StructField, StructType
from deltaresolver.spark.maintenance.hidden_parts import has_others, own_columns
from deltaresolver.spark.schema import physical_schema

SCHEMA = StructType(
    (
        StructField("id", "long"),
        StructField("s", StructType((StructField("A b", "long"),))),
        StructField("l", ArrayType(StructType((StructField("x", "long"),)))),
        StructField("m", MapType("string", StructType((StructField("x", "long"),)))),
        StructField("p", "string"),
    )
)
TABLE = Metadata("t", partition_columns=("p",)).with_schema(SCHEMA)


ITEMS = pa.list_(pa.struct({"x": pa.int64()}))
ENTRIES = pa.map_(pa.string(), pa.struct({"x": pa.int64()}))
LARGER_ITEMS = pa.list_(pa.struct({"x": pa.int64(), "gone": pa.int64()}))
LARGER_ENTRIES = pa.map_(pa.string(), pa.struct({"x": pa.int64(), "gone": pa.int64()}))


def columns_of(path: Path, **columns: pa.Array) -> pa.Schema:
    pq.write_table(pa.table(columns), path)
    return pq.read_metadata(path).schema.to_arrow_schema()


@pytest.mark.parametrize(
    ("columns", "expected"),
    [
        ({"id": pa.array([1])}, False),
        ({"ID": pa.array([1]), "p": pa.array(["x"])}, False),
        ({"s": pa.array([{"A b": 1}])}, False),
        ({"s": pa.array([{"A b": 1, "gone": 2}])}, True),
        ({"l": pa.array([[{"x": 1}]], ITEMS), "m": pa.array([[("k", {"x": 1})]], ENTRIES)}, False),
        ({"l": pa.array([[]], LARGER_ITEMS)}, True),
        ({"m": pa.array([[]], LARGER_ENTRIES)}, True),
        ({"id": pa.array([1]), "gone": pa.array([1])}, True),
        ({"id.x": pa.array([1])}, True),
    ],
)
def test_columns_besides_those_of_the_table(tmp_path: Path, columns: dict[str, pa.Array], expected: bool) -> None:
    assert has_others(columns_of(tmp_path / "f", **columns), physical_schema(TABLE), own_columns(TABLE)) is expected


def test_ids_kept_in_files_are_the_tables(tmp_path: Path) -> None:
    names = {
        "delta.enableRowTracking": "true",
        "delta.rowTracking.materializedRowIdColumnName": "_row-id-col-1",
        "delta.rowTracking.materializedRowCommitVersionColumnName": "_row-commit-version-col-1",
    }
    found = columns_of(tmp_path / "f", **{"id": pa.array([1]), "_row-id-col-1": pa.array([1])})
    assert has_others(found, physical_schema(TABLE), own_columns(TABLE))
    assert not has_others(found, physical_schema(TABLE), own_columns(TABLE.with_configuration(names)))
