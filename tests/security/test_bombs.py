"""What is small on disk stays small in memory, and odd values of any kind end in an error of this library."""

from __future__ import annotations

import json
import struct
import time
import tracemalloc
import zlib
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from deltaresolver.defaults import built_in_catalog
from deltaresolver.errors import (
    CheckpointRefusedError,
    CommitMalformedError,
    DeletionVectorUnreadableError,
    DeltaResolverError,
)
from deltaresolver.expressions.allowed import checked_expression
from deltaresolver.expressions.conditions import parse_predicate
from deltaresolver.log.checkpoint.write import write_checkpoint
from deltaresolver.log.columnar import json_input
from deltaresolver.log.columnar.json_input import read_blocks
from deltaresolver.log.deletion_vectors import MAX_ROWS, read_deletion_vectors
from deltaresolver.log.log import DeltaLog
from deltaresolver.log.segment import CommitFile
from deltaresolver.log.storage.local_store import LocalStore
from deltaresolver.log.storage.memory_store import MemoryStore
from deltaresolver.model.actions import DeletionVector
from tests.logs import add, metadata
from tests.security.budget import run
from tests.security.tables import commit, log_of

UUID_85 = "^-aqEH.-t@S}K{vb[*k^"
UUID_FILE = "deletion_vector_d2c639aa-8816-431a-aaf6-d3fe2512ff61.bin"
MAGIC = struct.pack("<i", 1681511377)


def runs(rows: int) -> bytes:
    """A bitmap of the first so many rows, in a few bytes for each 65,536."""
    from pyroaring import BitMap64

    bitmap = BitMap64()
    bitmap.add_range(0, rows)
    bitmap.run_optimize()
    return MAGIC + bitmap.serialize()


def read(data: bytes, **said: Any) -> Any:
    store = MemoryStore()
    store.put(UUID_FILE, b"\x01" + struct.pack(">i", len(data)) + data + struct.pack(">I", zlib.crc32(data)))
    vector = DeletionVector(
        **{
            "storage_type": "u",
            "path_or_inline": UUID_85,
            "offset": 1,
            "size_in_bytes": len(data),
            "cardinality": 1,
            **said,
        }
    )
    return read_deletion_vectors(store, [vector])


@pytest.mark.parametrize("said", [1, MAX_ROWS, 2**32, 2**33])
def test_a_vector_of_billions_of_rows_takes_no_memory(said: int) -> None:
    data = runs(2**33)
    assert len(data) < 4 << 20
    tracemalloc.start()
    with pytest.raises(DeletionVectorUnreadableError):
        read(data, cardinality=said)
    _, most = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert most < 100 << 20


@pytest.mark.parametrize(
    "said",
    [
        {"size_in_bytes": -1},
        {"size_in_bytes": -8},
        {"size_in_bytes": -(2**31)},
        {"size_in_bytes": 2**31},
        {"cardinality": -1},
        {"offset": -1},
        {"offset": -(2**40)},
        {"offset": 2**40},
        {"storage_type": "i", "path_or_inline": "", "size_in_bytes": -4},
        {"storage_type": "i", "path_or_inline": "'"},
        {"storage_type": "x"},
        {"storage_type": "p", "path_or_inline": "/etc/passwd"},
        {"path_or_inline": "../" + UUID_85},
        {"path_or_inline": "/etc/" + UUID_85},
        {"path_or_inline": ""},
    ],
    ids=str,
)
def test_a_vector_is_read_only_if_the_log_describes_it_rightly(said: dict[str, Any]) -> None:
    with pytest.raises(DeltaResolverError):
        read(runs(1), **said)


def test_a_row_number_beyond_63_bits_is_refused() -> None:
    from pyroaring import BitMap64

    with pytest.raises(DeletionVectorUnreadableError):
        read(MAGIC + BitMap64([2**63]).serialize())


def test_a_long_line_is_read_in_time_by_its_length(monkeypatch: pytest.MonkeyPatch) -> None:
    store = MemoryStore()
    store.put("a.json", b'{"x":"' + b"a" * (8 << 20) + b'"}\n' + b"{}\n" * 1000)
    began = time.monotonic()
    blocks = list(read_blocks(store, (CommitFile("a.json", 8 << 20, 0, 0, 0),), 512))
    assert time.monotonic() - began < 5
    assert b"".join(bytes(block.data) for block in blocks) == store.read("a.json")
    last = blocks[-1]
    assert last.sources[0].first_line + bytes(last.data).count(b"\n") == 1002
    monkeypatch.setattr(json_input, "MAX_LINE_BYTES", 4 << 20)
    with pytest.raises(CommitMalformedError, match="longer than 4,194,304 bytes"):
        list(read_blocks(store, (CommitFile("a.json", 8 << 20, 0, 0, 0),), 512))


HUGE = 10**30
ODD_ACTIONS: dict[str, dict[str, Any]] = {
    "null in a vector": {**add("f"), "add": {**add("f")["add"], "deletionVector": {"storageType": None}}},
    "empty vector": {"add": {**add("f")["add"], "deletionVector": {}}},
    "vector without a place": {"add": {**add("f")["add"], "deletionVector": {"storageType": "u"}}},
    "vector of numbers": {"add": {**add("f")["add"], "deletionVector": {"storageType": 1, "pathOrInlineDv": 2}}},
    "huge size": {"add": {**add("f")["add"], "size": HUGE}},
    "huge time": {"add": {**add("f")["add"], "modificationTime": HUGE}},
    "huge version of an application": {"txn": {"appId": "a", "version": HUGE}},
    "huge time of an application": {"txn": {"appId": "a", "version": 1, "lastUpdated": -HUGE}},
    "huge base row id": {"add": {**add("f")["add"], "baseRowId": HUGE}},
    "huge time of a removal": {"remove": {"path": "f", "dataChange": True, "deletionTimestamp": HUGE}},
    "huge reader version": {"protocol": {"minReaderVersion": HUGE, "minWriterVersion": 2}},
    "huge time of the table": {"metaData": {**metadata()["metaData"], "createdTime": HUGE}},
}


