"""Spark's tasks read from a log the files that the driver lists, in its order, whatever the log is made of.

Spark itself is left out: its part, the last action of each key, is done here.
"""

from __future__ import annotations

import functools
import pickle

import pyarrow as pa
import pyarrow.compute as pc
from hypothesis import given, settings
from hypothesis import strategies as st

from deltaresolver.errors import CheckpointUnusableError
from deltaresolver.log.columnar.arrow_schema import ADD_FILES
from deltaresolver.log.log import DeltaLog
from deltaresolver.log.pruning.chosen_files import Keep
from deltaresolver.log.snapshot import Snapshot
from deltaresolver.model.metadata import Metadata
from deltaresolver.spark import replay
from deltaresolver.spark.reading.select_files import FileChoice, select_files
from tests.laws.random_logs import PATHS, RandomLog, random_logs
from tests.laws.test_chosen_files import keep_of
from tests.logs import PROTOCOL, LogBuilder, add, metadata
from tests.nasty import STRINGS


def by_tasks(snapshot: Snapshot, keep: Keep | None) -> pa.Table:
    """The replay as tasks make it, each with its own copy of what they are sent."""
    inputs = replay._inputs(snapshot, keep)
    numbers = [pa.RecordBatch.from_arrays([pa.array([number])], ["id"]) for number in range(len(inputs.pieces))]
    batches = [batch for number in numbers for batch in inputs.read(iter([number]))]
    last: dict[tuple[int, str], tuple[int, dict[str, object]]] = {}
    for row in pa.Table.from_batches(batches, replay._KEYED_ARROW).to_pylist():
        key, position = (row.pop("filePrint"), row.pop("fileKey")), row["position"]
        if key not in last or last[key][0] < position:
            last[key] = position, row
    found = [row for _, row in last.values() if row.pop("isAdd")]
    schema = pa.schema([(replay.POSITION, pa.int64()), *ADD_FILES])
    return replay.in_log_order(pa.Table.from_pylist(found, schema), snapshot)


@settings(max_examples=150, deadline=None)
@given(random_logs(damage=True), st.none() | st.sets(st.sampled_from(PATHS)))
def test_tasks_find_the_files_of_the_driver(log: RandomLog, paths: set[str] | None) -> None:
    keep = None if paths is None else keep_of(paths)
    snapshot = DeltaLog(log.builder.store).snapshot()
    try:
        found = by_tasks(snapshot, keep)
    except CheckpointUnusableError:
        return  # Spark's job fails, and the driver reads the log
    expected = DeltaLog(log.builder.store).snapshot().files()
    assert found.to_pylist() == (expected if keep is None else keep(expected)).to_pylist()


SCHEMA = (
    '{"type":"struct","fields":[{"name":"id","type":"long","nullable":true,"metadata":{}},'
    '{"name":"p","type":"string","nullable":true,"metadata":{}}]}'
)


@functools.cache
def partitioned() -> DeltaLog:
    """A file in each of as many partitions as there are nasty texts."""
    head = metadata(schema=SCHEMA)
    head["metaData"]["partitionColumns"] = ["p"]
    log = LogBuilder().commit(PROTOCOL, head)
    for number, value in enumerate(STRINGS):
        stats = f'{{"numRecords":1,"minValues":{{"id":{number}}},"maxValues":{{"id":{number}}},"nullCount":{{"id":0}}}}'
        log.commit(add(f"f{number}", partitionValues={"p": value}, stats=stats))
    return DeltaLog(log.store)


def choice_of(table: DeltaLog, where: str) -> Keep:
    """What `select_files` has the files of a condition chosen by, as a task gets it."""
    sent: list[Keep] = []

    class Noting(Snapshot):
        def chosen_files(self, keep: Keep) -> pa.Table:
            sent.append(pickle.loads(pickle.dumps(keep)))
            return super().chosen_files(keep)

    snapshot = table.snapshot()
    select_files(Noting(snapshot.store, snapshot.segment), where, "UTC")
    (keep,) = sent
    assert isinstance(keep, FileChoice)
    assert isinstance(keep.metadata, Metadata)
    return keep


@settings(max_examples=60, deadline=None)
@given(st.sampled_from(STRINGS), st.integers(0, len(STRINGS)))
def test_a_choice_that_was_sent_leaves_the_files_that_it_would_leave_here(text: str, number: int) -> None:
    table = partitioned()
    quoted = "'" + text.replace("\\", "\\\\").replace("'", "\\'") + "'"
    for where in (f"p = {quoted}", f"p = {quoted} AND id >= {number}", f"id = {number}"):
        keep = choice_of(table, where)
        found = by_tasks(table.snapshot(), keep)
        assert found.equals(select_files(table.snapshot(), where, "UTC"))
        assert found.equals(keep(table.snapshot().files()))


def test_an_older_file_that_is_chosen_is_hidden_by_a_newer_one_that_is_not() -> None:
    log = LogBuilder.started().commit(add("a", size=1)).commit(add("a", size=2), add("b", size=1))
    snapshot = DeltaLog(log.store).snapshot()
    found = by_tasks(snapshot, lambda files: files.filter(pc.equal(files.column("size"), 1)))
    assert found.column("path").to_pylist() == ["b"]
