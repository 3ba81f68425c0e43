"""Maintenance from PySpark: this library and delta-spark, side by side in one session.

    python -m benchmarks.bench_maintenance              everything, written to results/maintenance.json
    python -m benchmarks.bench_maintenance --no-write   to look only

OPTIMIZE of 1,000 small files, by compaction and by Z-order; VACUUM of 100,000 files that nothing names; RESTORE and
CLONE of a table of 10,000 files; CONVERT of 10,000 Parquet files, with statistics. Sides take turns, each on an
unchanged copy; the first turn of each is not counted, and the smallest time is compared.
"""

from __future__ import annotations

import argparse
import os
import shutil
import sys
import tempfile
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING

import attrs

import deltaresolver.spark as ds
from benchmarks.spark_turns import RESULTS, Times, report, take_turns
from deltaresolver.spark.tables import DeltaTable
from tests.peers.delta_spark import start_delta_spark

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

HERE, PEER = "deltaresolver", "delta-spark"
SETTINGS = {
    "spark.databricks.delta.retentionDurationCheck.enabled": "false",
    "spark.databricks.delta.vacuum.parallelDelete.enabled": "true",
}
Act = Callable[["SparkSession", Path], object]


@attrs.frozen
class Work:
    """One kind of work: how its folder is made, how each side does it, and what must be equal afterwards."""

    title: str
    make: Callable[[SparkSession, Path, int], object]
    sides: Mapping[str, Act]
    count: int


def small_files(spark: SparkSession, folder: Path, count: int) -> None:
    """A table of `count` files of 1,000 rows."""
    rows = spark.range(0, count * 1000, 1, count).selectExpr("id", "id * 7919 % 1000003 a", "cast(id % 97 as string) s")
    ds.write(rows, str(folder / "t"))


def two_versions(spark: SparkSession, folder: Path, count: int) -> None:
    """A table of `count` files, with a later version that has half of them."""
    rows = (
        spark.range(0, count * 10, 1, count).selectExpr("id", "cast(id % 2 as int) p").repartitionByRange(count, "id")
    )
    ds.write(rows, str(folder / "t"))
    ds.delete(spark, str(folder / "t"), f"id < {count * 5}")


def orphans(spark: SparkSession, folder: Path, count: int) -> None:
    """A small table with `count` files in its folder that its log does not name."""
    ds.write(spark.range(10), str(folder / "t"))
    for part in range(100):
        (folder / "t" / f"w{part}").mkdir()
        for number in range(count // 100):
            (folder / "t" / f"w{part}" / f"{number}.parquet").write_bytes(b"x")


def parquet_files(spark: SparkSession, folder: Path, count: int) -> None:
    """A folder of `count` Parquet files in a hundred partitions."""
    rows = spark.range(0, count * 10, 1, 100).selectExpr("id", "cast(id as string) s", "id % 100 p")
    rows.repartition(100, "p").write.option("maxRecordsPerFile", 10).partitionBy("p").parquet(str(folder / "t"))


def _path(folder: Path) -> str:
    return str(folder / "t")


WORKS: Mapping[str, Work] = {
    "optimize": Work(
        "OPTIMIZE of {count:,} files",
        small_files,
        {
            HERE: lambda spark, folder: ds.optimize(spark, _path(folder)),
            PEER: lambda spark, folder: spark.sql(f"OPTIMIZE delta.`{_path(folder)}`"),
        },
        1000,
    ),
    "z-order": Work(
        "OPTIMIZE ZORDER BY two columns of {count:,} files",
        small_files,
        {
            HERE: lambda spark, folder: ds.optimize(spark, _path(folder), z_order_by=["a", "s"]),
            PEER: lambda spark, folder: spark.sql(f"OPTIMIZE delta.`{_path(folder)}` ZORDER BY (a, s)"),
        },
        1000,
    ),
    "vacuum": Work(
        "VACUUM of {count:,} files",
        orphans,
        {
            HERE: lambda spark, folder: DeltaTable.forPath(spark, _path(folder)).vacuum(0),
            PEER: lambda spark, folder: spark.sql(f"VACUUM delta.`{_path(folder)}` RETAIN 0 HOURS"),
        },
        100_000,
    ),
    "restore": Work(
        "RESTORE of {count:,} files",
        two_versions,
        {
            HERE: lambda spark, folder: DeltaTable.forPath(spark, _path(folder)).restoreToVersion(0),
            PEER: lambda spark, folder: spark.sql(f"RESTORE delta.`{_path(folder)}` TO VERSION AS OF 0"),
        },
        10_000,
    ),
    "clone": Work(
        "CLONE of {count:,} files",
        two_versions,
        {
            HERE: lambda spark, folder: DeltaTable.forPath(spark, _path(folder)).clone(str(folder / "c"), True),
            PEER: lambda spark, folder: spark.sql(
                f"CREATE TABLE delta.`{folder / 'c'}` SHALLOW CLONE delta.`{_path(folder)}`"
            ),
        },
        10_000,
    ),
    "convert": Work(
        "CONVERT of {count:,} Parquet files",
        parquet_files,
        {
            HERE: lambda spark, folder: ds.convert_to_delta(spark, f"parquet.`{_path(folder)}`", "p bigint"),
            PEER: lambda spark, folder: spark.sql(
                f"CONVERT TO DELTA parquet.`{_path(folder)}` PARTITIONED BY (p bigint)"
            ),
        },
        10_000,
    ),
}


def main() -> None:
    """Measure, print, write the results."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--repeat", type=int, default=2)
    parser.add_argument("--part", type=float, default=1.0, help="of the files that the table above has")
    parser.add_argument("--only", choices=[*WORKS], nargs="*", default=[*WORKS])
    parser.add_argument("--no-write", dest="write", action="store_false")
    arguments = parser.parse_args()
    os.environ.setdefault("PYSPARK_PYTHON", sys.executable)
    spark = start_delta_spark(is_measured=True).spark
    spark.sparkContext.setLogLevel("ERROR")
    for key, value in SETTINGS.items():
        spark.conf.set(key, value)
    load = os.getloadavg()[0]
    results = {}
    for name in arguments.only:
        work = WORKS[name]
        count = max(100, int(work.count * arguments.part))
        results[work.title.format(count=count)] = turns(spark, work, count, arguments.repeat)
    report(results, load, RESULTS / "maintenance.json" if arguments.write else None)


def turns(spark: SparkSession, work: Work, count: int, repeat: int) -> Times:
    """The same work by all sides, each turn on a copy; afterwards the rows must be the same."""
    root = Path(tempfile.mkdtemp(prefix="bench-maintenance-"))
    try:
        (root / "made").mkdir()
        work.make(spark, root / "made", count)
        copies = {name: iter([_copy(root) for _ in range(repeat + 1)]) for name in work.sides}
        last: dict[str, Path] = {}

        def turn(name: str) -> None:
            last[name] = next(copies[name])
            work.sides[name](spark, last[name])

        times = take_turns([*work.sides], turn, repeat, warm=1)
        found = {}
        for name, folder in last.items():
            path = folder / ("c" if (folder / "c").exists() else "t")
            rows = spark.read.format("delta").load(str(path))
            found[name] = rows.selectExpr("count(*)", "sum(id)").collect()
        assert found[HERE] == found[PEER], found
        return times
    finally:
        shutil.rmtree(root)


def _copy(root: Path) -> Path:
    """A copy by hard links: no side changes an existing file."""
    folder = Path(tempfile.mkdtemp(dir=root))
    shutil.copytree(root / "made", folder, copy_function=os.link, dirs_exist_ok=True)
    return folder


if __name__ == "__main__":
    main()
