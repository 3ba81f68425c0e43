"""Both interfaces, their streams and one broken rule, on the Spark that this process finds. Run by tests; prints JSON.

    python -m tests.acceptance.spark_version_job classic|connect FOLDER VARIANTS

VARIANTS is a table that Spark 4.2 wrote, with a column of type variant.
"""

from __future__ import annotations

import os
import re
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

from tests.spark_job import SILENT, configure, tell

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

FORMAT = "deltaresolver"
STREAM_SECONDS = 600
"""A machine that many share takes minutes for a stream."""
PROPERTIES = {
    "delta.columnMapping.mode": "name",
    "delta.enableDeletionVectors": "true",
    "delta.enableChangeDataFeed": "true",
    "delta.constraints.small": "id < 1000",
}
SETTINGS = {
    **SILENT,
    "spark.sql.session.timeZone": "UTC",
}


def main(kind: str, folder: str, variants: str) -> None:
    """Do everything once and say what came of it."""
    os.environ["PYSPARK_PYTHON"] = sys.executable
    from pyspark.sql import SparkSession

    import deltaresolver.spark as ds
    from deltaresolver.spark.session import is_connect

    builder: Any = SparkSession.builder
    builder = builder.remote("local[2]") if kind == "connect" else builder.master("local[2]")
    spark: SparkSession = configure(builder, SETTINGS).getOrCreate()
    ds.register(spark)
    found: dict[str, object] = {"release": spark.version, "connect": is_connect(spark), "abilities": abilities(spark)}
    for door in ("fast", "source"):
        found[door] = one_door(spark, door, Path(folder, door))
    found["stream"] = streams(spark, Path(folder, "fast"), Path(folder, "sink"))
    found["changed"] = changed_rows(spark, Path(folder, "fast"))
    found["variants"] = {door: variant_rows(spark, door, Path(variants)) for door in ("fast", "source")}
    tell(found)
    spark.stop()


def abilities(spark: SparkSession) -> dict[str, list[bool]]:
    """What Spark can by its release, and by what it has."""
    from deltaresolver.spark.source.spark_abilities import SPARK_ABILITIES

    return {each.name: [each.is_in(spark), each.is_here()] for each in SPARK_ABILITIES}


def save(rows: DataFrame, door: str, path: Path, mode: str = "append", **options: str) -> None:
    """Write through one door; `partition_by` is an argument of one and an option of the other."""
    import deltaresolver.spark as ds

    if door == "fast":
        partition_by = options.pop("partitionBy", ())
        ds.write(rows, path, mode=mode, partition_by=partition_by, options=options)
    else:
        rows.write.format(FORMAT).mode(mode).options(**options).save(str(path))


def load(spark: SparkSession, door: str, path: Path, **options: str) -> DataFrame:
    """Read through one door."""
    import deltaresolver.spark as ds

    if door == "fast":
        return ds.read(spark, path, options=options)
    return spark.read.format(FORMAT).options(**options).load(str(path))


