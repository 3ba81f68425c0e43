"""Replay of one huge log in one process and on Spark: time and memory of both for the same files, by size of the log.

    python -m benchmarks.bench_spark_replay [--actions 100000 1000000 10000000] [--partitions 50 8 200] [--out FILE]

Each side runs in processes of its own and returns all columns of all live files. Memory is the peak of a side's whole
process tree (proportional set size, so that shared pages count once). Both sides compute one checksum of the files,
which must be equal: the process afterwards, outside the time, and Spark within it. Spark's time begins when its session
is ready. All of `--partitions` are tried on the middle log, the first on every log.

`crossing` is the size at which the side that is better on a small log stops being so: measured, else where the lines
through the two largest logs meet, else None. With None, `cores_to_break_even` is the number of cores on which Spark
would be as quick, if its tasks spread evenly.
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
import zlib
from pathlib import Path
from typing import Any

import pyarrow as pa

from benchmarks.lake import LogShape, live_file_count, write_log
from benchmarks.results_folder import RESULTS
from deltaresolver.table import Table

ACTIONS_PER_COMMIT = 5_000
CORES = "local[*]"
_DIGESTED = 50_000


def digest(files: pa.Table) -> int:
    """A number that is the same for the same files in any order: the sum of checksums that Spark can work out too."""
    total = 0
    for batch in files.select(["path", "size", "stats"]).to_batches(_DIGESTED):
        for path, size, stats in zip(*(column.to_pylist() for column in batch.columns), strict=True):
            total += zlib.crc32("\x01".join((path, str(size), *(() if stats is None else (stats,)))).encode())
    return total


def run_local(table: str) -> dict[str, Any]:
    """Replay the log in one process."""
    begun = time.perf_counter()
    files = Table(table).snapshot().files()
    took = time.perf_counter() - begun
    return {"files": files.num_rows, "digest": digest(files), "wall_s": round(took, 2)}


def run_spark(table: str, partitions: list[int]) -> dict[str, Any]:
    """Replay the log on Spark, once for each number of partitions; nothing is written or collected."""
    from pyspark.sql import Observation, SparkSession  # noqa: PLC0415 - only this process starts a JVM
    from pyspark.sql import functions as F  # noqa: N812, PLC0415 - as everybody calls it

    from deltaresolver.spark.replay import replay  # noqa: PLC0415 - the same

    # Workers must be this Python, not the python3 on PATH.
    os.environ["PYSPARK_PYTHON"] = sys.executable
    builder = SparkSession.builder.master(CORES).config("spark.ui.enabled", "false")
    builder = builder.config("spark.ui.showConsoleProgress", "false").config("spark.driver.memory", "2g")
    spark = builder.getOrCreate()
    spark.sparkContext.setLogLevel("ERROR")
    spark.range(10).count()
    text = F.concat_ws("\x01", "path", F.col("size").cast("string"), "stats")
    told: list[dict[str, Any]] = []
    for count in partitions:
        begun = time.perf_counter()
        seen = Observation()
        found = replay(spark, table, count).observe(
            seen, F.count(F.lit(1)).alias("files"), F.sum(F.crc32(text)).alias("digest")
        )
        found.write.format("noop").mode("overwrite").save()
        told.append({"partitions": count, **seen.get, "wall_s": round(time.perf_counter() - begun, 2)})
    spark.stop()
    return {**told[0], "tried": [{"partitions": one["partitions"], "wall_s": one["wall_s"]} for one in told]}


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
    """Measures the peak memory of a process and its descendants together."""

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


def compare(actions: int, partitions: list[int], root: Path) -> dict[str, Any]:
    """Both sides on one log."""
    shape = LogShape(max(1, actions // ACTIONS_PER_COMMIT), min(actions, ACTIONS_PER_COMMIT))
    table = str(write_log(root, shape))
    sides = {"local": own_process("local", table), "spark": own_process("spark", table, *map(str, partitions))}
    same = {(side["files"], side["digest"]) for side in sides.values()} == {
        (live_file_count(shape), sides["local"]["digest"])
    }
    return {"actions": shape.commits * shape.actions, "same_files": same, **sides}


def crossing(rows: list[dict[str, Any]], measure: str) -> dict[str, Any]:
    """The size from which Spark needs less of `measure`: measured, or calculated from the two largest, or never."""
    for row in rows:
        if row["spark"][measure] < row["local"][measure]:
            return {"actions": row["actions"], "how": "measured: the first of these sizes"}
    if len(rows) < 2:
        return {"actions": None, "how": "one size tells nothing"}
    (here, there), (n1, n2) = rows[-2:], (row["actions"] for row in rows[-2:])
    slopes = {side: (there[side][measure] - here[side][measure]) / (n2 - n1) for side in ("local", "spark")}
    gap = there["spark"][measure] - there["local"][measure]
    if slopes["local"] <= slopes["spark"]:
        cores = os.cpu_count() or 1
        even = round(cores * slopes["spark"] / slopes["local"], 1) if measure == "wall_s" else None
        return {"actions": None, "how": f"never on {cores} cores: it also grows faster", "cores_to_break_even": even}
    reached = n2 + gap / (slopes["local"] - slopes["spark"])
    return {"actions": round(reached), "how": "reckoned: where the lines through the two largest logs meet"}


def main() -> None:
    """Measure, print, and write the results."""
    if sys.argv[1:2] == ["local"]:
        print(json.dumps(run_local(sys.argv[2])))
        return
    if sys.argv[1:2] == ["spark"]:
        print(json.dumps(run_spark(sys.argv[2], [int(count) for count in sys.argv[3:]])))
        return
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--actions", type=int, nargs="+", default=[100_000, 1_000_000, 10_000_000])
    parser.add_argument("--partitions", type=int, nargs="+", default=[50, 8, 200])
    parser.add_argument("--out", type=Path, default=RESULTS / "spark_replay.json")
    chosen = parser.parse_args()
    rows = []
    sizes = sorted(chosen.actions)
    for actions in sizes:
        tried = chosen.partitions if actions == sizes[len(sizes) // 2] else chosen.partitions[:1]
        with tempfile.TemporaryDirectory() as folder:
            rows.append(compare(actions, tried, Path(folder)))
        print(rows[-1], file=sys.stderr, flush=True)
    told = {"rows": rows, "crossing": {measure: crossing(rows, measure) for measure in ("wall_s", "peak_mb")}}
    print(json.dumps(told, indent=2))
    chosen.out.write_text(json.dumps(told, indent=2) + "\n")
    if not all(row["same_files"] for row in rows):
        raise SystemExit("the two replays differ")


if __name__ == "__main__":
    main()
