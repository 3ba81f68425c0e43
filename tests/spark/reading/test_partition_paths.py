"""Paths into a table: `t/p=1` means the rows of that partition; only reading takes it."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING
from urllib.parse import quote

import pytest

import deltaresolver.spark as ds
from deltaresolver.errors import LocationInvalidError, ReadOptionInvalidError
from deltaresolver.spark.tables import DeltaTable

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

pytestmark = pytest.mark.spark

VALUES = ("1", "a b", "x=y", "50%", "ä/ö", "it's", "\\n")


@pytest.fixture
def table(spark: SparkSession, tmp_path: Path) -> Path:
    # The table itself lies in a folder whose name looks like a partition's.
    path = tmp_path / "env=prod" / "t=1"
    rows = spark.createDataFrame(
        [(number, text, number % 2) for number, text in enumerate(VALUES)], "id int, p string, q int"
    )
    ds.write(rows, path, partition_by=("p", "q"))
    return path


def ids(spark: SparkSession, path: object, where: str | None = None) -> list[int]:
    return sorted(row["id"] for row in ds.read(spark, str(path), where=where).collect())


def test_a_path_to_a_partition_means_its_rows(spark: SparkSession, table: Path) -> None:
    for number, value in enumerate(VALUES):
        assert ids(spark, f"{table}/p={quote(value, safe='')}") == [number]
        assert ids(spark, f"{table}/p={quote(value, safe='')}/q={number % 2}/") == [number]
    assert ids(spark, f"{table}/q=1", "id > 1") == [3, 5]
    assert ids(spark, table) == list(range(len(VALUES)))


def test_a_path_to_a_missing_partition_or_column_is_refused(spark: SparkSession, table: Path) -> None:
    for wrong, condition in (("p=none", "DELTA_PATH_DOES_NOT_EXIST"), ("id=1", "DELTA_NON_PARTITION_COLUMN_SPECIFIED")):
        with pytest.raises(ReadOptionInvalidError) as raised:
            ds.read(spark, f"{table}/{wrong}")
        assert raised.value.delta_condition == condition


def test_only_reading_takes_such_a_path(spark: SparkSession, table: Path) -> None:
    path = f"{table}/p=1"
    assert DeltaTable.isDeltaTable(spark, path)
    for act in (
        lambda: DeltaTable.forPath(spark, path),
        lambda: ds.write(spark.range(1), path, mode="append"),
        lambda: ds.delete(spark, path),
    ):
        with pytest.raises(LocationInvalidError):
            act()
    assert len(ids(spark, table)) == len(VALUES)
