"""The DataFrame API and the data source on a real Spark Connect server. Run by tests; prints what it found as JSON.

    python -m tests.spark.connect.connect_job FOLDER [sc://HOST:PORT]

Without an address the server is started by this process, which then needs the whole of pyspark.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Callable
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING

from tests.spark_job import SILENT, configure, tell

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

PARTITIONS = "spark.sql.shuffle.partitions"


def damaged(spark: SparkSession, table: str, kind: str) -> str:
    """What a query says of a data file that is cut short or gone."""
    import deltaresolver.spark as ds
    from deltaresolver.errors import DeltaResolverError

    ds.write(spark.range(100).coalesce(1), table)
    (file,) = Path(table).glob("w*/*.parquet")
    for checksum in file.parent.glob(".*.crc"):
        checksum.unlink()
    rows = ds.read(spark, table)
    if kind == "gone":
        file.unlink()
    else:
        file.write_bytes(file.read_bytes()[:100])
    try:
        with ds.clear_errors():
            rows.collect()
    except DeltaResolverError as error:
        return f"{error.code} {file.name in error.message} {table in error.message} {error.details.get('size')}"
    return "no error"


def changed(spark: SparkSession, path: str) -> list[list[int]]:
    """The rows of a table after an update, a merge and a delete."""
    from pyspark.sql import functions

    import deltaresolver.spark as ds

    vectors = {"delta.enableDeletionVectors": "true"}
    ds.write(spark.range(16, 20).selectExpr("id", "0 p"), path, partition_by="p", properties=vectors)
    table = ds.DeltaTable.forPath(spark, path).alias("t")
    table.update("t.id = 17", {"id": "t.id + 100"})
    source = spark.range(18, 22).withColumn("p", functions.lit(1)).alias("s")
    merge = table.merge(source, functions.col("t.id") == functions.col("s.id")).whenMatchedDelete("s.id = 19")
    merge.whenMatchedUpdateAll().whenNotMatchedInsertAll("s.id > 20").execute()
    table.delete(functions.col("id") == 16)
    # Spark is asked about partitions: one goes whole, one keeps rows, and a MERGE reads one.
    ds.write(spark.range(30, 34).selectExpr("id", "cast(id div 2 AS int) p"), path, mode="append")
    table.delete("upper(cast(t.p AS string)) = '15'")
    table.delete("t.p = 16 AND t.id = 32")
    table.merge(source, "t.p = 16 AND s.id + 15 = t.id").whenMatchedDelete().execute()
    return sorted([row.id, row.p] for row in ds.read(spark, path).collect())


def blind_appends(spark: SparkSession, path: str) -> dict[str, object]:
    """Whether appends are called blind, by where their rows come from; and what a transaction does."""
    import deltaresolver.spark as ds
    from deltaresolver.errors import ConcurrentModificationError

    ds.write(spark.range(3), path)
    ds.read(spark, path).createOrReplaceTempView("own_rows")
    spark.sql(f"CREATE TEMPORARY VIEW by_source USING deltaresolver OPTIONS (path '{path}')")
    programs: dict[str, Callable[[], DataFrame]] = {
        "other": lambda: spark.range(1),
        "version 0": lambda: ds.read(spark, path, version=0),
        "select": lambda: ds.read(spark, path).selectExpr("id + 1 id").union(spark.range(1)),
        "columns": lambda: ds.read(spark, path).withColumnRenamed("id", "x").withColumnRenamed("x", "id"),
        "cache": lambda: ds.read(spark, path).cache(),
        "source": lambda: spark.read.format("deltaresolver").load(path),
        "source view": lambda: spark.table("by_source"),
        "source in SQL": lambda: spark.sql("SELECT id FROM range(2) WHERE id IN (SELECT id FROM by_source)"),
    }
    found: dict[str, object] = {}
    for name in ("view", "subquery"):
        rows = spark.table("own_rows")
        if name == "subquery":
            rows = spark.sql("SELECT id FROM range(9) WHERE id IN (SELECT id + 1 FROM own_rows)")
        try:
            ds.write(rows, path, mode="append")
            ds.write(rows, path, mode="append")
        except ConcurrentModificationError as error:
            found[name] = error.code
        ds.read(spark, path).createOrReplaceTempView("own_rows")
    for name, program in programs.items():
        committed = ds.write(program(), path, mode="append")
        found[name] = committed is not None and committed.commit_info.fields["isBlindAppend"]
    count = ds.read(spark, path).count()
    with ds.transaction(spark, path) as tx:
        rows = ds.read(spark, path, where="id = 0")
        ds.delete(spark, path, "id = 0")
        ds.write(rows.selectExpr("id - 1 id"), path, mode="append")
    found["block"] = [tx.committed is not None, ds.read(spark, path).count() == count, tx.metrics["numStatements"]]
    return found


def upkeep(spark: SparkSession, folder: Path) -> list[object]:
    """A folder of Parquet files is converted, ordered, cloned and restored; how many rows, and what history has."""
    import deltaresolver.spark as ds
    from deltaresolver.table import Table

    path, clone = str(folder / "files"), str(folder / "clone")
    spark.range(300).selectExpr("id", "id * 7 % 300 a", "id % 2 p").repartition(4).write.partitionBy("p").parquet(path)
    table = ds.DeltaTable.convertToDelta(spark, f"parquet.`{path}`", "p bigint")
    spark.conf.set("spark.databricks.delta.optimize.maxFileSize", "1000")
    table.optimize().where("p = 1").executeZOrderBy("id", "a")
    spark.conf.unset("spark.databricks.delta.optimize.maxFileSize")
    table.clone(clone, isShallow=True)
    ds.delete(spark, clone, "id < 100")
    ds.optimize(spark, clone)
    table.restoreToVersion(0)
    names = [[entry.operation for entry in reversed(Table(each).history())] for each in (path, clone)]
    return [ds.read(spark, path).count(), ds.read(spark, clone).count(), *names]


def main(folder: str, server: str = "local[2]") -> None:
    """Write, read, change and stream through both doors."""
    os.environ["PYSPARK_PYTHON"] = sys.executable
    from pyspark.sql import SparkSession

    import deltaresolver.spark as ds
    from deltaresolver.spark.session import is_connect
    from deltaresolver.table import Table

    # A server that runs already has its own settings.
    settings = SILENT if server.startswith("local") else {PARTITIONS: SILENT[PARTITIONS]}
    spark = configure(SparkSession.builder.remote(server), settings).getOrCreate()
    ds.register(spark)
    found: dict[str, object] = {"connect": is_connect(spark), "whole": find_spec("pyspark.sql.classic") is not None}
    fast, slow, sink = (str(Path(folder, name)) for name in ("fast", "slow", "sink"))
    rows = spark.range(20).selectExpr("id", "cast(id % 2 as int) p")
    ds.write(rows, fast, mode="append", partition_by="p", properties={"delta.enableDeletionVectors": "true"})
    ds.delete(spark, fast, "id = 3")
    found["changed"] = changed(spark, str(Path(folder, "changed")))
    commits = Table(Path(folder, "changed")).history()
    found["accounted"] = [each.info.fields["operationMetrics"].get("rowsAccountedFor") for each in commits]
    found["blind"] = blind_appends(spark, str(Path(folder, "own rows")))
    rows.write.format("deltaresolver").mode("append").option("partitionBy", "p").save(slow)
    for name, path in (("fast", fast), ("slow", slow)):
        by_source = spark.read.format("deltaresolver").load(path).where("p = 1")
        found[name] = [
            sorted(row.id for row in each.collect()) for each in (ds.read(spark, path, where="p = 1"), by_source)
        ]
    spark.sql(f"CREATE TEMPORARY VIEW doors USING deltaresolver OPTIONS (path '{slow}')")
    found["view"] = spark.sql("SELECT sum(id) FROM doors").collect()[0][0]
    stream = spark.readStream.format("deltaresolver").load(slow).writeStream.format("deltaresolver")
    stream = stream.option("checkpointLocation", sink + "-checkpoint").trigger(availableNow=True)
    stream.start(sink).awaitTermination(100)
    found["stream"] = ds.read(spark, sink).count()
    found["errors"] = [damaged(spark, str(Path(folder, f"damaged {kind}")), kind) for kind in ("short", "gone")]
    found["upkeep"] = upkeep(spark, Path(folder, "upkeep"))
    tell(found)
    spark.stop()


if __name__ == "__main__":
    main(*sys.argv[1:])
