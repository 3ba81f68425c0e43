"""Reading from PySpark, in one session: DataFrame API and data source of this library, plain Parquet, delta-spark.

    python -m benchmarks.bench_spark_read              everything, written to results/spark_read.json
    python -m benchmarks.bench_spark_read --no-write   to look only

All sides read the same files: a scan of all columns, a selective filter over many small files, and a table with rows
that deletion vectors delete (plain Parquet, which does not know the vectors, returns those rows too). For the scan, a
data source that only returns what pyarrow reads shows how much of this library's data source is Spark's own cost.
Sides take turns, the first turns of each are not counted, and the smallest time is compared. A scan has more turns of
both kinds, because the JVM compiles code of a new plan for some eight turns, at the cost of a side by chance. The rows
are discarded, and each turn reads the log again, if its side does so.
"""

from __future__ import annotations

import argparse
import json
import os
import shutil
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

import deltaresolver.spark as ds
from benchmarks import bare_arrow
from benchmarks.spark_turns import PLAIN, RESULTS, Times, report, take_turns
from deltaresolver.model.actions import AddFile
from deltaresolver.table import Table
from deltaresolver.transaction import operation as operations
from tests.peers.delta_spark import start_delta_spark

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

FAST, SECOND, PEER = "deltaresolver", "deltaresolver, second door", "delta-spark"
BARE = "bare Arrow reader"
SIDES = [PLAIN, FAST, SECOND, PEER]
ROWS_OF_SMALL_FILE = 100
WARM_SCANS = 4
SCANS_MORE_OFTEN = 3
COLUMNS = [
    "id",
    "id % 1000 k",
    "rand(7) x",
    "cast(id % 5000 as string) s",
    "date'2024-01-01' + cast(id % 365 as int) d",
    "timestamp_seconds(1700000000 + id) t",
]
SCHEMA = "id long, k long, x double, s string, d date, t timestamp"
Reading = Callable[["SparkSession", str, "str | None"], "DataFrame"]


def plain(spark: SparkSession, path: str, where: str | None) -> DataFrame:
    """Spark's own Parquet reader on the table's folder, which also has deletion vectors."""
    reader = spark.read.option("recursiveFileLookup", "true").option("pathGlobFilter", "*.parquet")
    return filtered(reader.parquet(path), where)


def fast(spark: SparkSession, path: str, where: str | None) -> DataFrame:
    """The DataFrame API, with the filter as an argument."""
    return ds.read(spark, path, where=where)


def second(spark: SparkSession, path: str, where: str | None) -> DataFrame:
    """The data source of this library."""
    return filtered(spark.read.format("deltaresolver").load(path), where)


def peer(spark: SparkSession, path: str, where: str | None) -> DataFrame:
    """delta-spark."""
    return filtered(spark.read.format("delta").load(path), where)


def bare(spark: SparkSession, path: str, where: str | None) -> DataFrame:
    """A Python data source that does nothing but read."""
    return filtered(spark.read.format(bare_arrow.NAME).schema(SCHEMA).load(path), where)


def filtered(rows: DataFrame, where: str | None) -> DataFrame:
    """The rows for which the condition is true."""
    return rows if where is None else rows.where(where)


READINGS: dict[str, Reading] = {PLAIN: plain, FAST: fast, SECOND: second, PEER: peer, BARE: bare}