@pytest.mark.parametrize("name", ODD_ACTIONS)
def test_odd_values_end_in_an_error_of_this_library(tmp_path: Path, name: str) -> None:
    commit(log_of(tmp_path), 1, ODD_ACTIONS[name])
    _use(tmp_path)


@pytest.mark.parametrize("depth", [1_000, 100_000])
@pytest.mark.parametrize("opening", ["[", '{"a":'])
@pytest.mark.parametrize("place", ["tags", "partitionValues", "deletionVector", "stats", "unheard"])
def test_nesting_ends_in_an_error_of_this_library(tmp_path: Path, depth: int, opening: str, place: str) -> None:
    closing = "]" if opening == "[" else "}"
    value = opening * depth + ("1" if opening != "[" else "") + closing * depth
    line = json.dumps(add("f")).replace('"path"', f'"{place}": {value}, "path"', 1)
    (log_of(tmp_path) / f"{1:020d}.json").write_text(line + "\n")
    _use(tmp_path)


@pytest.mark.parametrize("name", ["_last_checkpoint", f"{0:020d}.crc", f"{0:020d}.{1:020d}.compacted.json"])
@pytest.mark.parametrize("text", ["[" * 100_000, '{"version":' * 100_000, '{"version":' + "9" * 30 + "}", "\xff", ""])
def test_odd_files_beside_commits_end_in_an_error_of_this_library(tmp_path: Path, name: str, text: str) -> None:
    log = log_of(tmp_path)
    commit(log, 1, add("f"))
    (log / name).write_bytes(text.encode("latin-1"))
    _use(tmp_path)


def _use(folder: Path) -> None:
    """Everything that reads the log, and a checkpoint; whatever is raised is of this library."""
    store = LocalStore(folder)
    uses = (
        lambda: DeltaLog(store).snapshot().files(),
        lambda: list(DeltaLog(store).snapshot().add_actions()),
        lambda: list(DeltaLog(store).snapshot().remove_actions()),
        lambda: [action.key for action in DeltaLog(store).snapshot().add_actions()],
        lambda: DeltaLog(store).snapshot().domains,
        lambda: write_checkpoint(DeltaLog(store).snapshot(), store, built_in_catalog()),
    )
    for use in uses:
        try:
            use()
        except DeltaResolverError:
            continue


def test_a_checkpoint_whose_paths_are_not_text_ends_in_errors_of_this_library_alone(tmp_path: Path) -> None:
    log = log_of(tmp_path)
    commit(log, 1, add("path-of-a-file"))
    store = LocalStore(tmp_path)
    (file,) = write_checkpoint(DeltaLog(store).snapshot(), store, built_in_catalog()).paths
    whole = pq.read_table(tmp_path / file)
    sink = pa.BufferOutputStream()
    pq.write_table(whole, sink, use_dictionary=False, compression="none", write_statistics=False)
    data = sink.getvalue().to_pybytes()
    assert b"path-of-a-file" in data
    (tmp_path / file).write_bytes(data.replace(b"path-of-a-file", b"path-of-\xff\xfe\xff\xfeil"))
    _use(tmp_path)


def test_a_deep_schema_has_no_checkpoint(tmp_path: Path) -> None:
    kind: Any = "long"
    for level in range(200):
        fields = [{"name": f"f{level}", "type": kind, "nullable": True, "metadata": {}}]
        kind = {"type": "struct", "fields": fields}
    log = log_of(tmp_path)
    schema = json.dumps(kind)
    commit(log, 1, {"metaData": {**metadata()["metaData"], "schemaString": schema}}, add("f"))
    store = LocalStore(tmp_path)
    with pytest.raises(CheckpointRefusedError, match="nested"):
        write_checkpoint(DeltaLog(store).snapshot(), store, built_in_catalog())


@pytest.mark.parametrize("name", ODD_ACTIONS)
def test_an_audit_of_odd_values_ends_within_its_budget(tmp_path: Path, name: str) -> None:
    commit(log_of(tmp_path / "t"), 1, ODD_ACTIONS[name])
    run("audit", tmp_path, "--deep", "--workers", "1")


@pytest.mark.parametrize("opening", ["struct(", "date(", "char(", "int(", "varchar(", "object(", "coalesce(1, time("])
@pytest.mark.parametrize("closed", [False, True])
def test_types_in_types_are_not_read_twice_for_each(opening: str, closed: bool) -> None:
    text = opening * 60 + "1" + (")" * opening.count("(") * 60 if closed else "")
    began = time.process_time()
    with pytest.raises(DeltaResolverError):
        parse_predicate(text)
    with pytest.raises(DeltaResolverError):
        checked_expression(text, "The check")
    assert time.process_time() - began < 5


def test_a_few_types_in_each_other_are_read() -> None:
    text = "date(timestamp(string(date(string(int(a)))))) > date('2024-01-01') and (((((((((a))))))))) = 1"
    assert parse_predicate(text).columns == {"a"}
