"""VACUUM, RESTORE, OPTIMIZE and history on two copies of a table, here and by delta-spark."""

from __future__ import annotations

import os
import shutil
import time
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any

import pytest
from pyspark.errors import AnalysisException

import deltaresolver.spark as ds
from deltaresolver.spark.tables import DeltaTable
from deltaresolver.table import Table
from tests.peers.delta_spark import DeltaSpark

pytest_plugins = ["tests.peers.fixtures"]
pytestmark = [pytest.mark.peer, pytest.mark.spark]

CHECK = "spark.databricks.delta.retentionDurationCheck.enabled"
IGNORED = "spark.databricks.delta.vacuum.retentionWindowIgnore.enabled"
DAY_S = 86_400


def same_tables(small_delta_spark: DeltaSpark, folder: Path, properties: Mapping[str, str]) -> tuple[str, str]:
    """Two equal tables whose commits and files lie in the past."""
    here, there = str(folder / "here"), str(folder / "there")
    for start in (0, 4, 8):
        rows = small_delta_spark.spark.range(start, start + 4).selectExpr("id", "cast(id % 2 as int) p").coalesce(1)
        ds.write(rows, here, mode="append", partition_by="p", properties=properties if start == 0 else {})
    ds.delete(small_delta_spark.spark, here, "id = 1 or p = 0 and id < 4")
    put_back(Path(here), 3 * DAY_S)
    shutil.copytree(here, there)
    return here, there


def put_back(root: Path, seconds: float) -> None:
    moment = time.time() - seconds
    for path in [root, *root.rglob("*")]:
        os.utime(path, (moment, moment))


def data_files(path: str) -> set[str]:
    root = Path(path)
    found = (file.relative_to(root).as_posix() for file in root.rglob("*") if file.is_file())
    return {file for file in found if not file.startswith("_delta_log/")}


def last_commits(path: str, count: int) -> list[Any]:
    """What history shows of the last commits, without what is of one writer or moment."""
    found = []
    for entry in reversed(Table(path).history(count)):
        metrics = {
            key: value
            for key, value in (entry.info.fields.get("operationMetrics") or {}).items()
            if not key.endswith("TimeMs") and key != "rowsAccountedFor" and "Bytes" not in key and "FileSize" not in key
        }
        fields = {name: entry.info.fields.get(name) for name in ("readVersion", "isolationLevel", "isBlindAppend")}
        found.append((entry.operation, dict(entry.parameters), metrics, fields))
    return found


@pytest.fixture
def unchecked(small_delta_spark: DeltaSpark) -> Iterator[None]:
    """A session that lets any retention count."""
    settings = {CHECK: "false", IGNORED: "false"}
    for key, value in settings.items():
        small_delta_spark.spark.conf.set(key, value)
    yield
    for key in settings:
        small_delta_spark.spark.conf.unset(key)


PROPERTIES = [{}, {"delta.enableDeletionVectors": "true"}]


@pytest.mark.parametrize("properties", PROPERTIES, ids=["plain", "vectors"])
@pytest.mark.parametrize("hours", [0, 100])
def test_vacuum_deletes_the_files_that_delta_spark_deletes(
    small_delta_spark: DeltaSpark, tmp_path: Path, unchecked: None, properties: dict[str, str], hours: int
) -> None:
    here, there = same_tables(small_delta_spark, tmp_path, properties)
    for path in (here, there):
        for name in ("orphan.parquet", "p=0/orphan", "_hidden/x", ".hid", "_change_data/x", "p=0/_SUCCESS", "w/new"):
            Path(path, name).parent.mkdir(exist_ok=True)
            Path(path, name).write_bytes(b"orphan")
        put_back(Path(path), 3 * DAY_S)
        Path(path, "w/young").write_bytes(b"young")
    ours = DeltaTable.forPath(small_delta_spark.spark, here).vacuum(hours)
    theirs = small_delta_spark.spark.sql(f"VACUUM delta.`{there}` RETAIN {hours} HOURS")
    assert ours.columns == []
    assert theirs.columns == ["path"]
    assert data_files(here) == data_files(there)
    assert [each[:2] for each in last_commits(here, 2)] == [each[:2] for each in last_commits(there, 2)]
    (_, _, ours_began, how), (_, _, theirs_began, as_there) = last_commits(here, 2)[0], last_commits(there, 2)[0]
    assert how == as_there
    assert ours_began["sizeOfDataToDelete"] == theirs_began["sizeOfDataToDelete"]
    # delta-spark also counts folders in which everything is too young to be deleted, and does not delete them.
    assert hours == 100 or ours_began == theirs_began
    assert sorted(small_delta_spark.read(here).collect()) == sorted(small_delta_spark.read(there).collect())


