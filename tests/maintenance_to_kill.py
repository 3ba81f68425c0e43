"""What `tests.killed_maintenance` kills: kinds of upkeep, how each is judged, and how to see that one is done."""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

import attrs

import deltaresolver.spark as ds
from deltaresolver.spark.tables import DeltaTable
from deltaresolver.table import Table

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

Rows = list[str]
Act = Callable[["SparkSession", Path], object]

CHECK = "spark.databricks.delta.retentionDurationCheck.enabled"
TABLE, CLONE, FILES = "t", "clone", "files"


def rows_of(frame: Any) -> Rows:
    """The rows in an order of their own."""
    return sorted(map(str, frame.collect()))


@attrs.frozen
class Command:
    """One kind of upkeep, on the folder that `prepare` has filled.

    judge      what is wrong after a kill, given what `known` found before
    is_done    whether the work is done
    """

    act: Act
    judge: Callable[[SparkSession, Path, Mapping[str, Any]], str | None]
    is_done: Callable[[SparkSession, Path], bool]


def prepare(spark: SparkSession, folder: Path) -> None:
    """A table with small files and deletion vectors, one version restored from, and a folder of Parquet files."""
    path = str(folder / TABLE)
    properties = {"delta.enableDeletionVectors": "true", "delta.enableRowTracking": "true"}
    for part in range(3):
        rows = spark.range(part * 40, part * 40 + 40).selectExpr("id", "id * 7 % 40 a", "cast(id % 2 as int) p")
        ds.write(rows.coalesce(1), path, mode="append", partition_by="p", properties={} if part else properties)
    ds.delete(spark, path, "id % 9 = 1")
    for number in range(40):
        (folder / TABLE / f"orphan{number}.parquet").write_bytes(b"orphan")
    spark.range(60).selectExpr("id", "id % 3 k").repartition(3).write.partitionBy("k").parquet(str(folder / FILES))
    old = time.time() - 86_400
    for file in (folder / TABLE).rglob("*"):
        os.utime(file, (old, old))


def known(spark: SparkSession, folder: Path) -> Mapping[str, Any]:
    """What the folder holds before a command: rows of every version, and the files that nobody may touch."""
    path = str(folder / TABLE)
    last = Table(path).update().table_version
    versions = {version: rows_of(ds.read(spark, path, version=version)) for version in range(last + 1)}
    return {"last": last, "versions": versions, "files": _named_files(folder)}


def _named_files(folder: Path) -> Mapping[str, int]:
    """Sizes of the data files that some version of the table names, and of those to convert, by path."""
    named = {}
    table = Table(str(folder / TABLE))
    for version in range(table.update().table_version + 1):
        for add in table.snapshot(version).add_actions():
            named[f"{TABLE}/{add.path}"] = add.size
    files = {str(file.relative_to(folder)): file.stat().st_size for file in (folder / FILES).rglob("*.parquet")}
    return {**named, **files}


def _same_rows(spark: SparkSession, folder: Path, before: Mapping[str, Any]) -> str | None:
    """All versions read as they did, and the newest holds the rows of the last one before."""
    path = str(folder / TABLE)
    latest = before["versions"][before["last"]]
    for version in range(Table(path).update().table_version + 1):
        found = rows_of(ds.read(spark, path, version=version))
        if found != before["versions"].get(version, latest):
            return f"version {version} has {len(found)} rows"
    return _files_stay(folder, before)


def _files_stay(folder: Path, before: Mapping[str, Any]) -> str | None:
    gone = [
        path
        for path, size in before["files"].items()
        if not (file := folder / path).exists() or file.stat().st_size != size
    ]
    return f"{gone[0]} is gone or changed" if gone else None


def _before_or(after: Callable[[SparkSession, Rows], Rows]) -> Callable[..., str | None]:
    """A new version has the rows of the last one before, or what the command makes of them."""

    def judge(spark: SparkSession, folder: Path, before: Mapping[str, Any]) -> str | None:
        path, latest = str(folder / TABLE), before["versions"][before["last"]]
        allowed = latest, after(spark, latest)
        for version in range(Table(path).update().table_version + 1):
            found = rows_of(ds.read(spark, path, version=version))
            if found != before["versions"][version] if version <= before["last"] else found not in allowed:
                return f"version {version} has {len(found)} rows"
        return _files_stay(folder, before)

    return judge


def _new_rows(spark: SparkSession) -> Any:
    return spark.range(1000, 1040).selectExpr("id", "id * 7 % 40 a", "cast(id % 2 as int) p")


