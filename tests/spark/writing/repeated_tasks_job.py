"""Writes whose tasks fail once, or run twice at a time, in a session that repeats tasks."""

from __future__ import annotations

import os
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import pyarrow as pa

import deltaresolver.spark as ds
from deltaresolver.table import Table
from tests.spark_job import SILENT, configure, tell

if TYPE_CHECKING:
    from pyspark.sql import DataFrame

Batches = Iterator[pa.RecordBatch]
SETTINGS = {
    **SILENT,
    "spark.speculation": "true",
    "spark.speculation.interval": "50ms",
    "spark.speculation.multiplier": "1.2",
    "spark.speculation.quantile": "0.3",
    "spark.speculation.minTaskRuntime": "50ms",
}


def fails_once(batches: Batches) -> Batches:
    """Gives all its rows, and then its first attempt fails."""
    from pyspark import TaskContext

    context = TaskContext.get()
    assert context is not None
    yield from batches
    if context.attemptNumber() == 0 and context.partitionId() == 1:
        raise ValueError("the first attempt fails")


def dawdles(batches: Batches) -> Batches:
    """Is slow at first, so that a second attempt is started."""
    from pyspark import TaskContext

    context = TaskContext.get()
    assert context is not None
    yield from batches
    if context.attemptNumber() == 0 and context.partitionId() == 1:
        time.sleep(3)


def main(root: Path) -> None:
    """Write each frame to a table; how many rows it has then, and how many were accounted for."""
    from pyspark.sql import SparkSession

    os.environ.setdefault("PYSPARK_PYTHON", sys.executable)
    spark = configure(SparkSession.builder.master("local[3,4]"), SETTINGS).getOrCreate()
    rows = spark.range(0, 1000, 1, 6)
    frames: dict[str, Callable[[], DataFrame]] = {
        "failed once": lambda: rows.mapInArrow(fails_once, "id long"),
        "failed once below a shuffle": lambda: rows.mapInArrow(fails_once, "id long").repartition(3),
        "failed once after it": lambda: rows.repartition(3).mapInArrow(fails_once, "id long"),
        "speculative": lambda: rows.mapInArrow(dawdles, "id long"),
    }
    found = {}
    for number, (name, frame) in enumerate(frames.items()):
        path = root / str(number)
        ds.write(frame(), path, mode="append")
        metrics = Table(path).history(1)[0].info.fields["operationMetrics"]
        found[name] = [ds.read(spark, path).count(), metrics.get("rowsAccountedFor")]
    tell(found)
    spark.stop()


if __name__ == "__main__":
    main(Path(sys.argv[1]))
