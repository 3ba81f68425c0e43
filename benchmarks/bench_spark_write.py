"""Writing from PySpark, in one session: DataFrame API and data source of this library, plain Parquet, delta-spark.

    python -m benchmarks.bench_spark_write              everything, written to results/spark_write.json
    python -m benchmarks.bench_spark_write --no-write   to look only

Sides take turns, and the first turns of each are not counted. An append goes to one growing table a side; the large
write goes to a new folder each time. The smallest time of a side is compared: on a busy machine larger times include
other load.
"""

from __future__ import annotations

import argparse
import os
import shutil
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

import deltaresolver.spark as ds
from benchmarks.spark_turns import PLAIN, RESULTS, Times, report, take_turns
from tests.peers.delta_spark import start_delta_spark

if TYPE_CHECKING:
    from pyspark.sql import DataFrame

Side = Callable[["DataFrame", Path], object]
SIDES: dict[str, Side] = {
    PLAIN: lambda rows, path: rows.write.mode("append").parquet(str(path)),
    "deltaresolver": lambda rows, path: ds.write(rows, path, mode="append"),
    "deltaresolver, second door": lambda rows, path: rows.write.format("deltaresolver").mode("append").save(str(path)),
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
    # Workers run this Python, and not the first one of PATH.
    os.environ.setdefault("PYSPARK_PYTHON", sys.executable)
    spark = start_delta_spark(is_measured=True).spark
    spark.sparkContext.setLogLevel("ERROR")
    ds.register(spark)
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
    results: dict[str, Times] = {}
    try:
        results["append of 1,000 rows"] = appends(small, root / "small", arguments.appends)
        results[f"write of {arguments.rows:,} rows x 6"] = large_writes(large, root / "large", arguments.repeat)
    finally:
        shutil.rmtree(root)
    report(results, load, RESULTS / "spark_write.json" if arguments.write else None)


def appends(rows: DataFrame, root: Path, repeat: int) -> Times:
    """Time appends by all sides, each to the side's own growing table."""
    return take_turns(list(SIDES), lambda name: SIDES[name](rows, root / name), repeat, warm=5)


def large_writes(rows: DataFrame, root: Path, repeat: int) -> Times:
    """Time large writes by all sides, each to a new table, which is deleted before the next turn."""

    def write(name: str) -> None:
        shutil.rmtree(root, ignore_errors=True)
        SIDES[name](rows, root / name)

    return take_turns(list(SIDES), write, repeat, warm=1)


if __name__ == "__main__":
    main()
