"""The cases of `bench_spark_scale`: how a table is made in a size, and what each side does with it."""

from __future__ import annotations

import itertools
import json
import os
import shutil
import uuid
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import attrs

import deltaresolver.spark as ds
from benchmarks.bench_spark_read import COLUMNS

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

HERE, PEER = "deltaresolver", "delta-spark"
Make = Callable[["SparkSession", Path, int], Path]
"""Makes a table of a size below a folder, and returns its location. Other inputs of the sides are there too."""
Side = Callable[["SparkSession", Path], object]


@attrs.frozen
class Case:
    """One work on one kind of table. `says` is its title, with a place for the size; `changes`: the table changes."""

    name: str
    says: str
    size: int
    make: Make
    sides: Mapping[str, Side]
    changes: bool = False

    @property
    def title(self) -> str:
        """The title with the size."""
        return self.says.format(self.size)

    def sized(self, part: float) -> Case:
        """The same case in a part of the size."""
        return attrs.evolve(self, size=max(2, int(self.size * part)))


# --- many rows --------------------------------------------------------------------------------


def _many_rows(vectors: bool) -> Make:
    def make(spark: SparkSession, root: Path, size: int) -> Path:
        """Make a table with five times as many rows as will change, and a source that changes every fifth."""
        rows = spark.range(5 * size).selectExpr(*COLUMNS)
        rows.where("id % 5 = 3").withColumn("x", rows.x + 1).write.parquet(str(root / "source"))
        ds.write(rows, str(root / "table"), properties={"delta.enableDeletionVectors": str(vectors).lower()})
        return root / "table"

    return make


def _source(table: Path) -> str:
    """The location of the source that was made together with the table, or with the table it is a copy of."""
    found = table.parent / "source"
    return str(found if found.exists() else table.parent.parent / "source")


def _merge_here(spark: SparkSession, table: Path) -> object:
    source = spark.read.parquet(_source(table)).alias("s")
    builder = ds.DeltaTable.forPath(spark, str(table)).alias("t").merge(source, "t.id = s.id")
    return builder.whenMatchedUpdateAll().whenNotMatchedInsertAll().execute()


def _merge_there(spark: SparkSession, table: Path) -> object:
    return spark.sql(
        f"MERGE INTO delta.`{table}` t USING parquet.`{_source(table)}` s ON t.id = s.id "
        "WHEN MATCHED THEN UPDATE SET * WHEN NOT MATCHED THEN INSERT *"
    )


# --- many columns, deep columns ---------------------------------------------------------------

WIDE_ROWS, DEEP_ROWS = 4_000, 4_000


