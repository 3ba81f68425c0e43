"""Positions of rows come to the driver as one bitmap a file, by lists or by words of 64 rows, with the same result."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pyarrow as pa
import pytest

import deltaresolver.spark as ds
from deltaresolver.errors import MergeAmbiguousError
from deltaresolver.model.actions import AddFile
from deltaresolver.spark.changes import row_places
from deltaresolver.spark.changes.row_places import find_places
from deltaresolver.spark.reading.file_facts import FILE, ROW
from deltaresolver.table import Table

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

pytestmark = pytest.mark.spark

KEYS = {"a": 0, "b": 1, "c": 2}
FEW = [AddFile("a", {}, 1, 1, data_change=True, stats='{"numRecords": 9}')]
UNCOUNTED = [AddFile("a", {}, 1, 1, data_change=True)]
PLACES = [
    *(("a", row, 1) for row in range(0, 700, 3)),
    *(("b", row, 2) for row in (0, 62, 63, 64, 127, 128, 2**31 - 1, 2**31, 2**32 + 5, 2**40)),
    *(("b", 63, 2), ("b", 64, 1), ("c", 5, None), ("c", 5, None), ("c", 6, 1)),
]


@pytest.fixture(params=["listed", "in words"])
def way(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> str:
    """Which way rows come; statements take the one that is asked for."""
    if request.param == "in words":
        monkeypatch.setattr(row_places, "MAX_LISTED", 0)
    return str(request.param)


@pytest.mark.parametrize("by", [(), ("kind",)])
def test_every_row_is_found_once_and_counted_as_often_as_there_is_one(
    spark: SparkSession, by: tuple[str, ...], way: str
) -> None:
    hits = spark.createDataFrame(PLACES, f"{FILE} STRING, {ROW} BIGINT, kind INT").repartition(3)
    expected: dict[tuple[Any, ...], list[int]] = {}
    for file, row, kind in PLACES:
        expected.setdefault((KEYS[file], *([kind] if by else [])), []).append(row)
    found = {
        (each.file, *each.key): each for each in find_places(hits, KEYS, FEW if way == "listed" else UNCOUNTED, by)
    }
    assert {key: list(each.rows) for key, each in found.items()} == {
        key: sorted(set(rows)) for key, rows in expected.items()
    }
    assert {key: each.times for key, each in found.items()} == {key: len(rows) for key, rows in expected.items()}


def test_no_rows_have_no_places(spark: SparkSession, way: str) -> None:
    assert not [*find_places(spark.createDataFrame([], f"{FILE} STRING, {ROW} BIGINT"), KEYS, FEW)], way


def test_positions_sent_to_the_driver_do_not_grow_with_the_rows(
    spark: SparkSession, monkeypatch: pytest.MonkeyPatch
) -> None:
    collected: list[int] = []
    groups = row_places._groups

    def watched(found: pa.Table, by: Sequence[str]) -> Any:
        collected.append(found.nbytes)
        return groups(found, by)

    monkeypatch.setattr(row_places, "_groups", watched)
    rows = spark.range(64_000).selectExpr(f"'a' {FILE}", f"id {ROW}")
    for step in (64, 16, 4, 1):
        (found,) = find_places(rows.where(f"{ROW} % {step} = 0"), KEYS, UNCOUNTED)
        assert len(found.rows) == 64_000 // step
    assert len(set(collected)) == 1, "a word has 64 rows, however many of them are found"
    assert collected[0] < 64_000 / 2


@pytest.mark.parametrize("vectors", ["true", "false"])
def test_statements_change_the_same_rows(spark: SparkSession, tmp_path: Path, way: str, vectors: str) -> None:
    path = str(tmp_path)
    properties = {"delta.enableDeletionVectors": vectors, "delta.enableChangeDataFeed": "true"}
    ds.write(spark.range(300).selectExpr("id", "id x").repartition(3), path, properties=properties)
    ds.delete(spark, path, "id % 10 = 3")
    ds.update(spark, path, {"x": "-x"}, "id % 7 = 2")
    source = spark.range(280, 320).selectExpr("id", "1000 + id x")
    table = ds.DeltaTable.forPath(spark, path).alias("t")
    builder = table.merge(source.alias("s"), "t.id = s.id")
    builder.whenMatchedDelete("t.id % 2 = 0").whenMatchedUpdateAll().whenNotMatchedInsertAll().execute()
    expected = {at: at if at % 7 != 2 else -at for at in range(300) if at % 10 != 3}
    for at in range(280, 320):
        if at in expected and at % 2 == 0:
            del expected[at]
        else:
            expected[at] = 1000 + at
    assert {row.id: row.x for row in ds.read(spark, path).collect()} == expected, way
    assert ds.read(spark, path).count() == len(expected)


def test_rows_that_match_twice_are_counted(spark: SparkSession, tmp_path: Path, way: str) -> None:
    path = str(tmp_path)
    ds.write(spark.range(200), path, properties={"delta.enableDeletionVectors": "true"})
    source = spark.createDataFrame([(at,) for at in (3, 3, 3, 64, 64, 70)], "id BIGINT")
    table = ds.DeltaTable.forPath(spark, path).alias("t")
    builder = table.merge(source.alias("s"), "t.id = s.id").whenMatchedUpdateAll()
    with pytest.raises(MergeAmbiguousError, match=r"\b2 rows of "):
        builder.execute()
    assert Table(path).snapshot().table_version == 0, way
    assert Counter(row.id for row in ds.read(spark, path).collect()) == Counter(range(200))
