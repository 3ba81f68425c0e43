"""Settings that change after `register`: `format("deltaresolver")` uses those that hold when it is named."""

from __future__ import annotations

import threading
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

import deltaresolver.spark as ds
from deltaresolver.spark.writing.replaced_rows import MODE_BY_SESSION

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

pytestmark = pytest.mark.spark


@pytest.mark.parametrize("in_thread", [False, True])
def test_an_overwrite_follows_the_mode_set_after_registering(
    spark: SparkSession, tmp_path: Path, in_thread: bool
) -> None:
    path = str(tmp_path / "t")
    ds.write(spark.range(4).selectExpr("id", "id % 2 AS p"), path, partition_by="p")
    ds.register(spark)
    rows = spark.sql("SELECT 9L AS id, 1L AS p")

    def overwrite() -> None:
        rows.write.format("deltaresolver").mode("overwrite").save(path)

    def ids() -> list[int]:
        return sorted(row.id for row in spark.read.format("deltaresolver").load(path).collect())

    before = spark.conf.get(MODE_BY_SESSION)
    spark.conf.set(MODE_BY_SESSION, "dynamic")
    try:
        if in_thread:
            thread = threading.Thread(target=overwrite)
            thread.start()
            thread.join()
        else:
            overwrite()
        assert ids() == [0, 2, 9]
    finally:
        spark.conf.set(MODE_BY_SESSION, str(before))
    overwrite()
    assert ids() == [9]
