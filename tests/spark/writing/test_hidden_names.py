"""Partition columns whose names begin like those of files that Spark hides: no statement loses a row of theirs."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import pytest

import deltaresolver.spark as ds
from deltaresolver.table import Table
from tests.nasty import COLUMN_NAMES, STRINGS, UNPARTITIONABLE_STRINGS
from tests.spark.writing.row_count_faults import untouched

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

pytestmark = pytest.mark.spark

ONE_OF_EACH = ("_day", ".day")
HIDDEN_NAMES = [name for name in COLUMN_NAMES if name.startswith(("_", "."))]
VARIANTS = {
    "rewritten": {},
    "marked, with change data": {"delta.enableDeletionVectors": "true", "delta.enableChangeDataFeed": "true"},
    "rewritten, with change data": {"delta.enableChangeDataFeed": "true"},
}


def frame(spark: SparkSession, name: str, rows: dict[int, int]) -> DataFrame:
    return spark.createDataFrame(sorted(rows.items()), f"id bigint, `{name}` bigint")


def found(spark: SparkSession, path: Path) -> dict[int, int]:
    rows = [tuple(row) for row in ds.read(spark, path).collect()]
    assert len(rows) == len(dict(rows))
    return dict(rows)


# One name of each kind is enough for the slower variants.
@pytest.mark.parametrize(
    ("name", "variant"),
    [(name, variant) for name in HIDDEN_NAMES for variant in VARIANTS if variant == "rewritten" or name in ONE_OF_EACH],
)
def test_no_statement_loses_a_row(spark: SparkSession, tmp_path: Path, name: str, variant: str) -> None:
    path, column = tmp_path / "t", f"`{name}`"
    expected = {number: number % 3 for number in range(12)}
    ds.write(frame(spark, name, expected), path, partition_by=[name], options=VARIANTS[variant])
    assert found(spark, path) == expected
    table = ds.DeltaTable.forPath(spark, path)
    table.update("id = 4", {name if name[0] != "." else column: "7"})
    expected[4] = 7
    assert found(spark, path) == expected
    table.delete("id = 5")
    del expected[5]
    assert found(spark, path) == expected
    source = frame(spark, name, {1: 9, 100: 7}).alias("s")
    table.alias("t").merge(source, "t.id = s.id").whenMatchedUpdateAll().whenNotMatchedInsertAll().execute()
    expected |= {1: 9, 100: 7}
    assert found(spark, path) == expected
    new = dict.fromkeys(range(200, 205), 2)
    ds.write(frame(spark, name, new), path, mode="overwrite", options={"replaceWhere": f"{column} = 2"})
    expected = {number: part for number, part in expected.items() if part != 2} | new
    assert found(spark, path) == expected
    ds.write(frame(spark, name, {1: 1}), path, mode="overwrite")
    assert found(spark, path) == {1: 1}
    if "change data" in variant:
        kinds = ds.read(spark, path, options={"readChangeFeed": "true", "startingVersion": "1"})
        counts = {row[0]: row[1] for row in kinds.groupBy("_change_type").count().collect()}
        assert counts["update_preimage"] == counts["update_postimage"] == 2
    assert untouched(path)


def test_values_of_all_kinds_become_folders(spark: SparkSession, tmp_path: Path) -> None:
    values = [
        value for value in STRINGS if value not in UNPARTITIONABLE_STRINGS and value != "__HIVE_DEFAULT_PARTITION__"
    ]
    rows = list(enumerate([*values, None]))
    ds.write(spark.createDataFrame(rows, "id int, _p string"), tmp_path / "t", partition_by="_p")
    got = {row.id: row._p for row in ds.read(spark, tmp_path / "t").collect()}
    assert got == {number: value or None for number, value in rows}
    accounted = Table(tmp_path / "t").history(1)[0].info.fields["operationMetrics"]["rowsAccountedFor"]
    assert accounted == str(len(rows))
