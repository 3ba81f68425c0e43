"""A driver of its own that `tests.killed_streams` kills: it streams files into tables, by MERGE and by the sink."""

from __future__ import annotations

import os
import sys
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from tests.spark_job import SILENT, configure

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession
    from pyspark.sql.streaming.query import StreamingQuery


SETTINGS = {
    **SILENT,
    "spark.sql.codegen.wholeStage": "false",
    "spark.sql.codegen.factoryMode": "NO_CODEGEN",
    "spark.sql.shuffle.partitions": "1",
}
"""Of a session that handles a few rows and does not live long."""


def main(place: str) -> None:
    """Handle what is left of the source of every stream in the folder, one of its files a batch."""
    os.environ["PYSPARK_PYTHON"] = sys.executable
    from pyspark.sql import SparkSession

    import deltaresolver.spark as ds

    spark = configure(SparkSession.builder.master("local[2]"), SETTINGS).getOrCreate()
    ds.enable(spark)
    for query in [_start(spark, folder) for folder in sorted(Path(place).iterdir())]:
        query.awaitTermination()


def _start(spark: SparkSession, folder: Path) -> StreamingQuery:
    # Spark gives the Python process that reads a Delta source ten seconds to start, which a busy machine may not.
    rows = spark.readStream.schema("id BIGINT, k BIGINT").option("maxFilesPerTrigger", "1").parquet(f"{folder}/source")
    writer = rows.writeStream.option("checkpointLocation", str(folder / "checkpoint")).trigger(availableNow=True)
    sink = str(folder / "sink")
    if folder.name.startswith("merge"):
        return writer.foreachBatch(partial(add_up, sink)).start()
    return writer.format("delta").start(sink)


def add_up(sink: str, batch: DataFrame, number: int) -> None:
    """Add to what each key has, which would not be the same if it were done twice."""
    from deltaresolver.spark.tables import DeltaTable

    session = batch.sparkSession
    session.conf.set("spark.databricks.delta.write.txnAppId", "totals")
    session.conf.set("spark.databricks.delta.write.txnVersion", number)
    totals = batch.groupBy("k").sum("id").withColumnRenamed("sum(id)", "total").alias("s")
    merge = DeltaTable.forPath(session, sink).alias("t").merge(totals, "t.k = s.k")
    merge = merge.whenMatchedUpdate(set={"n": "t.n + s.total"})
    merge.whenNotMatchedInsert(values={"k": "s.k", "n": "s.total"}).execute()


if __name__ == "__main__":
    main(sys.argv[1])
