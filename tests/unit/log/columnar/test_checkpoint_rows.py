"""The rows of a checkpoint stay in place, whatever the commits over it remove."""

from __future__ import annotations

import io
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from deltaresolver.errors import CheckpointUnusableError
from deltaresolver.log.columnar.action_rows import BuiltRows, take_pieces
from deltaresolver.log.columnar.arrow_schema import ADD_FILES
from deltaresolver.log.columnar.fast.seen_fingerprints import SeenPrints, are_distinct
from deltaresolver.log.columnar.file_columns import FileColumns
from deltaresolver.log.columnar.read_files import read_files
from deltaresolver.log.names import commit_path
from deltaresolver.log.segment import CheckpointFiles, CheckpointKind, CommitFile, LogSegment
from deltaresolver.log.storage.memory_store import MemoryStore

ROWS = 2000


def read_over_checkpoint(parts: list[list[str]], commit: bytes = b"") -> list[str]:
    """The paths live after `commit` over a checkpoint with these parts."""
    store = MemoryStore()
    names, sizes = [], []
    for number, paths in enumerate(parts):
        target = io.BytesIO()
        pq.write_table(pa.table({"add": pa.array([{"path": path, "size": 1} for path in paths])}), target)
        names.append(f"_delta_log/part-{number}.parquet")
        sizes.append(len(target.getvalue()))
        store.put(names[-1], target.getvalue())
    checkpoint = CheckpointFiles(0, CheckpointKind.MULTI_PART, tuple(names), tuple(sizes))
    store.put(commit_path(1), commit)
    segment = LogSegment(1, (CommitFile(commit_path(1), len(commit), 0, 1, 1),), checkpoint)
    return list(read_files(store, segment, FileColumns.PATHS).column("path").to_pylist())


def test_a_file_twice_in_a_checkpoint_is_one_row() -> None:
    assert sorted(read_over_checkpoint([["a", "b"], ["c", "a"]])) == ["a", "b", "c"]
    assert sorted(read_over_checkpoint([["a", "b", "a"]])) == ["a", "b"]
    assert read_over_checkpoint([["a", "b"], ["a"]], b'{"remove":{"path":"a","dataChange":true}}\n') == ["b"]


def test_a_commit_over_a_checkpoint_drops_and_replaces_rows() -> None:
    names = [f"f{number}" for number in range(ROWS)]
    commit = b'{"remove":{"path":"f700","dataChange":true}}\n{"add":{"path":"f9","partitionValues":{},"size":2}}\n'
    found = read_over_checkpoint([names[:1500], names[1500:]], commit)
    assert sorted(found) == sorted(set(names) - {"f700"})


def read_files_of(action: str, rows: list[dict[str, Any] | None], columns: FileColumns) -> pa.Table:
    """The live files of a checkpoint with these rows."""
    target = io.BytesIO()
    kind = pa.struct([("path", pa.string()), ("size", pa.int64()), ("dataChange", pa.bool_())])
    pq.write_table(pa.table({action: pa.array(rows, kind)}), target)
    store, path = MemoryStore(), "_delta_log/00000000000000000000.checkpoint.parquet"
    store.put(path, target.getvalue())
    checkpoint = CheckpointFiles(0, CheckpointKind.CLASSIC, (path,), (len(target.getvalue()),))
    return read_files(store, LogSegment(0, (), checkpoint), columns)


def test_a_file_without_a_path_makes_a_checkpoint_unusable() -> None:
    with pytest.raises(CheckpointUnusableError, match=r"add\.path must be present, found nothing beside size"):
        read_files_of("add", [{"path": "a"}, None, {"path": None, "size": 1}], FileColumns.ALL)


@pytest.mark.parametrize("action", ["add", "remove"])
@pytest.mark.parametrize("columns", list(FileColumns))
def test_a_struct_that_holds_nothing_is_not_an_action(action: str, columns: FileColumns) -> None:
    found = read_files_of(action, [{"path": "a", "size": 1}, {}, None, {}], columns)
    assert found.column("path").to_pylist() == (["a"] if action == "add" else [])


