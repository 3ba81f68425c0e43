"""Sessions that pass over files that are missing or damaged: a statement does not, since it would miss rows."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

import deltaresolver.spark as ds
from deltaresolver.errors import DeltaResolverError
from deltaresolver.spark.session import is_of_spark
from deltaresolver.table import Table
from tests.nasty import PASSING_OVER_FILES

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

pytestmark = pytest.mark.spark

Use = Callable[["SparkSession", Path], object]


@contextmanager
def set_to(spark: SparkSession, key: str, value: str) -> Iterator[None]:
    before = spark.conf.get(key, None)
    spark.conf.set(key, value)
    try:
        yield
    finally:
        spark.conf.unset(key) if before is None else spark.conf.set(key, before)


def merge(spark: SparkSession, path: Path) -> None:
    target = ds.DeltaTable.forPath(spark, path).alias("t")
    source = spark.range(8).selectExpr("id", "0L w").alias("s")
    target.merge(source, "t.id = s.id").whenMatchedUpdateAll().whenNotMatchedInsertAll().execute()


def insert_only(spark: SparkSession, path: Path) -> None:
    target = ds.DeltaTable.forPath(spark, path).alias("t")
    source = spark.range(8).selectExpr("id", "0L w").alias("s")
    target.merge(source, "t.id = s.id").whenNotMatchedInsertAll().execute()


def replace_where(spark: SparkSession, path: Path) -> None:
    ds.write(spark.sql("select 1L id, 9L w"), path, mode="overwrite", options={"replaceWhere": "id = 1 or w > 5"})


USES: dict[str, Use] = {
    "delete": lambda spark, path: ds.delete(spark, path, "w % 3 = 0"),
    "update": lambda spark, path: ds.update(spark, path, {"w": "w + 1"}, "w % 3 = 0"),
    "merge": merge,
    "merge that inserts": insert_only,
    "replaceWhere": replace_where,
    "optimize": lambda spark, path: ds.DeltaTable.forPath(spark, path).optimize().executeCompaction(),
    "constraint": lambda spark, path: Table(path).add_constraint("few", "w < 9", row_check=ds.row_check(spark, path)),
}

DAMAGES: dict[str, Callable[[Path], object]] = {
    "gone": Path.unlink,
    "cut": lambda file: file.write_bytes(file.read_bytes()[:100]),
    "other bytes": lambda file: file.write_bytes(b"PAR1" + bytes(file.stat().st_size - 8) + b"PAR1"),
}


@pytest.mark.parametrize("damage", DAMAGES)
@pytest.mark.parametrize("key", PASSING_OVER_FILES)
def test_a_statement_misses_no_row_of_such_a_file(spark: SparkSession, tmp_path: Path, key: str, damage: str) -> None:
    path = tmp_path / "t"
    for start in (0, 4):
        ds.write(spark.range(start, start + 4, 1, 1).selectExpr("id", "id w"), path, mode="append")
    version = Table(path).update().table_version
    file = min(path.glob("w*/*.parquet"))
    whole = file.read_bytes()
    DAMAGES[damage](file)
    files = set(path.rglob("*.parquet"))
    with set_to(spark, key, "true"):
        for what, use in USES.items():
            with pytest.raises(Exception) as raised:  # noqa: PT011 - Spark's own, of several kinds
                use(spark, path)
            assert is_of_spark(raised.value) or isinstance(raised.value, DeltaResolverError), what
            assert Table(path).update().table_version == version, what
            assert set(path.rglob("*.parquet")) == files, what
    file.write_bytes(whole)
    assert sorted(tuple(row) for row in ds.read(spark, path).collect()) == [(each, each) for each in range(8)]


def test_the_files_of_a_source_are_left_to_the_session(spark: SparkSession, tmp_path: Path) -> None:
    path, landed = tmp_path / "t", tmp_path / "landed"
    ds.write(spark.range(2), path, mode="append")
    spark.range(2, 6, 1, 2).write.parquet(str(landed))
    source = spark.read.parquet(str(landed)).alias("s")
    gone, _ = sorted(landed.glob("*.parquet"))
    gone.write_bytes(b"PAR1")
    with set_to(spark, "spark.sql.files.ignoreCorruptFiles", "true"):
        target = ds.DeltaTable.forPath(spark, path).alias("t")
        target.merge(source, "t.id = s.id").whenNotMatchedInsertAll().execute()
    assert ds.read(spark, path).count() == 4


def test_a_query_passes_over_them_as_any_query(spark: SparkSession, tmp_path: Path) -> None:
    ds.write(spark.range(0, 4, 1, 2), tmp_path / "t", mode="append")
    rows = ds.read(spark, tmp_path / "t")
    min((tmp_path / "t").glob("w*/*.parquet")).write_bytes(b"PAR1")
    with set_to(spark, "spark.sql.files.ignoreCorruptFiles", "true"):
        assert rows.count() == 2
