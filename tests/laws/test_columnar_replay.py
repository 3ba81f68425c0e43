"""Columnar replay agrees with the readable replay on random logs, however oddly their JSON is spelt."""

from __future__ import annotations

import io
import json
import random
from typing import Any

import msgspec
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from deltaresolver.log.columnar import read_files as reading
from deltaresolver.log.columnar.arrow_schema import ADD_FILES, TOMBSTONES
from deltaresolver.log.columnar.file_columns import FileColumns
from deltaresolver.log.columnar.file_kinds import count_kinds
from deltaresolver.log.columnar.file_rows import add_from_row, iterate_rows
from deltaresolver.log.columnar.read_files import read_files, read_tombstones
from deltaresolver.log.commits import decode_commit
from deltaresolver.log.names import commit_path
from deltaresolver.log.replay import small_log
from deltaresolver.log.replay.few_kinds import FileKind, count_few, may_be_few
from deltaresolver.log.replay.in_memory import InMemoryLogReplay
from deltaresolver.log.segment import CheckpointFiles, CheckpointKind, CommitFile, LogSegment
from deltaresolver.log.storage.memory_store import MemoryStore
from deltaresolver.model.actions import AddFile, RemoveFile

PATHS = [
    "a",
    "b",
    "a%20b",
    "d=1/a",
    "./a",
    "d=1//a",
    "/abs/a",
    "file:/abs/a",
    "file:///abs/a",
    "s3://bucket/a",
    "ü",
    'q"x',
]
TEXTS = ["", "x", "}", '{"', "\\", 'back\\"slash', "ü\u2028", "\x00\x1f", "a,b:c", "null", "😀"]

maps = st.dictionaries(st.sampled_from(["p", "q", "Ü", 'odd"key']), st.none() | st.sampled_from(TEXTS), max_size=3)
wholes = st.integers(-(2**63), 2**63 - 1)
vectors = st.fixed_dictionaries(
    {"storageType": st.sampled_from(["u", "p", "i"]), "pathOrInlineDv": st.sampled_from(["ab^-aqEH", "x"])},
    optional={"offset": st.none() | st.sampled_from([0, 1]), "sizeInBytes": st.just(3), "cardinality": st.just(2)},
)
shared = {
    "size": wholes,
    "stats": st.none() | st.sampled_from(['{"numRecords":1,"minValues":{"a":{"b":"}"}}}', "{}", "", 'not "json']),
    "tags": st.none() | maps,
    "deletionVector": st.none() | vectors,
    "baseRowId": st.none() | wholes,
    "defaultRowCommitVersion": st.none() | st.integers(0, 9),
    "fromTheFuture": st.sampled_from([1, 1.5, None, "x", [1, {"add": {}}], {"path": "no"}]),
}
adds = st.fixed_dictionaries(
    {"path": st.sampled_from(PATHS), "partitionValues": maps, "modificationTime": wholes, "dataChange": st.booleans()},
    optional={**shared, "clusteringProvider": st.sampled_from([None, "liquid"])},
)
removes = st.fixed_dictionaries(
    {"path": st.sampled_from(PATHS), "dataChange": st.booleans()},
    optional={
        **shared,
        "deletionTimestamp": st.none() | st.integers(0, 4),
        "extendedFileMetadata": st.booleans(),
        "partitionValues": st.none() | maps,
    },
)
others = st.sampled_from(
    [
        {"commitInfo": {"operation": "WRITE", "add": {"path": "no"}, "metrics": {"n": "1"}}},
        {"txn": {"appId": "app", "version": 1}},
        {"cdc": {"path": "no", "partitionValues": {"p": "1"}, "size": 1, "dataChange": False}},
        {"brandNew": {"path": "no", "partitionValues": {"p": "1"}}},
        {"add": None, "remove": None},
    ]
)
lines = st.one_of(
    adds.map(lambda v: {"add": v}), adds.map(lambda v: {"add": v}), removes.map(lambda v: {"remove": v}), others
)
commits = st.lists(lines, max_size=8)


class Spelling:
    """One way to write the same actions as JSON lines."""

    def __init__(self, seed: int) -> None:
        self.draw = random.Random(seed)
        self.plain = self.draw.random() < 0.5

    def commit(self, actions: list[dict[str, Any]]) -> bytes:
        if self.plain:
            return b"".join(msgspec.json.encode(action) + b"\n" for action in actions)
        newline = self.draw.choice(["\n", "\r\n", "\n\n", " \n \n"])
        text = newline.join(self.line(action) for action in actions)
        return (text + self.draw.choice(["", newline])).encode()

    def line(self, action: dict[str, Any]) -> str:
        separators = self.draw.choice([(",", ":"), (" , ", " : "), (",", ": ")])
        ascii_only = self.draw.random() < 0.5
        return json.dumps(self.shuffled(action), separators=separators, ensure_ascii=ascii_only)

    def shuffled(self, value: Any) -> Any:
        if not isinstance(value, dict):
            return value
        items = [(key, self.shuffled(item)) for key, item in value.items()]
        if self.draw.random() < 0.5:
            self.draw.shuffle(items)
        return dict(items)


