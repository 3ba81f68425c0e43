"""Tables in an S3 bucket: the data source needs no file system of Spark's, the DataFrame API reports that it does."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

import deltaresolver.spark as ds
from deltaresolver.errors import StorageUnsupportedError
from deltaresolver.table import Table
from tests.peers.s3_server import S3Server, run_s3_server

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

pytestmark = [pytest.mark.spark, pytest.mark.s3]

FORMAT = "deltaresolver"
PATH = "s3://lake/a b/t"


@pytest.fixture(scope="module")
def server() -> Iterator[S3Server]:
    with run_s3_server() as running:
        running.make_bucket("lake")
        yield running


def by_source(options: Mapping[str, str]) -> dict[str, str]:
    """Storage options as options of the data source."""
    return {f"storage.{name}": value for name, value in options.items()}


def test_the_source_writes_reads_and_streams(spark: SparkSession, server: S3Server, tmp_path: Path) -> None:
    ds.register(spark)
    options = by_source(server.options)

    def rows(**more: str) -> DataFrame:
        return spark.read.format(FORMAT).options(**options, **more).load(PATH)

    made = spark.range(20).selectExpr("id", "concat('p/', id % 2) p")
    writer = made.write.format(FORMAT).options(**options).option("partitionBy", "p")
    writer.mode("append").option("delta.enableDeletionVectors", "true").save(PATH)
    made.write.format(FORMAT).options(**options).mode("append").save(PATH)
    again = made.where("id = 3").selectExpr("id", "p")
    again.write.format(FORMAT).options(**options).mode("overwrite").option("replaceWhere", "id < 10").save(PATH)
    assert sorted(row.id for row in rows().collect()) == sorted([3, *range(10, 20), *range(10, 20)])
    assert rows(versionAsOf="0").count() == 20
    assert rows().where("p = 'p/1' and id > 15").count() == 4
    table = Table(PATH, server.options)
    known = {add.path for version in range(3) for add in table.snapshot(version).add_actions()}
    assert all("%20" in path or "p%2F" in path or "p%252F" in path for path in known), known
    stored = {file.path for file in table.log.store.list_below("")}
    assert len([path for path in stored if path.endswith(".parquet") and "_delta_log" not in path]) == len(known)
    stream = spark.readStream.format(FORMAT).options(**options).option("ignoreChanges", "true").load(PATH)
    sink = stream.writeStream.format(FORMAT).options(**options).option("checkpointLocation", str(tmp_path / "c"))
    sink.trigger(availableNow=True).start("s3://lake/copy").awaitTermination(100)
    assert spark.read.format(FORMAT).options(**options).load("s3://lake/copy").count() == 21


def test_the_dataframe_api_names_what_spark_lacks(spark: SparkSession, server: S3Server) -> None:
    path = "s3://lake/fast"
    with pytest.raises(StorageUnsupportedError, match="no file system for s3a") as refused:
        ds.write(spark.range(1), path, storage_options=server.options)
    assert "hadoop-aws" in (refused.value.fix or "")
    ds.register(spark)
    spark.range(1).write.format(FORMAT).options(**by_source(server.options)).mode("append").save(path)
    with pytest.raises(StorageUnsupportedError, match="no file system for s3a"):
        ds.read(spark, path, storage_options=server.options)
