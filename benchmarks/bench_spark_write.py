"""Writing from PySpark, side by side in one session: this library, plain Parquet and delta-spark.

    python -m benchmarks.bench_spark_write              everything, written to results/spark_write.json
    python -m benchmarks.bench_spark_write --no-write   to look only

Sides take turns, and the first turns of each are not counted. An append goes to one growing table a side; the large
write goes to a new folder each time. The smallest time of a side is compared: on a busy machine the others measure
the neighbours.
"""

from __future__ import annotations

import argparse
import json
import os
import shutil
import statistics
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

import deltaresolver.spark as ds
from tests.peers.delta_spark import start_delta_spark

if TYPE_CHECKING:
    from pyspark.sql import DataFrame

RESULTS = Path(__file__).parent / "results"
Side = Callable[["DataFrame", Path], object]
SIDES: dict[str, Side] = {
    "plain Parquet": lambda rows, path: rows.write.mode("append").parquet(str(path)),
    "deltaresolver": lambda rows, path: ds.write(rows, path, mode="append"),
    "delta-spark": lambda rows, path: rows.write.format("delta").mode("append").save(str(path)),
}


def main() -> None:
    """Measure, print, write the results."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rows", type=int, default=10_000_000)
    parser.add_argument("--appends", type=int, default=20)
    parser.add_argument("--repeat", type=int, default=3)
    parser.add_argument("--no-write", dest="write", action="store_false")
    arguments = parser.parse_args()
    spark = start_delta_spark().spark
    spark.sparkContext.setLogLevel("ERROR")
    load = os.getloadavg()[0]
    small = spark.range(1000).selectExpr("id", "cast(id as string) s", "rand(7) x")
    large = spark.range(arguments.rows).selectExpr(
        "id",
        "id % 1000 k",
        "rand(7) x",
        "cast(id % 5000 as string) s",
        "date'2024-01-01' + cast(id % 365 as int) d",
        "timestamp_seconds(1700000000 + id) t",
    )
    root = Path(tempfile.mkdtemp(prefix="bench-write-"))
    try:
        results = {
            "append of 1,000 rows": turns(small, root / "small", arguments.appends, warm=5, growing=True),
            f"write of {arguments.rows:,} rows x 6": turns(large, root / "large", arguments.repeat, warm=1),
        }
    finally:
        shutil.rmtree(root)
    report = {name: summary(times) for name, times in results.items()}
    machine = {"cores": os.cpu_count(), "load_before": round(load, 1), "load_after": round(os.getloadavg()[0], 1)}
    for name, sides in report.items():
        print(name, json.dumps(sides, indent=1))
    print(machine)
    if arguments.write:
        RESULTS.mkdir(exist_ok=True)
        (RESULTS / "spark_write.json").write_text(json.dumps({"machine": machine, "results": report}, indent=1) + "\n")


def turns(rows: DataFrame, root: Path, repeat: int, *, warm: int, growing: bool = False) -> dict[str, list[float]]:
    """Seconds of each turn a side, without the first `warm` ones."""
    times: dict[str, list[float]] = {name: [] for name in SIDES}
    for turn in range(warm + repeat):
        for name, side in SIDES.items():
            path = root / (name if growing else f"{name} {turn}")
            start = time.perf_counter()
            side(rows, path)
            taken = time.perf_counter() - start
            if not growing:
                shutil.rmtree(path)
            if turn >= warm:
                times[name].append(taken)
    return times


def summary(times: dict[str, list[float]]) -> dict[str, dict[str, float]]:
    """The best and the median, in milliseconds, and the best against plain Parquet's."""
    best = min(times["plain Parquet"])
    return {
        name: {
            "best_ms": round(min(taken) * 1000, 1),
            "median_ms": round(statistics.median(taken) * 1000, 1),
            "against_parquet": round(min(taken) / best, 2),
        }
        for name, taken in times.items()
    }


if __name__ == "__main__":
    main()
