"""OPTIMIZE and CONVERT while others write: only who changes the same files, or the same version, is a conflict."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

import deltaresolver.spark as ds
from deltaresolver.errors import ConcurrentModificationError
from deltaresolver.spark.changes.changed_table import ChangedTable
from deltaresolver.spark.maintenance.convert import convert as convert_module
from deltaresolver.spark.maintenance.convert import source
from deltaresolver.table import Table

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

pytestmark = pytest.mark.spark


@pytest.fixture
def path(spark: SparkSession, tmp_path: Path) -> str:
    for start in (0, 10, 20):
        rows = spark.range(start, start + 10).selectExpr("id", "id % 3 a", "cast(id % 2 as int) p").coalesce(1)
        ds.write(rows, tmp_path / "t", mode="append", partition_by="p")
    return str(tmp_path / "t")


def meanwhile(monkeypatch: pytest.MonkeyPatch, act: Callable[[], object]) -> None:
    """`act` once, right after the first files of OPTIMIZE were written."""
    written, left = ChangedTable.write, [act]

    def write(changed: ChangedTable, rows: Any, **more: Any) -> Any:
        found = written(changed, rows, **more)
        while left:
            left.pop()()
        return found

    monkeypatch.setattr(ChangedTable, "write", write)


def ids(spark: SparkSession, path: str) -> list[int]:
    return sorted(row.id for row in ds.read(spark, path).collect())


@pytest.mark.parametrize("z_order_by", [(), ("id", "a")])
def test_rows_appended_meanwhile_stay(
    spark: SparkSession, path: str, monkeypatch: pytest.MonkeyPatch, z_order_by: tuple[str, ...]
) -> None:
    more = spark.sql("select 99L id, 0L a, 0 p")
    meanwhile(monkeypatch, lambda: ds.write(more, path, mode="append"))
    committed = ds.optimize(spark, path, z_order_by=z_order_by)
    assert committed is not None
    assert [entry.operation for entry in Table(path).history(2)] == ["OPTIMIZE", "WRITE"]
    assert ids(spark, path) == [*range(30), 99]


def test_a_file_that_somebody_else_changes_is_a_conflict(
    spark: SparkSession, path: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    meanwhile(monkeypatch, lambda: Table(path).restore(1))
    files = set(Path(path).rglob("*.parquet"))
    with pytest.raises(ConcurrentModificationError):
        ds.optimize(spark, path)
    assert set(Path(path).rglob("*.parquet")) == files
    assert ids(spark, path) == list(range(20))


def test_other_partitions_do_not_matter(spark: SparkSession, path: str, monkeypatch: pytest.MonkeyPatch) -> None:
    meanwhile(monkeypatch, lambda: ds.delete(spark, path, "p = 1"))
    assert ds.optimize(spark, path, "p = 0") is not None
    assert ids(spark, path) == list(range(0, 30, 2))


def test_of_two_conversions_one_wins(spark: SparkSession, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    folder = tmp_path / "files"
    spark.range(10).write.parquet(str(folder))
    listed, left = source.data_files, [1]

    def data_files(*given: Any) -> Any:
        found = listed(*given)
        if left:
            left.pop()
            ds.convert_to_delta(spark, f"parquet.`{folder}`")
        return found

    monkeypatch.setattr(convert_module, "data_files", data_files)
    with pytest.raises(ConcurrentModificationError):
        ds.convert_to_delta(spark, f"parquet.`{folder}`")
    assert ids(spark, str(folder)) == list(range(10))
    assert Table(folder).update().table_version == 0
