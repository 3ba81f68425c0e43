"""Streams from and to tables: limits, starts, what ends them, and that each row arrives once, also after kill -9."""

from __future__ import annotations

import os
import re
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from pyspark.errors import StreamingQueryException

import deltaresolver.spark as ds
from deltaresolver.log.checkpoint.write import write_checkpoint
from deltaresolver.table import Table
from tests.spark_job import ROOT

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

pytestmark = pytest.mark.spark

FORMAT = "deltaresolver"
JOB = "tests.spark.source.stream_job"


@pytest.fixture(autouse=True)
def registered(spark: SparkSession) -> None:
    ds.register(spark)


@pytest.fixture
def source(spark: SparkSession, tmp_path: Path) -> Path:
    """Three versions of 4 rows each, in one file a version; changes are recorded."""
    path = tmp_path / "source"
    properties = {"delta.enableChangeDataFeed": "true"}
    for start in (0, 10, 20):
        ds.write(spark.range(start, start + 4).coalesce(1), path, mode="append", properties=properties)
        properties = {}
    return path


def _stream(spark: SparkSession, path: Path, **options: str) -> DataFrame:
    return spark.readStream.format(FORMAT).options(**options).load(str(path))


def _run(rows: DataFrame, sink: Path, mode: str = "append") -> list[int]:
    """The rows of each batch."""
    writer = rows.writeStream.format(FORMAT).outputMode(mode)
    writer = writer.option("checkpointLocation", f"{sink}-checkpoint").trigger(availableNow=True)
    query = writer.start(str(sink))
    query.awaitTermination(120)
    return [each["numInputRows"] for each in query.recentProgress if each["numInputRows"]]


def _ids(spark: SparkSession, path: Path) -> list[int]:
    return sorted(row.id for row in ds.read(spark, path).collect())


def test_every_row_arrives_once_over_restarts(spark: SparkSession, source: Path, tmp_path: Path) -> None:
    sink = tmp_path / "sink"
    assert _run(_stream(spark, source, maxFilesPerTrigger="2"), sink) == [8, 4]
    assert _run(_stream(spark, source), sink) == []
    ds.write(spark.range(30, 32), source, mode="append")
    assert sum(_run(_stream(spark, source, maxBytesPerTrigger="1b"), sink)) == 2
    assert _ids(spark, sink) == _ids(spark, source)
    operations = {entry.operation for entry in Table(sink).history()}
    assert operations == {"STREAMING UPDATE"}


