"""Data files whose names Spark hides: their rows are not missed in silence, and there is a way to have them back."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from pyspark.errors import PySparkException

import deltaresolver.spark as ds
from deltaresolver.errors import HiddenDataFileError
from deltaresolver.spark.reading.data_files import is_hidden
from tests.nasty import HIDDEN_FILE_NAMES

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

pytestmark = pytest.mark.spark

ROWS = [0, 1, 2, 3]
Use = Callable[["SparkSession", Path], object]


def renamed(path: Path, name: str) -> None:
    """The only data file gets another name, on disk and in the log."""
    (file,) = path.glob("w*/*.parquet")
    log = path / "_delta_log" / f"{0:020}.json"
    log.write_text(log.read_text().replace(file.name, name))
    file.rename(file.with_name(name))
    for checksum in log.parent.glob("*.crc"):
        checksum.unlink()


def ids(spark: SparkSession, path: Path) -> list[int]:
    ds.register(spark)
    return sorted(row.id for row in spark.read.format("deltaresolver").load(str(path)).collect())


def merge(spark: SparkSession, path: Path) -> None:
    target = ds.DeltaTable.forPath(spark, path).alias("t")
    target.merge(spark.range(4).alias("s"), "t.id = s.id").whenNotMatchedInsertAll().execute()


USES: dict[str, Use] = {
    "read": lambda spark, path: ds.read(spark, path).collect(),
    "where": lambda spark, path: ds.read(spark, path, where="id = 1").collect(),
    "delete": lambda spark, path: ds.DeltaTable.forPath(spark, path).delete("id = 1"),
    "update": lambda spark, path: ds.DeltaTable.forPath(spark, path).update("id = 1", {"id": "7"}),
    "merge": merge,
    "replaceWhere": lambda spark, path: ds.write(
        spark.range(1, 2), path, mode="overwrite", options={"replaceWhere": "id = 1"}
    ),
}


@pytest.mark.parametrize("name", HIDDEN_FILE_NAMES)
def test_no_row_of_a_hidden_file_is_missed_in_silence(spark: SparkSession, tmp_path: Path, name: str) -> None:
    path = tmp_path / "t"
    ds.write(spark.range(4).coalesce(1), path)
    renamed(path, name)
    assert ids(spark, path) == ROWS
    for what, use in USES.items():
        with pytest.raises(HiddenDataFileError, match="Spark does not read the data file") as raised:
            use(spark, path)
        assert raised.value.details["file"].endswith(name), what
    assert ids(spark, path) == ROWS
    assert ds.DeltaTable.forPath(spark, path).table.update().table_version == 0


def test_overwritten_with_its_own_rows_such_a_table_is_like_any_other(spark: SparkSession, tmp_path: Path) -> None:
    path = tmp_path / "t"
    ds.write(spark.range(4).coalesce(1), path)
    renamed(path, HIDDEN_FILE_NAMES[0])
    assert ids(spark, path) == ROWS
    ds.write(spark.read.format("deltaresolver").load(str(path)), path, mode="overwrite")
    ds.DeltaTable.forPath(spark, path).delete("id = 1")
    assert ids(spark, path) == [0, 2, 3]


@pytest.mark.parametrize(
    "name", [*HIDDEN_FILE_NAMES, "_metadata_1", "_common_metadata", "_a=b.parquet", "part-0.parquet", "._a=b", "a._x"]
)
def test_spark_hides_what_is_said_to_be_hidden(spark: SparkSession, tmp_path: Path, name: str) -> None:
    spark.range(4).coalesce(1).write.parquet(str(tmp_path / "made"))
    (file,) = (tmp_path / "made").glob("*.parquet")
    file.rename(tmp_path / name)
    try:
        found = spark.read.schema("id bigint").parquet(str(tmp_path / name)).count()
    except PySparkException:
        found = 0
    assert (found == 0) is is_hidden(name)
