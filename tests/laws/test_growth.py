"""How work grows with its input: what is counted at n and at 4n may grow no faster than its limit.

Counts are the same however busy a machine is, as seconds are not. What takes a Spark session is counted in
tests/spark/reading/test_many_files.py.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from pathlib import Path

import pytest

from deltaresolver.log import snapshot as snapshots
from deltaresolver.log.checkpoint.write import write_checkpoint
from deltaresolver.log.log import DeltaLog
from deltaresolver.spark.folding import balanced
from deltaresolver.spark.schema import spark_schema
from deltaresolver.spark.source.older_spark import ReadMaxFiles
from deltaresolver.spark.source.settings import SourceSettings
from deltaresolver.spark.source.source_options import SourceOptions
from deltaresolver.spark.source.stream.options import parse_stream_options
from deltaresolver.spark.source.stream.reader import StreamReader
from tests.logs import PROTOCOL, CountingStore, LogBuilder, metadata

CONSTANT, LINEAR = 0.0, 1.0


def exponent(count: Callable[[int], int], size: int) -> float:
    """By which power a count grows from `size` to four times as much."""
    return math.log(count(4 * size) / count(size), 4)


def log_of(commits: int) -> LogBuilder:
    return LogBuilder.started().commits(commits - 1)


def reads_of_history(commits: int, limit: int | None) -> int:
    log = log_of(commits)
    assert isinstance(log.store, CountingStore)
    assert len(DeltaLog(log.store).history(limit)) == (limit or commits)
    return len(log.store.reads)


@pytest.mark.parametrize("limit", [1, 10])
def test_the_newest_commits_cost_the_same_however_long_a_history_is(limit: int) -> None:
    assert exponent(lambda commits: reads_of_history(commits, limit), 20) <= CONSTANT


def test_a_whole_history_reads_each_commit_a_fixed_number_of_times() -> None:
    assert exponent(lambda commits: reads_of_history(commits, None), 20) <= LINEAR


@pytest.fixture
def updates(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """One entry for each time that a log was looked at for new commits, which lists all of it."""
    calls: list[int] = []
    original = DeltaLog.update

    def update(log: DeltaLog) -> snapshots.Snapshot:
        calls.append(1)
        return original(log)

    monkeypatch.setattr(DeltaLog, "update", update)
    return calls


def reader_of(folder: Path, at_once: int) -> StreamReader:
    """A stream of a table from its first version on."""
    options = parse_stream_options({"startingVersion": "0", "maxFilesPerTrigger": str(at_once)})
    columns = spark_schema(DeltaLog(LogBuilder.local(folder).store).snapshot().metadata.schema)
    return StreamReader(SourceOptions(str(folder)), options, SourceSettings(), columns)


def drain(folder: Path, commits: int, at_once: int) -> int:
    """Read a stream of so many commits to its end; how many batches it took."""
    if not folder.exists():
        LogBuilder.local(folder).commit(PROTOCOL, metadata()).commits(commits - 1)
    reader = reader_of(folder, at_once)
    start, batches, tasks = reader.initialOffset(), 0, 0
    while True:
        end = reader.latestOffset(start, ReadMaxFiles(at_once))
        if end == start:
            assert tasks > 0
            return batches
        tasks += len(reader.partitions(start, end))
        reader.commit(end)
        start, batches = end, batches + 1


def test_a_stream_at_its_end_sees_what_is_committed_then(tmp_path: Path) -> None:
    log = LogBuilder.local(tmp_path / "t").commit(PROTOCOL, metadata()).commits(2)
    reader = reader_of(tmp_path / "t", 10)
    start = reader.initialOffset()
    for _ in range(3):
        end = reader.latestOffset(start, ReadMaxFiles(10))
        assert end != start
        assert sum(len(task.value.parts) for task in reader.partitions(start, end)) > 0
        reader.commit(end)
        assert reader.latestOffset(end, ReadMaxFiles(10)) == end
        log.commits(2)
        start = end
    # Another reader, as after a restart, plans the same batch again.
    again = reader_of(tmp_path / "t", 10)
    end = reader.latestOffset(start, ReadMaxFiles(10))
    found = [task.value for task in again.partitions(start, end)]
    assert found == [task.value for task in reader.partitions(start, end)]
    assert found


def test_a_stream_lists_the_log_for_each_batch_and_not_for_each_commit(tmp_path: Path, updates: list[int]) -> None:
    def listings(commits: int) -> int:
        updates.clear()
        assert drain(tmp_path / str(commits), commits, at_once=2 * commits) == 1
        return len(updates)

    assert exponent(listings, 50) <= CONSTANT
    updates.clear()
    batches = drain(tmp_path / "200", 200, at_once=20)
    assert len(updates) <= 3 * batches + 5


def test_a_fold_is_as_deep_as_the_logarithm_of_its_parts() -> None:
    def depth(parts: int) -> int:
        return balanced(lambda one, other: 1 + max(one, other), [0] * parts)

    assert [depth(parts) for parts in (1, 2, 3, 4, 500, 2000)] == [0, 1, 2, 2, 9, 11]
    assert balanced(lambda one, other: one + other, "abcdefg") == "abcdefg"


@pytest.mark.parametrize(("kept", "holds"), [(0, False), (1 << 20, True)])
def test_a_checkpoint_leaves_no_more_in_memory_than_it_may(
    kept: int, holds: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(snapshots, "MAX_BYTES_KEPT_UNASKED", kept)
    snapshot = DeltaLog(log_of(5).store).snapshot()
    write_checkpoint(snapshot, snapshot.store)
    assert snapshot.holds_files is holds
    assert snapshot.files().num_rows == 4
    write_checkpoint(snapshot, snapshot.store)
    assert snapshot.holds_files  # somebody has asked for them