def _wide(spark: SparkSession, root: Path, size: int) -> Path:
    """Make a table of `size` columns, half of them texts, and a source that changes every fifth row and adds rows."""
    texts = [f"concat('v', id % {7 + number % 90}) s{number}" for number in range(size // 2)]
    numbers = [f"id + {number} n{number}" for number in range(size - size // 2 - 1)]
    rows = spark.range(WIDE_ROWS).selectExpr("id", *texts, *numbers)
    ds.write(rows, str(root / "table"), properties={"delta.enableDeletionVectors": "true"})
    more = spark.range(WIDE_ROWS, WIDE_ROWS + WIDE_ROWS // 5).selectExpr("id", *texts, *numbers)
    rows.where("id % 5 = 3").unionByName(more).write.parquet(str(root / "source"))
    return root / "table"


def _deep(spark: SparkSession, root: Path, size: int) -> Path:
    """Make a table with one column of `size` structs inside each other."""
    value = "id"
    for number in range(size):
        value = f"named_struct('a{number}', {value}, 'b{number}', id + {number})"
    rows = spark.range(DEEP_ROWS).selectExpr("id", f"{value} AS d")
    ds.write(rows, str(root / "table"), properties={"delta.enableDeletionVectors": "true"})
    more = spark.range(DEEP_ROWS, DEEP_ROWS + DEEP_ROWS // 5).selectExpr("id", f"{value} AS d")
    rows.where("id % 5 = 3").unionByName(more).write.parquet(str(root / "source"))
    return root / "table"


# --- many partitions --------------------------------------------------------------------------


def _partition_rows(spark: SparkSession, root: Path, size: int) -> Path:
    """Make rows in Parquet, one for each later partition."""
    spark.range(size).selectExpr("id", f"id % {size} p").write.parquet(str(root / "table"))
    return root / "table"


def _write_partitions_here(spark: SparkSession, rows: Path) -> object:
    return ds.write(spark.read.parquet(str(rows)), str(_fresh(rows)), partition_by=["p"])


def _write_partitions_there(spark: SparkSession, rows: Path) -> object:
    return spark.read.parquet(str(rows)).write.format("delta").partitionBy("p").save(str(_fresh(rows)))


def _fresh(beside: Path) -> Path:
    return beside.parent / uuid.uuid4().hex


def _partitions(spark: SparkSession, root: Path, size: int) -> Path:
    """Make a table of `size` partitions with one file each."""
    return _linked(spark, root, size, folders=True)


def _one_partition_here(spark: SparkSession, table: Path) -> object:
    return ds.read(spark, str(table), where="p = 1").count()


def _one_partition_there(spark: SparkSession, table: Path) -> object:
    return spark.read.format("delta").load(str(table)).where("p = 1").count()


def _delete_partitions_here(spark: SparkSession, table: Path) -> object:
    return ds.delete(spark, str(table), "p % 2 = 1")


def _delete_partitions_there(spark: SparkSession, table: Path) -> object:
    return spark.sql(f"DELETE FROM delta.`{table}` WHERE p % 2 = 1")


# --- many files -------------------------------------------------------------------------------

_LINKS = 30_000
"""The number of links to one file; file systems allow about twice as many."""


def _files(spark: SparkSession, root: Path, size: int) -> Path:
    """Make a table of `size` files of ten rows."""
    return _linked(spark, root, size, folders=False)


def _linked(spark: SparkSession, root: Path, size: int, *, folders: bool) -> Path:
    """Make a table whose files are hard links to a few files, which have the same ten rows."""
    rows = spark.range(10).coalesce(1)
    rows.write.parquet(str(root / "rows"))
    (source,) = (root / "rows").glob("*.parquet")
    table = root / "table"
    (table / "_delta_log").mkdir(parents=True)
    content = itertools.cycle([source])
    lines = itertools.chain(_head(partitioned=folders), _adds(table, content, size, folders=folders))
    with (table / "_delta_log" / f"{0:020}.json").open("w", encoding="ascii") as log:
        log.writelines(lines)
    return table


def _head(*, partitioned: bool) -> Iterator[str]:
    fields = [
        {"name": name, "type": "long", "nullable": True, "metadata": {}} for name in ("id", "p")[: 1 + partitioned]
    ]
    metadata = {
        "id": str(uuid.uuid4()),
        "format": {"provider": "parquet", "options": {}},
        "schemaString": json.dumps({"type": "struct", "fields": fields}),
        "partitionColumns": ["p"] if partitioned else [],
        "configuration": {},
        "createdTime": 1,
    }
    for line in ({"protocol": {"minReaderVersion": 1, "minWriterVersion": 2}}, {"metaData": metadata}):
        yield json.dumps(line) + "\n"


def _adds(table: Path, content: Iterator[Path], size: int, *, folders: bool) -> Iterator[str]:
    source = next(content)
    length = source.stat().st_size
    stats = json.dumps({"numRecords": 10, "minValues": {"id": 0}, "maxValues": {"id": 9}, "nullCount": {"id": 0}})
    for number in range(size):
        if number % _LINKS == _LINKS - 1:
            source = Path(shutil.copy(source, source.with_name(f"{number}.parquet")))
        name = f"p={number}/f.parquet" if folders else f"f{number}.parquet"
        if folders:
            (table / f"p={number}").mkdir()
        os.link(source, table / name)
        values = {"p": str(number)} if folders else {}
        add = {"path": name, "partitionValues": values, "size": length, "modificationTime": 1, "dataChange": True}
        yield json.dumps({"add": {**add, "stats": stats}}) + "\n"


def _scan_here(spark: SparkSession, table: Path) -> object:
    return ds.read(spark, str(table)).selectExpr("sum(id)").collect()


def _scan_there(spark: SparkSession, table: Path) -> object:
    return spark.read.format("delta").load(str(table)).selectExpr("sum(id)").collect()


def _plan_here(spark: SparkSession, table: Path) -> object:
    return ds.read(spark, str(table))


def _plan_none_here(spark: SparkSession, table: Path) -> object:
    """Plan a read with a condition that no file can satisfy by its statistics."""
    return ds.read(spark, str(table), where="id = 77")


MERGES: Mapping[str, Side] = {HERE: _merge_here, PEER: _merge_there}
CASES: Sequence[Case] = (
    Case("merge", "MERGE of {:,} rows, a fifth, by vectors", 2_000_000, _many_rows(True), MERGES, True),
    Case("merge_rewrite", "MERGE of {:,} rows, a fifth, no vectors", 2_000_000, _many_rows(False), MERGES, True),
    Case("wide", f"MERGE into {WIDE_ROWS:,} rows of {{:,}} columns", 1_000, _wide, MERGES, True),
    Case("deep", f"MERGE into {DEEP_ROWS:,} rows of {{:,}} structs in each other", 40, _deep, MERGES, True),
    Case("write_partitions", "write of {:,} partitions", 10_000, _partition_rows,
         {HERE: _write_partitions_here, PEER: _write_partitions_there}),
    Case("one_partition", "read of one of {:,} partitions", 10_000, _partitions,
         {HERE: _one_partition_here, PEER: _one_partition_there}),
    Case("delete_partitions", "DELETE of half of {:,} partitions", 10_000, _partitions,
         {HERE: _delete_partitions_here, PEER: _delete_partitions_there}, True),
    Case("files", "sum over {:,} small files", 5_000, _files, {HERE: _scan_here, PEER: _scan_there}),
    Case("plan", "planning of a read of {:,} files", 1_000_000, _files, {HERE: _plan_here}),
    Case("plan_none", "planning of a read of none of {:,} files", 1_000_000, _files, {HERE: _plan_none_here}),
)  # fmt: skip