INVENTORY = """
    SELECT nullif(concat('{scheme}', '{path}', name), '') AS path, nullif(6L, 0L) AS length,
           nullif(endswith(name, '/folder'), NULL) AS isDir,
           nullif(if(name = '/young', unix_millis(now()), 0L), 1L) AS modificationTime, 'more' AS other
    FROM VALUES {names} AS v(name)
"""
"""Every column may be null: delta-spark refuses one that may not."""


def test_vacuum_by_an_inventory_deletes_what_delta_spark_deletes(
    small_delta_spark: DeltaSpark, tmp_path: Path, unchecked: None
) -> None:
    here, there = same_tables(small_delta_spark, tmp_path, {})
    orphans = ["/orphan", "/p=0/orphan", "/_hidden/x", "/.hid", "/unnamed", "/young", "/p=1/it''s %41 ü"]
    spark, files = small_delta_spark.spark, sorted(data_files(here))
    names = [*("/" + file for file in files), *(name for name in orphans if name != "/unnamed"), "/folder", "x/outside"]
    for path in (here, there):
        for name in orphans:
            Path(path + name.replace("''", "'")).parent.mkdir(exist_ok=True)
            Path(path + name.replace("''", "'")).write_bytes(b"orphan")
        put_back(Path(path), 3 * DAY_S)
    values = ", ".join(f"('{name}')" for name in names)

    def listed(path: str, act: Callable[[str], Any], end: str) -> Any:
        query = INVENTORY.format(scheme="file:", path=path, names=values)
        return act(f"VACUUM delta.`{path}` USING INVENTORY ({query}) RETAIN 1 HOURS {end}").collect()

    dry = sorted(row[0].removeprefix(here) for row in listed(here, lambda text: ds.sql(spark, text), "DRY RUN"))
    theirs = sorted(row[0].removeprefix(f"file:{there}") for row in listed(there, spark.sql, "DRY RUN"))
    assert dry == [path for path in theirs if path != "/folder"]  # it is not there, and here folders stay
    assert dry == ["/orphan", "/p=0/orphan", "/p=1/it's %41 ü"]
    listed(here, lambda text: ds.sql(spark, text), "")
    listed(there, spark.sql, "")
    assert data_files(here) == data_files(there)
    for refused in ("USING INVENTORY (SELECT 'a' AS path)", "USING INVENTORY (SELECT 1) LITE"):
        errors = []
        for act, path in ((lambda text: ds.sql(spark, text), here), (spark.sql, there)):
            with pytest.raises(Exception, match=r"(?i)inventory") as caught:
                act(f"VACUUM delta.`{path}` {refused}")
            errors.append(caught.value)
        if "SELECT 'a'" in refused:
            assert [isinstance(error, AnalysisException) for error in errors] == [True, True]


@pytest.mark.parametrize("properties", PROPERTIES, ids=["plain", "vectors"])
def test_restore_leaves_the_same_table_as_delta_spark(
    small_delta_spark: DeltaSpark, tmp_path: Path, properties: dict[str, str]
) -> None:
    here, there = same_tables(small_delta_spark, tmp_path, properties)
    ours = DeltaTable.forPath(small_delta_spark.spark, here).restoreToVersion(1)
    theirs = small_delta_spark.spark.sql(f"RESTORE TABLE delta.`{there}` TO VERSION AS OF 1")
    assert ours.schema.simpleString() == theirs.schema.simpleString()
    assert ours.collect() == theirs.collect()
    assert last_commits(here, 1) == last_commits(there, 1)
    assert sorted(small_delta_spark.read(here).collect()) == sorted(small_delta_spark.read(there).collect())
    assert Table(here).protocol == Table(there).protocol
    assert Table(here).metadata.configuration == Table(there).metadata.configuration