def add_row(action: AddFile) -> dict[str, Any]:
    return {
        "path": action.path,
        "partitionValues": dict(action.partition_values),
        "size": action.size,
        "modificationTime": action.modification_time,
        "stats": action.stats,
        "tags": None if action.tags is None else dict(action.tags),
        "deletionVector": vector_row(action.deletion_vector),
        "baseRowId": action.base_row_id,
        "defaultRowCommitVersion": action.default_row_commit_version,
        "clusteringProvider": action.clustering_provider,
    }


def vector_row(vector: Any) -> dict[str, Any] | None:
    if vector is None:
        return None
    return {
        "storageType": vector.storage_type,
        "pathOrInlineDv": vector.path_or_inline,
        "offset": vector.offset,
        "sizeInBytes": vector.size_in_bytes,
        "cardinality": vector.cardinality,
        "maxRowIndex": vector.max_row_index,
    }


def remove_row(action: RemoveFile) -> dict[str, Any]:
    return {
        "path": action.path,
        "deletionTimestamp": action.deletion_timestamp,
        "extendedFileMetadata": action.extended_file_metadata,
        "partitionValues": None if action.partition_values is None else dict(action.partition_values),
        "size": action.size,
        "stats": action.stats,
        "tags": None if action.tags is None else dict(action.tags),
        "deletionVector": vector_row(action.deletion_vector),
        "baseRowId": action.base_row_id,
        "defaultRowCommitVersion": action.default_row_commit_version,
    }


def columnar_rows(table: pa.Table) -> list[dict[str, Any]]:
    rows = []
    for row in table.to_pylist(maps_as_pydicts="strict"):
        del row["dataChange"]  # replay clears it, the columnar result keeps what the log says
        for name in ("size", "modificationTime"):
            if name in row and row[name] is None and "clusteringProvider" in row:
                row[name] = 0
        if row["deletionVector"] is not None:
            for name in ("sizeInBytes", "cardinality"):
                row["deletionVector"][name] = row["deletionVector"][name] or 0
        rows.append(row)
    return in_order(rows)


def in_order(rows: list[dict[str, Any]]) -> list[dict[str, Any]]:
    return sorted(rows, key=lambda row: json.dumps(row, sort_keys=True))


def replay(texts: list[bytes]) -> InMemoryLogReplay:
    state = InMemoryLogReplay()
    for number, text in enumerate(texts):
        state.append(number, decode_commit(text, commit_path(number)))
    return state


def store_with(texts: list[bytes], first: int = 0) -> tuple[MemoryStore, tuple[CommitFile, ...]]:
    store = MemoryStore()
    files = []
    for number, text in enumerate(texts, start=first):
        store.put_if_absent(commit_path(number), text)
        files.append(CommitFile(commit_path(number), len(text), 0, number, number))
    return store, tuple(files)


def check(store: MemoryStore, segment: LogSegment, expected: InMemoryLogReplay) -> None:
    live = read_files(store, segment)
    assert live.schema.equals(ADD_FILES)
    assert columnar_rows(live) == in_order([add_row(action) for action in expected.active_files.values()])
    with pytest.MonkeyPatch.context() as setting:
        setting.setattr(reading, "_LITTLE", -1)  # nothing is too little for threads
        paths = read_files(store, segment, FileColumns.PATHS)
    assert paths.column_names == ["path"]
    assert paths.column("path").to_pylist() == live.column("path").to_pylist()
    assert read_files(store, segment, FileColumns.WITHOUT_STATS).equals(live.drop_columns(["stats"]))
    check_kinds(store, segment)
    gone = read_tombstones(store, segment, None)
    assert gone.schema.equals(TOMBSTONES)
    assert columnar_rows(gone) == in_order([remove_row(action) for action in expected.tombstones.values()])
    recent = [remove_row(action) for action in expected.tombstones.values() if action.deleted_at > 2]
    assert columnar_rows(read_tombstones(store, segment, 2)) == in_order(recent)


def check_kinds(store: MemoryStore, segment: LogSegment) -> None:
    """Files counted one by one are those counted in columns."""
    expected = count_kinds(read_files(store, segment, FileColumns.WITHOUT_STATS))
    assert may_be_few(segment) or (segment.checkpoint is not None)
    if not may_be_few(segment):
        return
    found = count_few(store, segment)
    assert found is not None
    assert [kind_row(one) for one in found] == [kind_row(one) for one in expected]
    live = [add_from_row(row) for row in iterate_rows(read_files(store, segment, FileColumns.WITHOUT_STATS))]
    assert all(one.first in live for one in found)


def kind_row(kind: FileKind) -> tuple[object, ...]:
    size = (kind.size + 2**63) % 2**64 - 2**63  # Arrow's sums go round
    return kind.is_marked, kind.has_row_ids, kind.files, size


