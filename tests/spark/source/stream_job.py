"""A driver of its own, to be killed: streams one table into another, or writes slowly. Run by tests."""

from __future__ import annotations

import os
import sys
import time

from tests.spark_job import SILENT, configure


def main(job: str, source: str, sink: str, checkpoint: str) -> None:
    """Run one job with a small session."""
    os.environ["PYSPARK_PYTHON"] = sys.executable
    from pyspark.sql import SparkSession

    import deltaresolver.spark as ds

    spark = configure(SparkSession.builder.master("local[2]"), SILENT).getOrCreate()
    ds.register(spark)
    if job == "stream":
        rows = spark.readStream.format("deltaresolver").option("maxFilesPerTrigger", "1").load(source)
        query = rows.writeStream.format("deltaresolver").option("checkpointLocation", checkpoint)
        query.trigger(availableNow=True).start(sink).awaitTermination()
        return

    def slowly(batches):  # type: ignore[no-untyped-def]
        for batch in batches:
            yield batch
            # Long enough in all to be killed in the middle; a batch only moves on when the next one is asked for.
            time.sleep(0.5)

    rows = spark.range(0, 400_000, 1, 2).mapInArrow(slowly, "id long")
    if job == "fast":
        ds.write(rows, sink, mode="append")
    else:
        rows.write.format("deltaresolver").mode("append").save(sink)


if __name__ == "__main__":
    main(*sys.argv[1:])
