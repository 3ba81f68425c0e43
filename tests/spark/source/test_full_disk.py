"""A disk that fills up while rows are written: a clear error, the table as it was, and no file of the write left."""

from __future__ import annotations

import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

import deltaresolver.spark as ds
from deltaresolver.table import Table

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

pytestmark = pytest.mark.spark


@pytest.fixture
def small_disk(tmp_path: Path) -> Iterator[Path]:
    """Two megabytes."""
    folder = tmp_path / "small"
    folder.mkdir()
    mount = ["mount", "-t", "tmpfs", "-o", "size=2m", "tmpfs", str(folder)]
    if subprocess.run(mount, capture_output=True, check=False).returncode:
        pytest.skip("a small disk can only be mounted by root")
    yield folder
    subprocess.run(["umount", "-l", str(folder)], check=True)


@pytest.mark.parametrize("door", ["fast", "source"])
def test_a_full_disk_leaves_the_table(spark: SparkSession, small_disk: Path, door: str) -> None:
    ds.register(spark)
    ds.write(spark.range(3), small_disk, mode="append")
    before = set(small_disk.rglob("*.parquet"))
    large = spark.range(0, 1_000_000, 1, 2).selectExpr("id * 7919 % 1000003 * 104729 as id")
    writer = large.write.format("deltaresolver").mode("append")
    with pytest.raises(Exception, match=r"(?i)no space left|could not write|could not be written"):
        ds.write(large, small_disk, mode="append") if door == "fast" else writer.save(str(small_disk))
    assert set(small_disk.rglob("*.parquet")) == before
    assert Table(small_disk).snapshot().table_version == 0
    spark.range(3, 4).write.format("deltaresolver").mode("append").save(str(small_disk))
    assert ds.read(spark, small_disk).count() == 4
