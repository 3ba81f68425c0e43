"""Both doors on a standalone cluster of two workers, in a process of its own.

An executor is killed in two writes; in two others a task hangs until Spark starts it a second time beside itself.
Run by tests; prints what it found as JSON.
"""

from __future__ import annotations

import json
import os
import signal
import sys
import threading
import time
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pyspark.sql import DataFrame


def executors() -> list[int]:
    """The processes of this machine that are executors of this driver's cluster."""
    found = []
    for folder in Path("/proc").iterdir():
        if not folder.name.isdecimal():
            continue
        try:
            command = (folder / "cmdline").read_bytes()
            group = os.getpgid(int(folder.name))
        except OSError:
            continue
        if b"CoarseGrainedExecutorBackend" in command and group == os.getpgid(0):
            found.append(int(folder.name))
    return found


def kill_when_written(table: Path, before: set[Path], killed: list[int]) -> None:
    """Kill one executor as soon as a data file appears."""
    end = time.monotonic() + 100
    while time.monotonic() < end and not set(table.rglob("*.parquet")) - before:
        time.sleep(0.02)
    for number in executors()[:1]:
        os.kill(number, signal.SIGKILL)
        killed.append(number)


def main(folder: str) -> None:
    """Write and read through both doors, then once more with an executor killed."""
    os.environ["PYSPARK_PYTHON"] = sys.executable
    import pyspark
    from pyspark.sql import SparkSession

    os.environ["SPARK_HOME"] = str(Path(pyspark.__file__).parent)
    os.environ["SPARK_LOCAL_IP"] = "127.0.0.1"

    import deltaresolver.spark as ds

    builder = SparkSession.builder.master("local-cluster[2,1,1024]").config("spark.ui.enabled", "false")
    builder = (
        builder.config("spark.python.authenticate.socketTimeout", "120s")
        .config("spark.log.level", "OFF")
        .config("spark.driver.host", "127.0.0.1")
    )
    builder = builder.config("spark.executor.memory", "512m").config("spark.ui.showConsoleProgress", "false")
    spark = builder.config("spark.sql.shuffle.partitions", "2").getOrCreate()
    ds.register(spark)
    found: dict[str, object] = {}

    def slowly(batches):  # type: ignore[no-untyped-def]
        for batch in batches:
            yield batch
            time.sleep(0.4)

    def failing_once(batches):  # type: ignore[no-untyped-def]
        import pyarrow as pa
        from pyspark import TaskContext

        context = TaskContext.get()
        assert context is not None
        attempt = context.attemptNumber()
        for batch in batches:
            yield pa.RecordBatch.from_pydict({"id": batch.column(0), "attempt": [attempt] * batch.num_rows})
        if context.partitionId() == 3 and attempt == 0:
            raise RuntimeError("all rows are written, and then the task fails")

    for door in ("fast", "source"):
        table = Path(folder, door)

        def write(rows: DataFrame, door: str = door, table: Path = table) -> None:
            if door == "fast":
                ds.write(rows, table, mode="append")
            else:
                rows.write.format("deltaresolver").mode("append").save(str(table))

        write(spark.range(0, 100, 1, 2))
        before, killed = set(table.rglob("*.parquet")), list[int]()
        killer = threading.Thread(target=kill_when_written, args=(table, before, killed))
        killer.start()
        write(spark.range(100, 60_100, 1, 4).mapInArrow(slowly, "id long"))
        killer.join()
        counts = [
            [rows.count(), rows.distinct().count()]
            for rows in (ds.read(spark, table), spark.read.format("deltaresolver").load(str(table)))
        ]
        found[door] = {"killed": len(killed), "counts": counts}
        table = Path(folder, f"{door} twice")
        write(spark.range(0, 400, 1, 4).mapInArrow(failing_once, "id long, attempt long"), table=table)
        rows = ds.read(spark, table)
        second = {row.attempt for row in rows.where("id >= 300").collect()}
        found[f"{door} twice"] = {"counts": [rows.count(), rows.distinct().count()], "second": sorted(second)}
    print("FOUND " + json.dumps(found))
    spark.stop()


if __name__ == "__main__":
    main(sys.argv[1])