@settings(max_examples=100, deadline=None)
@given(st.lists(commits, min_size=1, max_size=6), st.integers())
def test_commits_alone_replay_to_the_same_files(log: list[list[dict[str, Any]]], seed: int) -> None:
    spelling = Spelling(seed)
    texts = [spelling.commit(actions) for actions in log]
    store, files = store_with(texts)
    segment = LogSegment(len(texts) - 1, files)
    check(store, segment, replay(texts))
    in_columns = [add_from_row(row) for row in iterate_rows(read_files(store, segment))]
    in_turn = small_log.live_files(store, segment)
    if any(adds_a_file_twice(actions) for actions in log):  # which no writer may do
        assert in_order([add_row(file) for file in in_turn]) == in_order([add_row(file) for file in in_columns])
    else:
        assert in_turn == in_columns


def adds_a_file_twice(actions: list[dict[str, Any]]) -> bool:
    paths = [action["add"]["path"] for action in actions if action.get("add")]
    return len(paths) > len(set(paths))


def test_a_file_that_one_commit_adds_twice_is_the_later_one() -> None:
    adds = [("a", {}), ("a", {"p": None}), ("b", {})]
    actions = [
        {"add": {"path": path, "partitionValues": values, "modificationTime": 0, "dataChange": False}}
        for path, values in adds
    ]
    store, files = store_with([Spelling(1).commit(actions)])
    segment = LogSegment(0, files)
    in_turn = small_log.live_files(store, segment)
    assert [(file.path, dict(file.partition_values)) for file in in_turn] == adds[1:]
    assert in_order([add_row(file) for file in in_turn]) == columnar_rows(read_files(store, segment))


@settings(max_examples=60, deadline=None)
@given(st.lists(commits, min_size=2, max_size=6), st.integers(), st.data())
def test_a_checkpoint_and_later_commits_replay_to_the_same_files(
    log: list[list[dict[str, Any]]], seed: int, data: st.DataObject
) -> None:
    spelling = Spelling(seed)
    texts = [spelling.commit(actions) for actions in log]
    cut = data.draw(st.integers(1, len(texts) - 1))
    store, files = store_with(texts[cut:], cut)
    before = replay(texts[:cut])
    checkpoint = write_checkpoint(
        store, before, data.draw(st.sampled_from(list(CheckpointKind))), cut - 1, spelling.draw
    )
    check(store, LogSegment(len(texts) - 1, files, checkpoint), replay(texts))


def write_checkpoint(
    store: MemoryStore, state: InMemoryLogReplay, kind: CheckpointKind, table_version: int, draw: random.Random
) -> CheckpointFiles:
    rows = [{"add": add_row(action) | {"dataChange": False}} for action in state.active_files.values()]
    rows += [{"remove": remove_row(action) | {"dataChange": False}} for action in state.tombstones.values()]
    draw.shuffle(rows)
    if kind is CheckpointKind.CLASSIC:
        top = [[*rows, {"protocol": {"minReaderVersion": 1}}]]
    elif kind is CheckpointKind.MULTI_PART:
        top = [rows[::2], rows[1::2]]
    else:
        top = [[{"checkpointMetadata": {"version": table_version}}]]
        for number in range(2):
            data = parquet(rows[number::2])
            store.put(f"_delta_log/_sidecars/s{number}.parquet", data)
            top[0].append({"sidecar": {"path": f"s{number}.parquet", "sizeInBytes": len(data)}})
    paths = []
    for number, part in enumerate(top):
        json_top = kind is CheckpointKind.V2_JSON
        path = f"_delta_log/top-{number}.{'json' if json_top else 'parquet'}"
        store.put(path, b"".join(msgspec.json.encode(row) + b"\n" for row in part) if json_top else parquet(part))
        paths.append(path)
    return CheckpointFiles(table_version, kind, tuple(paths), tuple(len(store.read(path)) for path in paths))


def parquet(rows: list[dict[str, Any]]) -> bytes:
    fields = {
        "add": pa.struct([field.with_nullable(True) for field in ADD_FILES]),
        "remove": pa.struct([field.with_nullable(True) for field in TOMBSTONES]),
        "protocol": pa.struct([("minReaderVersion", pa.int32())]),
        "sidecar": pa.struct([("path", pa.string()), ("sizeInBytes", pa.int64())]),
        "checkpointMetadata": pa.struct([("version", pa.int64())]),
    }
    table = pa.Table.from_pylist([with_pairs(row) for row in rows], pa.schema(fields.items()))
    target = io.BytesIO()
    pq.write_table(table, target)
    return target.getvalue()


def with_pairs(row: dict[str, Any]) -> dict[str, Any]:
    """The row with its maps as Arrow takes them."""
    action = {
        name: list(value.items()) if name in ("partitionValues", "tags") and value is not None else value
        for name, value in next(iter(row.values())).items()
    }
    return {next(iter(row)): action}
