"""The DataFrame API and the data source on a standalone cluster of two workers, in a process of its own.

In each an executor is killed in one write; in another one task fails when all is written, and one hangs until
Spark starts it a second time on the other worker, beside itself.
Run by tests; prints what it found as JSON.
"""

from __future__ import annotations

import os
import signal
import sys
import threading
import time
from pathlib import Path
from typing import TYPE_CHECKING

from tests.spark.connect.standalone_cluster import run_cluster
from tests.spark_job import JVM_OPTIONS, SILENT, configure, tell

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

SETTINGS = {
    **SILENT,
    "spark.executor.cores": "1",
    "spark.executor.memory": "512m",
    "spark.speculation": "true",
    "spark.speculation.interval": "100ms",
    "spark.speculation.minTaskRuntime": "1s",
    "spark.speculation.multiplier": "1.5",
    "spark.speculation.quantile": "0.5",
    "spark.executor.extraJavaOptions": JVM_OPTIONS,
}
HANGS_SECONDS = 100


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
    """Write and read through both doors, with what goes wrong on a cluster."""
    os.environ["PYSPARK_PYTHON"] = sys.executable
    os.environ["SPARK_LOCAL_IP"] = "127.0.0.1"
    from pyspark.sql import SparkSession

    import deltaresolver.spark as ds

    with run_cluster(Path(folder, "cluster")) as master:
        spark = configure(SparkSession.builder.master(master), SETTINGS).getOrCreate()
        ds.register(spark)
        found = {}
        for door in ("fast", "source"):
            found[door] = with_a_killed_executor(spark, door, Path(folder, door))
            found[f"{door} twice"] = with_repeated_tasks(spark, door, Path(folder, f"{door} twice"))
        tell(found)
        spark.stop()


def save(rows: DataFrame, door: str, table: Path) -> None:
    """Append through one door."""
    import deltaresolver.spark as ds

    if door == "fast":
        ds.write(rows, table, mode="append")
    else:
        rows.write.format("deltaresolver").mode("append").save(str(table))


def with_a_killed_executor(spark: SparkSession, door: str, table: Path) -> dict[str, object]:
    """A write that loses an executor; rows and distinct rows through both doors."""
    import deltaresolver.spark as ds

    def slowly(batches):  # type: ignore[no-untyped-def]
        for batch in batches:
            yield batch
            time.sleep(0.4)

    save(spark.range(0, 100, 1, 2), door, table)
    before, killed = set(table.rglob("*.parquet")), list[int]()
    killer = threading.Thread(target=kill_when_written, args=(table, before, killed))
    killer.start()
    save(spark.range(100, 60_100, 1, 4).mapInArrow(slowly, "id long"), door, table)
    killer.join()
    both = (ds.read(spark, table), spark.read.format("deltaresolver").load(str(table)))
    counts = [[rows.count(), rows.distinct().count()] for rows in both]
    return {"killed": len(killed), "counts": counts, "accounted": accounted(table)}


def with_repeated_tasks(spark: SparkSession, door: str, table: Path) -> dict[str, object]:
    """A write whose task 2 fails at the end, and whose task 3 hangs there, when they run for the first time."""
    import deltaresolver.spark as ds

    marks = table.with_name(f"{table.name}.marks")
    marks.mkdir()
    hangs = HANGS_SECONDS

    def repeated(batches):  # type: ignore[no-untyped-def]
        import pyarrow as pa
        from pyspark import TaskContext

        context = TaskContext.get()
        assert context is not None
        task, attempt = context.partitionId(), context.attemptNumber()
        # An executor runs in the folder of its worker, which has the worker's address in its name.
        place = [os.getcwd()]  # noqa: PTH109 - sent to the cluster, where this file's imports are not
        for batch in batches:
            columns = {"id": batch.column(0), "attempt": [attempt] * batch.num_rows, "place": place * batch.num_rows}
            yield pa.RecordBatch.from_pydict(columns)
        if task == 2 and attempt == 0:
            raise RuntimeError("all rows are written, and then the task fails")
        if task == 3 and attempt == 0:
            with open(f"{marks}/hangs", "w") as mark:  # noqa: PTH123
                mark.write(place[0])
            time.sleep(hangs)

    save(spark.range(0, 400, 1, 4).mapInArrow(repeated, "id long, attempt long, place string"), door, table)
    rows = ds.read(spark, table)
    winners = rows.where("id >= 200").select("attempt", "place").distinct().collect()
    (won,) = {host(row.place) for row in rows.where("id >= 300").select("place").distinct().collect()}
    return {
        "counts": [rows.count(), rows.distinct().count()],
        "accounted": accounted(table),
        "attempts": sorted({row.attempt for row in winners}),
        "hosts": sorted([host((marks / "hangs").read_text()), won]),
    }


def accounted(table: Path) -> object:
    """How many rows of the latest commit were found both in tasks and in files."""
    from deltaresolver.table import Table

    return Table(table).history(1)[0].info.fields["operationMetrics"].get("rowsAccountedFor")


def host(folder: str) -> str:
    """The address of the worker whose executor runs in this folder."""
    return next(part.removeprefix("work ") for part in Path(folder).parts if part.startswith("work "))


if __name__ == "__main__":
    main(sys.argv[1])
