"""What CONVERT takes from names of folders and from footers that others wrote."""

from __future__ import annotations

import decimal
import pickle
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import given
from hypothesis import strategies as st

from deltaresolver.errors import ConversionError, ConversionSourceError, PartitionFoldersError
from deltaresolver.log.names import NULL_FOLDER
from deltaresolver.log.storage.local_store import LocalStore
from deltaresolver.model.schema import StructField
from deltaresolver.spark.maintenance.convert.footers import (
    UNBOUNDED,
    ForeignStatistics,
    SchemaReading,
    ensure_readable,
    trusted_shape,
)
from deltaresolver.spark.maintenance.convert.partitions import partition_values
from deltaresolver.spark.maintenance.convert.source import SourceName, source_named
from deltaresolver.spark.writing.data_folder import WrittenFile
from deltaresolver.spark.writing.statistics.file_statistics import COLLECTION, IndexedColumn, StatisticsShape

DAY, HOUR = StructField("day", "string"), StructField("Hour", "integer")


@pytest.mark.parametrize(
    ("identifier", "expected"),
    [
        ("parquet.`/a b`", SourceName("parquet", "/a b")),
        (" PARQUET . `s3://b/x` ", SourceName("parquet", "s3://b/x")),
        ("delta.`/a``b`", SourceName("delta", "/a`b")),
        ("`parquet`.`/a b`", SourceName("parquet", "/a b")),
    ],
)
def test_a_source_is_named_by_a_path_in_quotes(identifier: str, expected: SourceName) -> None:
    assert source_named(identifier) == expected


@pytest.mark.parametrize(
    "identifier", ["", "events", "db.events", "iceberg.`/x`", "`/x`", "orc.`/x`", "parquet.``", "`parquet.`/x`"]
)
def test_what_is_not_a_folder_of_parquet_files_is_refused(identifier: str) -> None:
    with pytest.raises(ConversionSourceError, match="only supports parquet tables"):
        source_named(identifier)


def test_partition_values_are_taken_from_the_innermost_folders() -> None:
    assert partition_values("day=a%2Fb/hour=1/x.parquet", [DAY, HOUR]) == {"day": "a/b", "Hour": "1"}
    assert partition_values(f"y/day={NULL_FOLDER}/z/x.parquet", [DAY]) == {"day": None}
    assert partition_values("a/x.parquet", []) == {}


@pytest.mark.parametrize(
    ("path", "declared"),
    [
        ("day=1/x", []),
        ("x", [DAY]),
        ("hour=1/day=2/x", [DAY, HOUR]),
        ("day=1/y/hour=1/x", [DAY, HOUR]),
        ("day=/x", [DAY]),
        ("=1/x", [DAY]),
    ],
)
def test_folders_that_are_not_as_declared_are_refused(path: str, declared: list[StructField]) -> None:
    with pytest.raises(PartitionFoldersError):
        partition_values(path, declared)


def test_names_may_be_told_apart_by_case() -> None:
    with pytest.raises(PartitionFoldersError, match="found partition column Day"):
        partition_values("Day=1/x", [DAY], is_case_sensitive=True)


def shape_of(*columns: tuple[str, str]) -> StatisticsShape:
    return StatisticsShape(tuple(IndexedColumn((name,), kind) for name, kind in columns))


def kept(path: Path, table: pa.Table, *columns: tuple[str, str]) -> dict[str, str]:
    pq.write_table(table, path)
    return {column.path[0]: column.type for column in trusted_shape(pq.read_metadata(path), shape_of(*columns)).columns}


def test_bounds_are_taken_over_only_where_they_mean_what_spark_means(tmp_path: Path) -> None:
    table = pa.table(
        {
            "u": pa.array([1], pa.uint32()),
            "ms": pa.array([1], pa.timestamp("ms")),
            "us": pa.array([1], pa.timestamp("us", "UTC")),
            "f": [1.0],
            "n": [decimal.Decimal("1.5")],
            "l": [[1]],
            "B": [1],
        }
    )
    kinds = (
        ("u", "long"),
        ("ms", "timestamp_ntz"),
        ("us", "timestamp"),
        ("f", "double"),
        ("n", "decimal(2,1)"),
        ("l", COLLECTION),
        ("b", "long"),
        ("gone", "long"),
    )
    expected = {"u": UNBOUNDED, "ms": UNBOUNDED, "us": "timestamp", "f": UNBOUNDED, "n": "decimal(2,1)", "gone": "long"}
    assert kept(tmp_path / "x", table, *kinds) == expected
    assert kept(tmp_path / "y", table, ("n", "decimal(3,1)")) == {"n": UNBOUNDED}


@given(st.lists(st.none() | st.floats(width=64), max_size=8))
def test_no_statistic_excludes_a_value_of_the_file(
    tmp_path_factory: pytest.TempPathFactory, found: list[float]
) -> None:
    folder = tmp_path_factory.mktemp("x")
    pq.write_table(pa.table({"x": pa.array(found, pa.float64())}), folder / "f")
    reading = ForeignStatistics(LocalStore(folder), shape_of(("x", "double")))
    text = reading.statistics(WrittenFile("f", (folder / "f").stat().st_size, 0))
    assert f'"numRecords":{len(found)}' in text
    assert "minValues" not in text
    assert not any(np.isnan(each or 0.0) and "max" in text for each in found)


def test_a_file_that_is_not_parquet_is_named_by_tasks_too(tmp_path: Path) -> None:
    (tmp_path / "notes.txt").write_text("hello, world" * 10)
    (tmp_path / "empty").write_bytes(b"")
    pq.write_table(pa.table({"x": [1]}), tmp_path / "good")
    reading = pickle.loads(pickle.dumps(SchemaReading(LocalStore(tmp_path), shape_of())))
    files = {path.name: path.stat().st_size for path in tmp_path.iterdir()}
    batch = pa.RecordBatch.from_pydict({"path": list(files), "size": list(files.values())})
    (found,) = reading.in_batches([batch])
    texts = dict(zip(found.column("path").to_pylist(), found.column("stats").to_pylist(), strict=True))
    for name in ("empty", "notes.txt"):
        with pytest.raises(ConversionError, match=name):
            ensure_readable("/lake", texts)
        del texts[name]
    ensure_readable("/lake", texts)