def main() -> None:
    """Measure, print, write the results."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rows", type=int, default=10_000_000)
    parser.add_argument("--files", type=int, default=10_000)
    parser.add_argument("--repeat", type=int, default=3)
    parser.add_argument("--no-write", dest="write", action="store_false")
    arguments = parser.parse_args()
    # Workers run this Python, and not the first one of PATH.
    os.environ.setdefault("PYSPARK_PYTHON", sys.executable)
    spark = start_delta_spark(is_measured=True).spark
    spark.sparkContext.setLogLevel("ERROR")
    ds.register(spark)
    bare_arrow.register(spark)
    load = os.getloadavg()[0]
    root = Path(tempfile.mkdtemp(prefix="bench-read-"))
    results: dict[str, Times] = {}
    try:
        large, small = str(root / "large"), str(root / "small")
        vectors = {"delta.enableDeletionVectors": "true"}
        ds.write(spark.range(arguments.rows).selectExpr(*COLUMNS), large, mode="append", properties=vectors)
        ensure_equal(spark, large, None, [*SIDES, BARE])
        often = arguments.repeat * SCANS_MORE_OFTEN
        title = f"scan of {arguments.rows:,} rows x 6"
        results[title] = scans(spark, large, None, often, [*SIDES, BARE], warm=WARM_SCANS)
        ds.delete(spark, large, "id % 10 = 3")
        ensure_equal(spark, large, None, [FAST, SECOND, PEER])
        results["the same, 10 % of rows deleted by vectors"] = scans(spark, large, None, often, warm=WARM_SCANS)
        make_small_files(Path(small), arguments.files)
        middle = arguments.files * ROWS_OF_SMALL_FILE // 2
        where = f"id BETWEEN {middle} AND {middle + 3 * ROWS_OF_SMALL_FILE - 1}"
        ensure_equal(spark, small, where)
        results[f"three of {arguments.files:,} small files by a filter"] = scans(spark, small, where, arguments.repeat)
    finally:
        shutil.rmtree(root)
    report(results, load, RESULTS / "spark_read.json" if arguments.write else None)


def scans(
    spark: SparkSession, path: str, where: str | None, repeat: int, sides: list[str] = SIDES, warm: int = 1
) -> Times:
    """Time reading every column of every matching row, from the path to rows, which are discarded.

    The rows are Spark's own, since delta-spark 4.4.0 cannot be read into the sink `noop`.
    """

    def scan(name: str) -> None:
        READINGS[name](spark, path, where)._jdf.queryExecution().toRdd().count()  # noqa: SLF001 - nothing public does

    return take_turns(sides, scan, repeat, warm)


def ensure_equal(spark: SparkSession, path: str, where: str | None, sides: list[str] = SIDES) -> None:
    """Raise unless all sides return the same rows."""
    told = "count(*) n, sum(id) ids, min(id) low, max(id) high"
    answers = {
        name: tuple(READINGS[name](spark, path, where).selectExpr(*told.split(", ")).collect()) for name in sides
    }
    if len(set(answers.values())) != 1:
        raise SystemExit(f"the sides do not read the same rows of {path}: {answers}")


def make_small_files(path: Path, count: int) -> None:
    """Make a table of many files, in ten commits; ids continue from file to file."""
    schema = {"type": "struct", "fields": [field("id", "long"), field("x", "double"), field("s", "string")]}
    table = Table.create(path, json.dumps(schema))
    for first in range(0, count, max(count // 10, 1)):
        last = min(first + max(count // 10, 1), count)
        transaction = table.start_transaction()
        transaction.commit([small_file(path, number) for number in range(first, last)], operations.write("Append"))


def field(name: str, kind: str) -> dict[str, object]:
    """One column."""
    return {"name": name, "type": kind, "nullable": True, "metadata": {}}


def small_file(path: Path, number: int) -> AddFile:
    """One written file, with the statistics that a writer would keep."""
    ids = np.arange(number * ROWS_OF_SMALL_FILE, (number + 1) * ROWS_OF_SMALL_FILE)
    columns = {"id": ids, "x": ids / 7, "s": [f"row {one}" for one in ids]}
    name = f"part-{number:05d}.parquet"
    pq.write_table(pa.table(columns), path / name)
    low, high = int(ids[0]), int(ids[-1])
    stats = {
        "numRecords": len(ids),
        "minValues": {"id": low, "x": low / 7},
        "maxValues": {"id": high, "x": high / 7},
        "nullCount": {"id": 0, "x": 0, "s": 0},
    }
    found = (path / name).stat()
    return AddFile(name, {}, found.st_size, found.st_mtime_ns // 1_000_000, data_change=True, stats=json.dumps(stats))


if __name__ == "__main__":
    main()