def _restored_or_not(spark: SparkSession, folder: Path, before: Mapping[str, Any]) -> str | None:
    found, wanted = rows_of(ds.read(spark, str(folder / TABLE))), before["versions"]
    if found not in (wanted[before["last"]], wanted[1]):
        return f"{len(found)} rows, of neither version"
    return _files_stay(folder, before)


def _source(spark: SparkSession) -> DataFrame:
    # Merging them again changes nothing.
    return spark.range(90, 150).selectExpr("id", "id + 1000 a", "cast(id % 2 as int) p")


def _merge(spark: SparkSession, folder: Path) -> None:
    builder = _table(spark, folder).alias("t").merge(_source(spark).alias("s"), "t.id = s.id")
    builder.whenMatchedUpdateAll().whenNotMatchedInsertAll().execute()


def _merged_or_not(spark: SparkSession, folder: Path, before: Mapping[str, Any]) -> str | None:
    path, source = str(folder / TABLE), _source(spark)
    old = ds.read(spark, path, version=before["last"])
    after = rows_of(old.join(source, "id", "left_anti").select("id", "a", "p").unionByName(source))
    for version in range(Table(path).update().table_version + 1):
        found = rows_of(ds.read(spark, path, version=version))
        if found != before["versions"].get(version, after):
            return f"version {version} has {len(found)} rows"
    return _files_stay(folder, before)


def _whole_or_absent(name: str) -> Callable[[SparkSession, Path, Mapping[str, Any]], str | None]:
    def judge(spark: SparkSession, folder: Path, before: Mapping[str, Any]) -> str | None:
        path = str(folder / name)
        if DeltaTable.isDeltaTable(spark, path):
            found = rows_of(ds.read(spark, path))
            expected = (
                before["versions"][before["last"]]
                if name == CLONE
                else rows_of(spark.range(60).selectExpr("id", "id % 3 k"))
            )
            if found != expected:
                return f"{name} has {len(found)} rows"
        return _same_rows(spark, folder, before)

    return judge


def _is_table(name: str) -> Callable[[SparkSession, Path], bool]:
    return lambda spark, folder: DeltaTable.isDeltaTable(spark, str(folder / name))


def _last_was(name: str) -> Callable[[SparkSession, Path], bool]:
    return lambda _, folder: Table(str(folder / TABLE)).history(1)[0].operation == name


def _no_orphan(spark: SparkSession, folder: Path) -> bool:
    return not list((folder / TABLE).glob("orphan*"))


def _table(spark: SparkSession, folder: Path) -> DeltaTable:
    return DeltaTable.forPath(spark, str(folder / TABLE))


COMMANDS: Mapping[str, Command] = {
    "optimize": Command(
        lambda spark, folder: _table(spark, folder).optimize().executeCompaction(), _same_rows, _last_was("OPTIMIZE")
    ),
    "write": Command(
        lambda spark, folder: ds.write(_new_rows(spark), str(folder / TABLE), mode="append"),
        _before_or(lambda spark, latest: sorted([*latest, *rows_of(_new_rows(spark))])),
        _last_was("WRITE"),
    ),
    "z-order": Command(
        lambda spark, folder: _table(spark, folder).optimize().executeZOrderBy("a", "id"),
        _same_rows,
        _last_was("OPTIMIZE"),
    ),
    "reorg": Command(lambda spark, folder: ds.reorg_purge(spark, str(folder / TABLE)), _same_rows, _last_was("REORG")),
    "vacuum": Command(
        lambda _, folder: Table(str(folder / TABLE), session={CHECK: "false"}).vacuum(1), _same_rows, _no_orphan
    ),
    "restore": Command(
        lambda spark, folder: _table(spark, folder).restoreToVersion(1), _restored_or_not, _last_was("RESTORE")
    ),
    "clone": Command(
        lambda spark, folder: (
            None
            if DeltaTable.isDeltaTable(spark, str(folder / CLONE))
            else _table(spark, folder).clone(str(folder / CLONE), isShallow=True)
        ),
        _whole_or_absent(CLONE),
        _is_table(CLONE),
    ),
    "merge": Command(_merge, _merged_or_not, _last_was("MERGE")),
    "convert": Command(
        lambda spark, folder: ds.convert_to_delta(spark, f"parquet.`{folder / FILES}`", "k bigint"),
        _whole_or_absent(FILES),
        _is_table(FILES),
    ),
}