vectors = st.none() | st.fixed_dictionaries(
    {
        "storageType": st.just("u"),
        "pathOrInlineDv": st.none() | st.just("ab"),
        "offset": st.none() | st.just(1),
        "sizeInBytes": st.none() | st.just(2),
        "cardinality": st.none() | st.just(3),
        "maxRowIndex": st.none() | st.just(4),
    }
)
live_files = st.fixed_dictionaries(
    {
        "partitionValues": st.sampled_from([None, [], [("p", None)], [("p", "1")]]),
        "size": st.none() | st.just(7),
        "modificationTime": st.none() | st.just(8),
        "dataChange": st.none() | st.booleans(),
        "stats": st.none() | st.just("{}"),
        "tags": st.sampled_from([None, [], [("t", "1")]]),
        "deletionVector": vectors,
        "baseRowId": st.none() | st.just(0),
        "defaultRowCommitVersion": st.none() | st.just(9),
        "clusteringProvider": st.none() | st.just("liquid"),
    }
)


@settings(deadline=None)
@given(st.lists(live_files, min_size=1, max_size=3), st.integers(1, 2), st.booleans())
def test_leaves_that_are_not_read_were_empty(files: list[dict[str, Any]], group: int, statistics: bool) -> None:
    rows = [{"path": str(number), **file} for number, file in enumerate(files)]
    add = pa.array(rows, pa.struct([field.with_nullable(True) for field in ADD_FILES]))
    target = io.BytesIO()
    pq.write_table(pa.table({"add": add}), target, row_group_size=group, write_statistics=statistics)
    store, path = MemoryStore(), "_delta_log/00000000000000000000.checkpoint.parquet"
    store.put(path, target.getvalue())
    checkpoint = CheckpointFiles(0, CheckpointKind.CLASSIC, (path,), (len(target.getvalue()),))
    assert read_files(store, LogSegment(0, (), checkpoint)).to_pylist() == rows


def test_opening_a_checkpoint_leaves_the_process_its_memory_pool() -> None:
    before = pa.default_memory_pool().backend_name
    read_over_checkpoint([["a"]])
    assert pa.default_memory_pool().backend_name == before


@pytest.mark.parametrize(
    "dropped", [[], [0], [ROWS - 1], [700], [3, 4, 900], list(range(0, ROWS, 2)), list(range(ROWS))]
)
def test_pieces_are_the_rows_asked_for(dropped: list[int]) -> None:
    array = pa.array([{"path": str(number)} for number in range(ROWS)])
    rows = np.setdiff1d(np.arange(ROWS), dropped)
    pieces = take_pieces(BuiltRows(array), rows)
    assert [row["path"] for piece in pieces for row in piece.to_pylist()] == [str(row) for row in rows]
    if len(dropped) < 4:
        text = array.field("path").buffers()[2]
        assert all(piece.field("path").buffers()[2].address == text.address for piece in pieces)


prints = st.lists(st.integers(0, 40), max_size=6, unique=True)


@given(st.lists(prints, max_size=90))
def test_the_set_of_fingerprints_is_exact(batches: list[list[int]]) -> None:
    seen, expected = SeenPrints(0), set[int]()
    for batch in batches:
        given_prints = np.array(batch, np.uint64)
        assert seen.holds(given_prints).tolist() == [each in expected for each in batch]
        seen.add(given_prints[~seen.holds(given_prints)])
        expected.update(batch)


def test_fingerprints_are_distinct_across_parts() -> None:
    first, second = np.array([1, 2], np.uint64), np.array([3], np.uint64)
    assert are_distinct([])
    assert are_distinct([first, second])
    assert not are_distinct([first, second, np.array([2], np.uint64)])
