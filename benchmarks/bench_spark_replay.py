"""Replay of one huge table here and on Spark: the same files, time and memory of both, by size of the log.

    python -m benchmarks.bench_spark_replay [--actions 100000 1000000 10000000] [--out FILE]

Each side runs in processes of its own. Memory is the peak of what a side's whole process tree holds (proportional set
size, so that shared pages count once). Both sides also boil the files down to one number, which must be the same.
Spark's time begins when its session stands. `crossing` is the first size at which a side that was worse is better.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa

from benchmarks.lake import LogShape, live_file_count, write_log
from deltaresolver.log.columnar.fingerprint import fingerprint
from deltaresolver.table import Table

ACTIONS_PER_COMMIT = 5_000
CORES = "local[*]"
_WORD = 1 << 64


def digest(batch: pa.RecordBatch | pa.Table) -> int:
    """A number that is the same for the same rows in any order."""
    total = 0
    for part in batch.to_batches() if isinstance(batch, pa.Table) else [batch]:
        paths, stats = (fingerprint(part.column(name).cast(pa.string())) for name in ("path", "stats"))
        sizes = part.column("size").to_numpy(zero_copy_only=False).astype(np.uint64)
        with np.errstate(over="ignore"):
            rows = (paths ^ (stats * np.uint64(0x9E3779B97F4A7C15))) * (sizes | np.uint64(1))
            total += int(rows.sum(dtype=np.uint64))
    return total % _WORD


def run_local(table: str) -> dict[str, Any]:
    """All files by the replay of one process."""
    begun = time.perf_counter()
    files = Table(table).snapshot().files()
    return {"files": files.num_rows, "digest": str(digest(files)), "wall_s": round(time.perf_counter() - begun, 2)}


def run_spark(table: str, partitions: int) -> dict[str, Any]:
    """All files by the replay on Spark, boiled down where they are."""
    from pyspark.sql import SparkSession  # noqa: PLC0415 - only this process starts a JVM

    from deltaresolver.spark.replay import replay  # noqa: PLC0415 - the same

    # Workers must be this Python, not the python3 on PATH.
    os.environ["PYSPARK_PYTHON"] = sys.executable
    builder = SparkSession.builder.master(CORES).config("spark.ui.enabled", "false")
    builder = builder.config("spark.ui.showConsoleProgress", "false").config("spark.driver.memory", "2g")
    spark = builder.getOrCreate()
    spark.sparkContext.setLogLevel("ERROR")
    spark.range(10).count()

    def boil(batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        for batch in batches:
            yield pa.RecordBatch.from_pydict({"files": [batch.num_rows], "digest": [str(digest(batch))]})

    begun = time.perf_counter()
    found = replay(spark, table, partitions).select("path", "size", "stats")
    rows = found.mapInArrow(boil, "files long, digest string").collect()
    took = time.perf_counter() - begun
    total = sum(int(row["digest"]) for row in rows) % _WORD
    spark.stop()
    return {"files": sum(row["files"] for row in rows), "digest": str(total), "wall_s": round(took, 2)}


def own_process(*arguments: str) -> dict[str, Any]:
    """One measurement in a process of its own, with the peak of its whole tree's memory."""
    command = [sys.executable, "-m", "benchmarks.bench_spark_replay", *arguments]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
        peak = _Peak(process.pid)
        watching = threading.Thread(target=peak.watch, daemon=True)
        watching.start()
        assert process.stdout is not None
        told = process.stdout.read()
        peak.is_over = True
        watching.join()
    if process.wait():
        raise SystemExit(f"{' '.join(command)} failed")
    return {**json.loads(told.splitlines()[-1]), "peak_mb": round(peak.kilobytes / 1024)}


class _Peak:
    """The most memory that a process and its descendants held at once."""

    def __init__(self, root: int) -> None:
        self.root, self.kilobytes, self.is_over = root, 0, False

    def watch(self) -> None:
        while not self.is_over:
            self.kilobytes = max(self.kilobytes, sum(map(_held, _tree(self.root))))
            time.sleep(0.2)


def _tree(root: int) -> list[int]:
    parents: dict[int, list[int]] = {}
    for status in Path("/proc").glob("[0-9]*/stat"):
        try:
            parent = int(status.read_text().rpartition(")")[2].split()[1])
        except OSError:
            continue
        parents.setdefault(parent, []).append(int(status.parent.name))
    found, waiting = [], [root]
    while waiting:
        found.append(waiting.pop())
        waiting.extend(parents.get(found[-1], []))
    return found


def _held(process: int) -> int:
    try:
        lines = Path(f"/proc/{process}/smaps_rollup").read_text().splitlines()
    except OSError:
        return 0
    return next((int(line.split()[1]) for line in lines if line.startswith("Pss:")), 0)


def compare(actions: int, partitions: int, root: Path) -> dict[str, Any]:
    """Both sides on one log."""
    shape = LogShape(max(1, actions // ACTIONS_PER_COMMIT), min(actions, ACTIONS_PER_COMMIT))
    table = str(write_log(root, shape))
    sides = {"local": own_process("local", table), "spark": own_process("spark", table, str(partitions))}
    same = {(side["files"], side["digest"]) for side in sides.values()} == {
        (live_file_count(shape), sides["local"]["digest"])
    }
    return {"actions": shape.commits * shape.actions, "same_files": same, **sides}


def crossing(rows: list[dict[str, Any]], measure: str) -> int | None:
    """The first size at which Spark needs less of `measure`, or None where it never does."""
    return next((row["actions"] for row in rows if row["spark"][measure] < row["local"][measure]), None)


def main() -> None:
    """Measure, print, and write the results."""
    if sys.argv[1:2] == ["local"]:
        print(json.dumps(run_local(sys.argv[2])))
        return
    if sys.argv[1:2] == ["spark"]:
        print(json.dumps(run_spark(sys.argv[2], int(sys.argv[3]))))
        return
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--actions", type=int, nargs="+", default=[100_000, 1_000_000, 10_000_000])
    parser.add_argument("--partitions", type=int, default=50)
    parser.add_argument("--out", type=Path, default=Path("benchmarks/results/spark_replay.json"))
    chosen = parser.parse_args()
    rows = []
    for actions in sorted(chosen.actions):
        with tempfile.TemporaryDirectory() as folder:
            rows.append(compare(actions, chosen.partitions, Path(folder)))
        print(rows[-1], file=sys.stderr, flush=True)
    told = {"rows": rows, "crossing": {measure: crossing(rows, measure) for measure in ("wall_s", "peak_mb")}}
    print(json.dumps(told, indent=2))
    chosen.out.write_text(json.dumps(told, indent=2) + "\n")
    if not all(row["same_files"] for row in rows):
        raise SystemExit("the two replays differ")


if __name__ == "__main__":
    main()