def test_a_stream_starts_where_its_options_say(spark: SparkSession, source: Path, tmp_path: Path) -> None:
    assert sum(_run(_stream(spark, source, startingVersion="1"), tmp_path / "one")) == 8
    assert _run(_stream(spark, source, startingVersion="latest"), tmp_path / "latest") == []
    made = Table(source).snapshot(2).timestamp_ms
    moment = time.strftime("%Y-%m-%dT%H:%M:%S", time.gmtime(made // 1000)) + f".{made % 1000:03d}+00:00"
    assert sum(_run(_stream(spark, source, startingTimestamp=moment), tmp_path / "moment")) >= 4
    with pytest.raises(
        Exception, match=r"start at version 9, and the latest version is 2[\s\S]*DELTA_VERSION_NOT_FOUND"
    ):
        _run(_stream(spark, source, startingVersion="9"), tmp_path / "beyond")


def test_a_stream_continues_without_lost_commits_only_where_that_is_allowed(
    spark: SparkSession, source: Path, tmp_path: Path
) -> None:
    sink = tmp_path / "sink"
    _run(_stream(spark, source), sink)
    for number in (30, 40, 50):
        ds.write(spark.range(number, number + 1), source, mode="append")
    table = Table(source)
    write_checkpoint(table.update(), table.log.store, table.catalog)
    for version in range(4):
        (source / "_delta_log" / f"{version:020}.json").unlink()
    with pytest.raises(Exception, match="version 3, whose commit is no longer in the log"):
        _run(_stream(spark, source), sink)
    assert sum(_run(_stream(spark, source, failOnDataLoss="false"), sink)) == 2
    assert not {30}.intersection(_ids(spark, sink))
    assert {40, 50}.issubset(_ids(spark, sink))


def test_deletions_end_a_stream_or_are_passed_over(spark: SparkSession, source: Path, tmp_path: Path) -> None:
    sink = tmp_path / "sink"
    _run(_stream(spark, source), sink)
    ds.delete(spark, str(source), "id = 1")
    with pytest.raises(Exception, match=r"Version 3 \(DELETE\) rewrites rows"):
        _run(_stream(spark, source), sink)
    ds.write(spark.range(40, 41), source, mode="append")
    assert sum(_run(_stream(spark, source, skipChangeCommits="true"), sink)) == 1
    assert sum(_run(_stream(spark, source, ignoreChanges="true", startingVersion="3"), tmp_path / "again")) == 4
    feed = _stream(spark, source, readChangeFeed="true", startingVersion="2")
    _run(feed, tmp_path / "changes")
    changes = ds.read(spark, tmp_path / "changes").groupBy("_change_type").count().collect()
    assert {row[0]: row[1] for row in changes} == {"insert": 5, "delete": 1}


def test_files_are_left_out_by_their_paths_and_places_stay(spark: SparkSession, source: Path, tmp_path: Path) -> None:
    second = Table(source).snapshot(1).files().column("path").to_pylist()
    (first,) = Table(source).snapshot(0).files().column("path").to_pylist()
    name = next(path for path in second if path != first).rpartition("/")[2]
    sink = tmp_path / "sink"
    _run(_stream(spark, source, excludeRegex=f"{re.escape(name)}$", maxFilesPerTrigger="1"), sink)
    assert _ids(spark, sink) == [0, 1, 2, 3, 20, 21, 22, 23]
    ds.write(spark.range(30, 32), source, mode="append")
    _run(_stream(spark, source), sink)
    assert _ids(spark, sink) == [0, 1, 2, 3, 20, 21, 22, 23, 30, 31]


def test_a_change_of_the_table_ends_the_stream_until_it_is_restarted(
    spark: SparkSession, source: Path, tmp_path: Path
) -> None:
    sink = tmp_path / "sink"
    rows = _stream(spark, source)
    query = (
        rows.writeStream.format(FORMAT)
        .option("checkpointLocation", f"{sink}-checkpoint")
        .trigger(processingTime="200 milliseconds")
        .start(str(sink))
    )
    query.processAllAvailable()
    wider = spark.range(50, 51).selectExpr("id", "'x' extra")
    ds.write(wider, source, mode="append", options={"mergeSchema": "true"})
    with pytest.raises(Exception, match=r"DR783|Version 3 changes"):
        query.awaitTermination(60)
    with pytest.raises(Exception, match="DR712"):
        _run(_stream(spark, source), sink)
    writer = _stream(spark, source).writeStream.format(FORMAT).option("mergeSchema", "true")
    again = writer.option("checkpointLocation", f"{sink}-checkpoint").trigger(availableNow=True).start(str(sink))
    again.awaitTermination(60)
    assert _ids(spark, sink) == _ids(spark, source)


def test_another_table_under_the_checkpoint_is_refused(spark: SparkSession, source: Path, tmp_path: Path) -> None:
    sink = tmp_path / "sink"
    _run(_stream(spark, source), sink)
    ds.write(spark.range(1), tmp_path / "other", mode="append")
    with pytest.raises(Exception, match="The checkpoint is of table"):
        _run(_stream(spark, tmp_path / "other"), sink)


def test_complete_mode_replaces(spark: SparkSession, source: Path, tmp_path: Path) -> None:
    sink = tmp_path / "sink"
    for expected in (12, 13):
        _run(_stream(spark, source).groupBy().count(), sink, "complete")
        assert [row[0] for row in ds.read(spark, sink).collect()] == [expected]
        ds.write(spark.range(60, 61), source, mode="append")


def _start(*arguments: object) -> subprocess.Popen[bytes]:
    return subprocess.Popen(
        [sys.executable, "-m", JOB, *map(str, arguments)],
        cwd=ROOT,
        start_new_session=True,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )


def _wait(found: Any, seconds: float = 120) -> None:
    end = time.monotonic() + seconds
    while not found():
        assert time.monotonic() < end, "what was waited for did not happen"
        time.sleep(0.05)


@pytest.mark.slow
def test_a_stream_killed_at_any_moment_continues_without_loss_or_repeat(spark: SparkSession, tmp_path: Path) -> None:
    source, sink, checkpoint = tmp_path / "source", tmp_path / "sink", tmp_path / "checkpoint"
    ds.write(spark.range(0, 80, 1, 8), source, mode="append")
    first = sink / "_delta_log" / f"{1:020d}.json"
    job = _start("stream", source, sink, checkpoint)
    try:
        _wait(first.exists)
    finally:
        os.killpg(job.pid, signal.SIGKILL)
        job.wait()
    done = Table(sink).snapshot().table_version
    assert done < 7, "it was killed too late to show anything"
    assert _start("stream", source, sink, checkpoint).wait(200) == 0
    assert _ids(spark, sink) == list(range(80))
    assert Table(sink).snapshot().table_version == 7


@pytest.mark.slow
@pytest.mark.parametrize("door", ["fast", "source"])
def test_a_driver_killed_before_its_commit_leaves_the_table(spark: SparkSession, tmp_path: Path, door: str) -> None:
    sink = tmp_path / "sink"
    ds.write(spark.range(3), sink, mode="append")
    before = set(sink.rglob("*.parquet"))
    job = _start(door, "-", sink, "-")
    try:
        _wait(lambda: set(sink.rglob("*.parquet")) - before)
    finally:
        os.killpg(job.pid, signal.SIGKILL)
        job.wait()
    assert Table(sink).snapshot().table_version == 0
    assert _ids(spark, sink) == [0, 1, 2]
    spark.range(3, 5).write.format(FORMAT).mode("append").save(str(sink))
    assert _ids(spark, sink) == [0, 1, 2, 3, 4]


def test_a_stream_that_notes_its_schemas_continues_over_changes_of_columns(spark: SparkSession, tmp_path: Path) -> None:
    path, sink, track = tmp_path / "source", tmp_path / "sink", str(tmp_path / "sink-checkpoint" / "track")
    by_name = f"delta.`{path}`"
    ds.sql(spark, f"CREATE TABLE {by_name} (id INT, s STRING) TBLPROPERTIES (delta.columnMapping.mode = 'name')")
    for statement in (
        "INSERT INTO T! VALUES (1, 'before')",
        "ALTER TABLE T! RENAME COLUMN s TO t",
        "INSERT INTO T! VALUES (2, 'renamed')",
        "ALTER TABLE T! DROP COLUMN t",
        "INSERT INTO T! VALUES (3)",
    ):
        ds.sql(spark, statement.replace("T!", by_name))

    def run(**options: str) -> str:
        """The columns that were read, or the condition of the error."""
        found: list[set[str]] = []
        asked = {"startingVersion": "0", "schemaTrackingLocation": track, **options}
        rows = _stream(spark, path, **asked)
        query = rows.writeStream.option("checkpointLocation", f"{sink}-checkpoint").trigger(availableNow=True)

        def keep(batch: DataFrame, _: int) -> None:
            found.append({f"{sorted(row.asDict())} {row.id}" for row in batch.collect()})

        try:
            query.foreachBatch(keep).start().awaitTermination(120)
        except StreamingQueryException as error:
            conditions = re.findall(r"DELTA_STREAMING_\w+", str(error))
            return f"{sorted(set().union(*found))} {conditions[0]}"
        return str(sorted(set().union(*found)))

    stopped, evolved = (
        "DELTA_STREAMING_CANNOT_CONTINUE_PROCESSING_POST_SCHEMA_EVOLUTION",
        "DELTA_STREAMING_METADATA_EVOLUTION",
    )
    renames = {"allowSourceColumnRename": "always"}
    assert run() == f"""["['id', 's'] 1"] {stopped}"""
    assert run(**renames) == f"[] {evolved}"
    assert run(**renames) == f"""["['id', 't'] 2"] {stopped}"""
    assert run(allowSourceColumnDrop=str(Table(path).update().table_version - 1)) == f"[] {evolved}"
    assert run() == """["['id'] 3"]"""
