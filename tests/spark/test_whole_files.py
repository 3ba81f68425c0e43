"""A file goes as a whole only if its own footer has as many rows as were found in it."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

import deltaresolver.spark as ds
from deltaresolver.errors import RowsUnaccountedError

if TYPE_CHECKING:
    from collections.abc import Callable

    from pyspark.sql import SparkSession

pytestmark = pytest.mark.spark
FEED, VECTORS = "delta.enableChangeDataFeed", "delta.enableDeletionVectors"


def table_with_few(spark: SparkSession, path: Path, properties: dict[str, str], told: int) -> None:
    """Ten rows in one file, of which the log knows `told`."""
    ds.write(spark.range(10).coalesce(1), str(path), properties=properties)
    commit = path / "_delta_log" / f"{0:020}.json"
    lines = []
    for line in commit.read_text().splitlines():
        action = json.loads(line)
        if "add" in action:
            action["add"]["stats"] = json.dumps({**json.loads(action["add"]["stats"]), "numRecords": told})
        lines.append(json.dumps(action))
    commit.write_text("\n".join(lines) + "\n")
    for more in (path / "_delta_log").glob("*.crc"):
        more.unlink()


def delete(spark: SparkSession, path: str) -> None:
    ds.DeltaTable.forPath(spark, path).delete("id < 6")


def merge_away(spark: SparkSession, path: str) -> None:
    table = ds.DeltaTable.forPath(spark, path).alias("t")
    table.merge(spark.range(6).alias("s"), "t.id = s.id").whenMatchedDelete().execute()


def replace(spark: SparkSession, path: str) -> None:
    ds.write(spark.range(0), path, mode="overwrite", options={"replaceWhere": "id < 6"})


@pytest.mark.parametrize("statement", [delete, merge_away, replace])
@pytest.mark.parametrize("properties", [{}, {VECTORS: "true"}, {FEED: "true"}], ids=["rewritten", "marked", "feed"])
def test_a_count_that_is_too_low_loses_no_row(
    spark: SparkSession,
    tmp_path: Path,
    statement: Callable[[SparkSession, str], None],
    properties: dict[str, str],
) -> None:
    path = str(tmp_path / "t")
    table_with_few(spark, tmp_path / "t", properties, 6)
    with pytest.raises(RowsUnaccountedError, match=r"numRecords of .* is 6, and the file has 10 rows"):
        statement(spark, path)
    assert sorted(row.id for row in ds.read(spark, path).collect()) == list(range(10))
    # What the message advises.
    ds.write(ds.read(spark, path), path, mode="overwrite")
    statement(spark, path)
    assert sorted(row.id for row in ds.read(spark, path).collect()) == [6, 7, 8, 9]


@pytest.mark.parametrize("properties", [{}, {VECTORS: "true"}, {FEED: "true"}], ids=["rewritten", "marked", "feed"])
def test_a_file_whose_count_is_right_is_removed_as_a_whole(
    spark: SparkSession, tmp_path: Path, properties: dict[str, str]
) -> None:
    path = str(tmp_path / "t")
    ds.write(spark.range(10).coalesce(1), path, properties=properties)
    table = ds.DeltaTable.forPath(spark, path)
    table.delete("id = 3")
    table.delete("id < 20")
    assert len(table.table.snapshot().files()) == 0
    metrics = table.history(1).collect()[0].operationMetrics
    assert metrics["numDeletedRows"] == "9"
    assert metrics["numCopiedRows"] == "0"