@pytest.mark.parametrize(
    ("properties", "where"),
    [({}, None), ({"delta.enableDeletionVectors": "true"}, "p = 1"), ({"delta.enableRowTracking": "true"}, None)],
    ids=["plain", "vectors", "row ids"],
)
def test_compaction_leaves_the_same_table_as_delta_spark(
    small_delta_spark: DeltaSpark, tmp_path: Path, properties: dict[str, str], where: str | None
) -> None:
    here, there = same_tables(small_delta_spark, tmp_path, properties)
    builder = DeltaTable.forPath(small_delta_spark.spark, here).optimize()
    ours = (builder if where is None else builder.where(where)).executeCompaction()
    text = "" if where is None else f" WHERE {where}"
    theirs = small_delta_spark.spark.sql(f"OPTIMIZE delta.`{there}`{text}")
    assert ours.schema.simpleString() == theirs.schema.simpleString()

    def of_interest(frame: Any) -> dict[str, Any]:
        found = frame.collect()[0].metrics.asDict(recursive=True)
        timed = (
            "startTimeMs",
            "endTimeMs",
            "totalClusterParallelism",
            "totalScheduledTasks",
            "filesAdded",
            "filesRemoved",
        )
        return {key: value for key, value in found.items() if key not in timed}

    assert of_interest(ours) == of_interest(theirs)
    (name, parameters, *told), (as_there, theirs_given, *told_there) = (
        last_commits(here, 1)[0],
        last_commits(there, 1)[0],
    )
    assert (name, told) == (as_there, told_there)
    assert parameters.keys() == theirs_given.keys()
    if where is None:  # else each writes the condition in its own way
        assert parameters == theirs_given
    for path in (here, there):
        assert sorted(small_delta_spark.read(path).collect()) == sorted(small_delta_spark.read(path, 3).collect())
    files = [
        sorted(str(add.partition_values) for add in Table(path).snapshot().add_actions()) for path in (here, there)
    ]
    assert files[0] == files[1]
    if "delta.enableRowTracking" in properties:
        ids = [
            small_delta_spark.read(path).selectExpr("id", "_metadata.row_id", "_metadata.row_commit_version").collect()
            for path in (here, there)
        ]
        assert sorted(ids[0]) == sorted(ids[1])


def test_history_of_a_merge_equals_that_of_delta_spark(small_delta_spark: DeltaSpark, tmp_path: Path) -> None:
    here, there = same_tables(small_delta_spark, tmp_path, {})
    source = small_delta_spark.spark.range(3, 14).selectExpr("id", "7 p")
    source.createOrReplaceTempView("s_here")
    merge = DeltaTable.forPath(small_delta_spark.spark, here).alias("t").merge(source.alias("s"), "t.id = s.id")
    ours = merge.whenMatchedUpdateAll().whenNotMatchedInsertAll().execute()
    theirs = small_delta_spark.spark.sql(
        f"MERGE INTO delta.`{there}` t USING s_here s ON t.id = s.id "
        "WHEN MATCHED THEN UPDATE SET * WHEN NOT MATCHED THEN INSERT *"
    )
    assert ours.schema.simpleString() == theirs.schema.simpleString()
    assert ours.collect() == theirs.collect()
    for path in (here, there):
        shown = DeltaTable.forPath(small_delta_spark.spark, path).history()
        told = small_delta_spark.spark.sql(f"DESCRIBE HISTORY delta.`{path}`")
        assert shown.schema.simpleString() == told.schema.simpleString()
        assert shown.collect() == told.collect()


def outcome(act: Callable[[], object]) -> str:
    try:
        act()
    except Exception as error:  # noqa: BLE001 - whatever is raised is compared
        return type(error).__name__
    return "done"


def test_upkeep_that_delta_spark_refuses_is_refused(small_delta_spark: DeltaSpark, tmp_path: Path) -> None:
    # Without this delta-spark takes no notice of any retention but 0.
    small_delta_spark.spark.conf.set(IGNORED, "false")
    here, there = same_tables(small_delta_spark, tmp_path, {})
    spark, table = small_delta_spark.spark, DeltaTable.forPath(small_delta_spark.spark, here)
    pairs: list[tuple[Callable[[], object], str]] = [
        (lambda: table.vacuum(1), f"VACUUM delta.`{there}` RETAIN 1 HOURS"),
        (lambda: table.vacuum(0), f"VACUUM delta.`{there}` RETAIN 0 HOURS"),
        (lambda: table.vacuum(168), f"VACUUM delta.`{there}` RETAIN 168 HOURS"),
        (lambda: table.restoreToVersion(99), f"RESTORE delta.`{there}` TO VERSION AS OF 99"),
        (lambda: table.restoreToTimestamp("1999-01-01"), f"RESTORE delta.`{there}` TO TIMESTAMP AS OF '1999-01-01'"),
        (lambda: table.optimize().where("id = 1").executeCompaction(), f"OPTIMIZE delta.`{there}` WHERE id = 1"),
    ]
    for act, statement in pairs:
        ours, theirs = outcome(act), outcome(lambda text=statement: spark.sql(text))  # type: ignore[misc]
        assert (ours == "done") == (theirs == "done"), (statement, ours, theirs)
    small_delta_spark.spark.conf.unset(IGNORED)
