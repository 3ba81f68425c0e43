"""UPDATE and MERGE of few rows: rows that were found are not read again, and few of them make few files on the way."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

import deltaresolver.spark as ds
from deltaresolver.errors import RowsUnaccountedError
from deltaresolver.spark.changes import row_update
from deltaresolver.spark.changes.merge import matching, rows
from deltaresolver.spark.changes.row_places import positions_of
from deltaresolver.spark.changes.shuffle_parts import parts_for
from deltaresolver.spark.reading.scan import TableScan

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

pytestmark = pytest.mark.spark

VECTORS = {"delta.enableDeletionVectors": "true", "delta.enableRowTracking": "true"}


def table(spark: SparkSession, path: Path, partitioned: bool, properties: Mapping[str, str] = VECTORS) -> Path:
    """Rows 0 to 399 in four files or more, some deleted by vectors."""
    given = spark.range(0, 400, 1, 4).selectExpr("id", "id % 3 p", "named_struct('a', id, 'b', 'ä\"\\'') s", "'x' v")
    ds.write(given, path, partition_by=["p"] if partitioned else [], properties=properties)
    ds.delete(spark, path, "id % 50 = 7")
    return path


def told(spark: SparkSession, path: Path) -> list[tuple[Any, ...]]:
    """All rows with their ids, in the order of the ids."""
    found = ds.read(spark, path, row_tracking=True).drop("row_commit_version")
    return [tuple(row) for row in found.sort("id").collect()]


def changed(spark: SparkSession, path: Path) -> list[tuple[Any, ...]]:
    """The rows after an UPDATE."""
    ds.update(spark, path, {"v": "concat(v, id)", "s.a": "s.a + 1"}, "id % 40 = 7")
    return told(spark, path)


@pytest.mark.parametrize("partitioned", [False, True])
def test_rows_are_the_same_whether_kept_or_read_again(
    spark: SparkSession, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, partitioned: bool
) -> None:
    kept, again = (table(spark, tmp_path / name, partitioned) for name in ("kept", "again"))
    with monkeypatch.context() as patch:
        patch.setattr(TableScan, "only", None)  # nothing is read by place
        rows_kept = changed(spark, kept)
    monkeypatch.setattr(row_update, "_MAX_KEPT", -1)
    assert rows_kept == changed(spark, again)
    assert sum(row[3] != "x" for row in rows_kept) == 8  # 10 less those that were deleted: 7 and 207


def test_a_row_that_is_found_and_not_written_ends_the_update(
    spark: SparkSession, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = table(spark, tmp_path / "t", partitioned=False)
    before = told(spark, path)

    def one_less(*given: Any) -> Any:
        places = positions_of(*given)
        places[min(places)].pop()
        return places

    monkeypatch.setattr(row_update, "positions_of", one_less)
    with pytest.raises(RowsUnaccountedError, match="updated rows"):
        ds.update(spark, path, {"v": "'new'"}, "id % 40 = 7")
    assert told(spark, path) == before


def merged(spark: SparkSession, path: Path) -> list[tuple[Any, ...]]:
    """The rows after a MERGE that changes, deletes and inserts."""
    source = spark.range(390, 410).selectExpr("id", "id % 3 p", "named_struct('a', id, 'b', 'new') s", "'m' v")
    merging = ds.DeltaTable.forPath(spark, path).alias("t").merge(source.alias("s"), "t.id = s.id")
    merging.whenMatchedDelete("t.id = 395").whenMatchedUpdateAll().whenNotMatchedInsertAll().execute()
    return [row[:4] for row in told(spark, path)]


@pytest.mark.parametrize("properties", [VECTORS, {"delta.enableRowTracking": "true"}])
def test_rows_are_the_same_whether_pairs_go_to_every_task_or_not(
    spark: SparkSession, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, properties: Mapping[str, str]
) -> None:
    few, many = (table(spark, tmp_path / name, False, properties) for name in ("few", "many"))
    to_all = merged(spark, few)
    for module in (rows, matching):
        monkeypatch.setattr(module, "MAX_PAIRS_BROADCAST", -1)
    assert to_all == merged(spark, many)
    assert len(to_all) == 400 - 8 - 1 + 10
    assert sum(row[3] == "m" for row in to_all) == 19


@pytest.mark.parametrize(("count", "parts"), [(0, 1), (1, 1), (16_383, 1), (16_384, 2), (10**12, 200)])
def test_few_rows_make_few_files_on_the_way(count: int, parts: int) -> None:
    assert parts_for(count) == parts
