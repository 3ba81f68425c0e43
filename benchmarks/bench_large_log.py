"""The driver's memory for a log of many files in a checkpoint, where few of them are needed or all are counted.

    python -m benchmarks.bench_large_log                      10 million files, results/large_log.json
    python -m benchmarks.bench_large_log --files 1000000 --no-write

Each way runs in a process of its own: files selected by a condition, on the driver part by part, and by Spark;
`ds.read` and `ds.delete` with a condition that no file can satisfy, which select no file in the same way; and files
counted, as in an audit. `python` is the peak memory of the driving process, `heap` the peak of the JVM's heap, garbage
included. Executors are threads of that JVM here; their Python workers are processes of their own and do not count.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pyarrow.compute as pc
import pyarrow.parquet as pq

from benchmarks.driver_memory import DriverMemory, peak_of_this_process
from benchmarks.lake import LogShape, write_log
from benchmarks.results_folder import RESULTS
from deltaresolver.log.checkpoint.schema import classic_schema
from deltaresolver.log.checkpoint.state import add_rows, read_state, small_rows
from deltaresolver.log.columnar.file_kinds import count_kinds, joined_kinds
from deltaresolver.log.names import checkpoint_path, commit_path
from deltaresolver.log.pruning.counted_files import count_files
from deltaresolver.spark.reading.select_files import select_files
from deltaresolver.table import Table

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

_SMALL = LogShape(20, 5_000)
_DAY, _NO_DAY = "day = '2024-03-05' AND id < 40000", "day = '2030-01-01'"


def make(root: Path, files: int) -> str:
    """A table of about `files` files, in one checkpoint and a last commit. The data files do not exist."""
    small = Table(write_log(root, _SMALL))
    state = read_state(small.snapshot())
    schema = classic_schema(state.add_type)
    table = root / "large"
    (table / "_delta_log").mkdir(parents=True)
    with pq.ParquetWriter(table / checkpoint_path(1), schema, store_schema=False) as writer:
        writer.write_table(small_rows(state.small, schema))
        for number in range(-(-files // state.adds.num_rows)):
            paths = pc.binary_join_element_wise(state.adds.column("path"), f"{number}.parquet", "-")
            writer.write_table(add_rows(state.adds.set_column(0, state.adds.schema[0], paths), state.add_type, schema))
    first = {"commitInfo": {"timestamp": 1, "operation": "WRITE"}}
    (table / commit_path(1)).write_text(json.dumps(first) + "\n", encoding="ascii")
    add = {"path": "new.parquet", "partitionValues": {"day": "2024-03-05"}, "size": 1, "modificationTime": 1,
           "dataChange": True}  # fmt: skip
    (table / commit_path(2)).write_text(json.dumps(first) + "\n" + json.dumps({"add": add}) + "\n", encoding="ascii")
    return str(table)


def by_the_driver(_spark: SparkSession | None, table: str) -> int:
    """Select files part by part in one process."""
    return int(select_files(Table(table).snapshot(), _DAY, "UTC").num_rows)


def by_spark(spark: SparkSession | None, table: str) -> int:
    """Select files on executors."""
    return int(select_files(Table(table).snapshot(), _DAY, "UTC", spark).num_rows)


def all_held(_spark: SparkSession | None, table: str) -> int:
    """Read all files, as a scan without a condition does."""
    return int(Table(table).snapshot().files().num_rows)


def counted(_spark: SparkSession | None, table: str) -> int:
    """Count files by kind."""
    return sum(kind.files for kind in joined_kinds(count_files(Table(table).snapshot(), count_kinds)))


def read_none(spark: SparkSession | None, table: str) -> int:
    """Plan `ds.read` with a condition that no file can satisfy."""
    import deltaresolver.spark as ds  # noqa: PLC0415 - where Spark is

    assert spark is not None
    return int(ds.read(spark, table, where=_NO_DAY).count())


def delete_none(spark: SparkSession | None, table: str) -> int:
    """Run `ds.delete` with a condition that no file can satisfy."""
    import deltaresolver.spark as ds  # noqa: PLC0415 - where Spark is

    assert spark is not None
    ds.delete(spark, table, _NO_DAY)
    return 0


Way = Callable[["SparkSession | None", str], int]
WAYS: Mapping[str, Way] = {
    "all files held": all_held,
    "files counted": counted,
    "files of a condition, driver": by_the_driver,
    "files of a condition, Spark": by_spark,
    "ds.read of a condition": read_none,
    "ds.delete of a condition": delete_none,
}
_WITHOUT_SPARK = frozenset({"all files held", "files counted", "files of a condition, driver"})


def measure(name: str, table: str) -> dict[str, Any]:
    """Measure one way in this process."""
    spark = None if name in _WITHOUT_SPARK else _session()
    begun, worked = time.perf_counter(), time.process_time()
    heap = None
    if spark is None:
        found = WAYS[name](None, table)
    else:
        with DriverMemory(spark) as held:
            found = WAYS[name](spark, table)
        heap = held.most.heap
    wall, cpu = time.perf_counter() - begun, time.process_time() - worked
    told = {"found": found, "wall_s": round(wall, 1), "driver_cpu_s": round(cpu, 1), "python": peak_of_this_process()}
    return told if heap is None else {**told, "heap": heap}


def _session() -> SparkSession:
    from pyspark.sql import SparkSession  # noqa: PLC0415 - only these ways start a JVM

    os.environ["PYSPARK_PYTHON"] = sys.executable
    builder = SparkSession.builder.master("local[2]").config("spark.ui.enabled", "false")
    spark = builder.config("spark.ui.showConsoleProgress", "false").config("spark.driver.memory", "1g").getOrCreate()
    spark.sparkContext.setLogLevel("ERROR")
    spark.range(10).count()
    return spark


def main() -> None:
    """Measure, print, write the results."""
    if sys.argv[1:2] == ["way"]:
        print(json.dumps(measure(*sys.argv[2:4])))
        return
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--files", type=int, default=10_000_000)
    parser.add_argument("--only", nargs="+", choices=[*WAYS], default=[*WAYS])
    parser.add_argument("--table", help="one that `make` made before")
    parser.add_argument("--no-write", dest="write", action="store_false")
    chosen = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="large-log-") as folder:
        table = chosen.table or make(Path(folder), chosen.files)
        rows = {}
        for name in chosen.only:
            command = [sys.executable, "-m", "benchmarks.bench_large_log", "way", name, table]
            done = subprocess.run(command, stdout=subprocess.PIPE, text=True, check=True)
            rows[name] = json.loads(done.stdout.splitlines()[-1])
            print(name, rows[name], flush=True)
    if len({rows[name]["found"] for name in rows if "of a condition," in name}) > 1:
        raise SystemExit("the ways do not choose the same files")
    if chosen.write:
        told = json.dumps({"files": chosen.files, "ways": rows}, indent=1)
        (RESULTS / "large_log.json").write_text(told + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