def one_door(spark: SparkSession, door: str, path: Path) -> dict[str, object]:
    """A table's life: made with partitions, appended to, rows deleted, partitions replaced, read in all ways."""
    import deltaresolver.spark as ds

    rows = spark.range(20).selectExpr(
        "id",
        "cast(id % 2 as int) p",
        "concat('é', id) s",
        "cast(id as decimal(10,2)) d",
        "timestamp'2024-01-01 00:00:00.123456' t",
        "cast('2024-01-01' as timestamp_ntz) n",
        "named_struct('x', array(id)) st",
        "parse_json('{\"a\":1}') v",
    )
    save(rows.coalesce(1), door, path, partitionBy="p", **PROPERTIES)
    save(rows.where("id < 2").coalesce(1), door, path)
    ds.delete(spark, path, "id = 7")
    one = rows.where("id = 4").coalesce(1)
    save(one, door, path, "overwrite", partitionOverwriteMode="dynamic")
    save(rows.where("id = 9").coalesce(1), door, path, "overwrite", replaceWhere="p = 1 and id > 0")
    found: dict[str, object] = {
        "now": ids(load(spark, door, path)),
        "first": ids(load(spark, door, path, versionAsOf="0")),
        "where": ids(load(spark, door, path).where("id > 0 and p = 1 and s > 'a'")),
    }
    (row,) = load(spark, door, path).where("id = 4").select("s", "d", "t", "n", "st", "v").collect()
    found["values"] = [row.s, str(row.d), str(row.t), str(row.n), row.st.x, row.v.toJson()]
    feed = load(spark, door, path, readChangeFeed="true", startingVersion="2", endingVersion="2")
    found["changes"] = [[change.id, change["_change_type"]] for change in feed.collect()]
    try:
        save(spark.range(1000, 1001).selectExpr("id", "1 p"), door, path)
    except Exception as error:  # noqa: BLE001 - what it says is what is asked
        said = f"{error}\n{getattr(error, 'code', '')}"
        found["broken"] = sorted(set(re.findall(r"CHECK constraint small .*? id = 1000|DR713", said)))
    return found


def changed_rows(spark: SparkSession, path: Path) -> list[list[object]]:
    """Some rows after an UPDATE and a MERGE."""
    import deltaresolver.spark as ds

    table = ds.DeltaTable.forPath(spark, path).alias("t")
    table.update("t.id = 4", {"s": "concat(t.s, '!')"})
    source = spark.range(4, 6).selectExpr("id", "cast(id % 2 as int) p", "'m' s").alias("s")
    merge = table.merge(source, "t.id = s.id").whenMatchedUpdate(set={"s": "concat(t.s, s.s)"})
    merge.whenNotMatchedInsert(values={"id": "s.id", "p": "s.p", "s": "s.s"}).execute()
    return [[row.id, row.s] for row in ds.read(spark, path).where("id < 9").orderBy("id").collect()]


def variant_rows(spark: SparkSession, door: str, path: Path) -> str:
    """How many rows a table with variants has, or the code of the error."""
    import deltaresolver.spark as ds

    try:
        with ds.clear_errors():
            return str(len(load(spark, door, path).selectExpr("id", "to_json(v) v").collect()))
    except Exception as error:  # noqa: BLE001 - what it says is what is asked
        return str(getattr(error, "code", error))[:200]


def ids(rows: DataFrame) -> list[int]:
    """The ids in order."""
    return sorted(row.id for row in rows.select("id").collect())


def streams(spark: SparkSession, source: Path, sink: Path) -> dict[str, object]:
    """One table into another, in two runs; then with batches of two files."""
    from deltaresolver.table import Table

    def run(target: Path, **options: str) -> list[int]:
        """The rows that are there afterwards."""
        rows = spark.readStream.format(FORMAT).options(skipChangeCommits="true", **options).load(str(source))
        writer = rows.drop("v").writeStream.format(FORMAT).option("checkpointLocation", f"{target}-checkpoint")
        ended = writer.trigger(availableNow=True).start(str(target)).awaitTermination(STREAM_SECONDS)
        assert ended, f"the stream has not ended within {STREAM_SECONDS} seconds"
        return ids(load(spark, "fast", target))

    found: dict[str, object] = {"first": run(sink)}
    save(spark.range(500, 503).selectExpr("id", "0 p").coalesce(1), "fast", source)
    found["then"] = run(sink)
    limited = sink.with_name("limited")
    try:
        run(limited, maxFilesPerTrigger="2")
        found["limited"] = [len(Table(limited).history())]
    except Exception as error:  # noqa: BLE001 - what it says is what is asked
        found["limited"] = sorted(set(re.findall(r"DR787|maxFilesPerTrigger", str(error))))
    return found


if __name__ == "__main__":
    main(*sys.argv[1:])
