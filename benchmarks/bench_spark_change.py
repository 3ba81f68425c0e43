"""Changing rows from PySpark: DELETE, UPDATE and MERGE of this library and delta-spark, side by side in one session.

    python -m benchmarks.bench_spark_change              everything, written to results/spark_change.json
    python -m benchmarks.bench_spark_change --no-write   to look only

One row in a hundred changes, all over the table; MERGE also adds one in a thousand. With deletion vectors such rows are
marked and written again, without them all files are rewritten. Sides take turns, each on an unchanged copy of one
table; the first turns of each are not counted, because the JVM still compiles most of the code they run, and the
smallest time is compared.
"""

from __future__ import annotations

import argparse
import os
import shutil
import sys
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import deltaresolver.spark as ds
from benchmarks.bench_spark_read import COLUMNS
from benchmarks.spark_turns import RESULTS, Times, report, take_turns
from tests.peers.delta_spark import start_delta_spark

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

HERE, PEER = "deltaresolver", "delta-spark"
WARM = 3
CHANGED = "id % 100 = 7"
MATCH = "t.id = s.id"
Change = Callable[["SparkSession", str, str], object]
"""Changes the table at a path; the last argument is the location of the source of a MERGE."""


def delete_here(spark: SparkSession, path: str, _: str) -> object:
    """Delete one row in a hundred."""
    return ds.delete(spark, path, CHANGED)


def delete_there(spark: SparkSession, path: str, _: str) -> object:
    """The same, by delta-spark."""
    return spark.sql(f"DELETE FROM delta.`{path}` WHERE {CHANGED}")


def update_here(spark: SparkSession, path: str, _: str) -> object:
    """Change a value in one row in a hundred."""
    return ds.update(spark, path, {"x": "x + 1"}, CHANGED)


def update_there(spark: SparkSession, path: str, _: str) -> object:
    """The same, by delta-spark."""
    return spark.sql(f"UPDATE delta.`{path}` SET x = x + 1 WHERE {CHANGED}")


def merge_here(spark: SparkSession, path: str, source: str) -> object:
    """Change one row in a hundred, and add one in a thousand."""
    table = ds.DeltaTable.forPath(spark, path).alias("t")
    builder = table.merge(spark.read.parquet(source).alias("s"), MATCH)
    return builder.whenMatchedUpdateAll().whenNotMatchedInsertAll().execute()


def merge_there(spark: SparkSession, path: str, source: str) -> object:
    """The same, by delta-spark."""
    return spark.sql(
        f"MERGE INTO delta.`{path}` t USING parquet.`{source}` s ON {MATCH} "
        "WHEN MATCHED THEN UPDATE SET * WHEN NOT MATCHED THEN INSERT *"
    )


CHANGES: dict[str, dict[str, Change]] = {
    "DELETE": {HERE: delete_here, PEER: delete_there},
    "UPDATE": {HERE: update_here, PEER: update_there},
    "MERGE": {HERE: merge_here, PEER: merge_there},
}


def main() -> None:
    """Measure, print, write the results."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rows", type=int, default=10_000_000)
    parser.add_argument("--repeat", type=int, default=3)
    parser.add_argument("--only", choices=[*CHANGES], nargs="*", default=[*CHANGES])
    parser.add_argument("--vectors-only", action="store_true", help="leave tables without deletion vectors out")
    parser.add_argument("--no-write", dest="write", action="store_false")
    arguments = parser.parse_args()
    # Workers run this Python, and not the first one of PATH.
    os.environ.setdefault("PYSPARK_PYTHON", sys.executable)
    spark = start_delta_spark(is_measured=True).spark
    spark.sparkContext.setLogLevel("ERROR")
    load = os.getloadavg()[0]
    root = Path(tempfile.mkdtemp(prefix="bench-change-"))
    results: dict[str, Times] = {}
    try:
        source = str(root / "source")
        rows = spark.range(arguments.rows).selectExpr(*COLUMNS)
        new = spark.range(arguments.rows, arguments.rows + arguments.rows // 1000).selectExpr(*COLUMNS)
        rows.where(CHANGED).withColumn("x", rows.x + 1).unionByName(new).write.parquet(source)
        kinds = (
            {"deletion vectors": "true"}
            if arguments.vectors_only
            else {"deletion vectors": "true", "no vectors": "false"}
        )
        for kind, vectors in kinds.items():
            table = root / f"vectors-{vectors}"
            ds.write(rows, str(table), properties={"delta.enableDeletionVectors": vectors})
            for name in arguments.only:
                title = f"{name} of 1 % of {arguments.rows:,} rows, {kind}"
                results[title] = changes(spark, CHANGES[name], table, source, arguments.repeat)
    finally:
        shutil.rmtree(root)
    report(results, load, RESULTS / "spark_change.json" if arguments.write else None)


def changes(spark: SparkSession, sides: dict[str, Change], table: Path, source: str, repeat: int) -> Times:
    """The same change by all sides, each turn on a copy of the table; afterwards the rows must be the same."""
    copies: dict[str, Iterator[Path]] = {name: iter(copy_often(table, repeat + WARM)) for name in sides}
    last: dict[str, Path] = {}

    def turn(name: str) -> None:
        last[name] = next(copies[name])
        sides[name](spark, str(last[name]), source)

    times = take_turns([*sides], turn, repeat, WARM)
    ensure_equal(spark, last)
    return times


def copy_often(table: Path, times: int) -> list[Path]:
    """Copies by hard links: no side changes an existing file."""
    found = [Path(tempfile.mkdtemp(dir=table.parent)) / "table" for _ in range(times)]
    for copy in found:
        shutil.copytree(table, copy, copy_function=os.link)
    return found


def ensure_equal(spark: SparkSession, tables: dict[str, Path]) -> None:
    """Stop unless delta-spark reads the same rows of all."""
    told = ["count(*) n", "sum(id) ids", "sum(hash(*)) hashes"]
    answers = {
        name: tuple(map(tuple, spark.read.format("delta").load(str(path)).selectExpr(*told).collect()))
        for name, path in tables.items()
    }
    if len(set(answers.values())) != 1:
        raise SystemExit(f"the sides do not leave the same rows: {answers}")


if __name__ == "__main__":
    main()
