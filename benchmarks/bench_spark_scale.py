"""Tables that are large in one way: many rows changed, many columns, deep columns, many partitions, many files.

    python -m benchmarks.bench_spark_scale              every case, written to results/spark_scale.json
    python -m benchmarks.bench_spark_scale --part 0.1   a tenth of each size, to look only with --no-write
    python -m benchmarks.bench_spark_scale --only wide  the cases of these names

Sides take turns in one session, after a round on a table of a twentieth of the size, in which the JVM compiles. Besides
the time, the peak memory of the driver in a turn is shown: that of Python above what it used before, and that of the
JVM's heap, garbage included. One JVM is driver and executors here.
"""

from __future__ import annotations

import argparse
import os
import shutil
import sys
import tempfile
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

import attrs

from benchmarks.bench_spark_change import copy_often, ensure_equal
from benchmarks.driver_memory import DriverMemory
from benchmarks.scale_cases import CASES, Case
from benchmarks.spark_turns import RESULTS, Times, report, take_turns
from tests.peers.delta_spark import start_delta_spark

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

WARM_PART = 0.05
Memory = dict[str, list[Mapping[str, int]]]


def main() -> None:
    """Measure, print, write the results."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--part", type=float, default=1.0, help="which part of each case's size")
    parser.add_argument("--repeat", type=int, default=1)
    parser.add_argument("--only", nargs="+", choices=[case.name for case in CASES], metavar="CASE")
    parser.add_argument("--no-write", dest="write", action="store_false")
    arguments = parser.parse_args()
    # Workers run this Python, and not the first one of PATH.
    os.environ.setdefault("PYSPARK_PYTHON", sys.executable)
    spark = start_delta_spark(is_measured=True).spark
    spark.sparkContext.setLogLevel("ERROR")
    load = os.getloadavg()[0]
    results: dict[str, Times] = {}
    told: dict[str, Any] = {}
    for case in CASES:
        if arguments.only and case.name not in arguments.only:
            continue
        measure(spark, case.sized(arguments.part * WARM_PART), 1)
        sized = case.sized(arguments.part)
        results[sized.title], told[sized.title] = measure(spark, sized, arguments.repeat)
        print(sized.title, results[sized.title], told[sized.title], file=sys.stderr, flush=True)
    target = RESULTS / "spark_scale.json" if arguments.write else None
    report(results, load, target, {"memory": told})


def measure(spark: SparkSession, case: Case, repeat: int) -> tuple[Times, Memory]:
    """Measure all sides of a case; if it changes the table, each turn has a copy, and rows are compared at the end."""
    root = Path(tempfile.mkdtemp(prefix="bench-scale-"))
    memory: Memory = {name: [] for name in case.sides}
    last: dict[str, Path] = {}
    try:
        table = case.make(spark, root, case.size)
        copies = {name: iter(copy_often(table, repeat) if case.changes else [table] * repeat) for name in case.sides}

        def turn(name: str) -> None:
            last[name] = next(copies[name])
            with DriverMemory(spark) as held:
                case.sides[name](spark, last[name])
            memory[name].append(attrs.asdict(held.most))

        times = take_turns([*case.sides], turn, repeat, 0)
        if case.changes:
            ensure_equal(spark, last)
    finally:
        shutil.rmtree(root)
    return times, memory


if __name__ == "__main__":
    main()
