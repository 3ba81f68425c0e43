"""What lies in a log's folder under the names of its files: pipes, devices, links and files of holes."""

from __future__ import annotations

import json
import os
from collections.abc import Callable
from pathlib import Path

import pytest

from deltaresolver.errors import DeltaResolverError
from deltaresolver.log.storage.local_read import MAX_WHOLE_BYTES
from deltaresolver.log.storage.local_store import LocalStore
from tests.logs import metadata
from tests.security.budget import run
from tests.security.tables import commit, log_of

V2 = f"{0:020}.checkpoint.0d0ae9f4-1d0a-4d2f-9d9c-000000000000.json"
PLACES = {
    "a commit": f"{1:020}.json",
    "a checksum": f"{0:020}.crc",
    "the hint": "_last_checkpoint",
    "a checkpoint": f"{0:020}.checkpoint.parquet",
    "a checkpoint in the V2 form": V2,
    "a compaction": f"{0:020}.{1:020}.compacted.json",
}


def holes(path: Path) -> None:
    """A file that takes no room and states that it has 5 GB."""
    with path.open("wb") as file:
        file.truncate(5 << 30)


MAKERS: dict[str, Callable[[Path], None]] = {
    "a pipe": os.mkfifo,
    "zeros": lambda path: path.symlink_to("/dev/zero"),
    "holes": holes,
    "a folder": Path.mkdir,
    "a link to itself": lambda path: path.symlink_to(path.name),
}


@pytest.mark.parametrize("kind", MAKERS)
@pytest.mark.parametrize("place", PLACES)
def test_commands_end_with_an_answer_or_a_code(place: str, kind: str, tmp_path: Path) -> None:
    MAKERS[kind](log_of(tmp_path / "t") / PLACES[place])
    for command in ("explain", "history"):
        assert run(command, tmp_path / "t").code in {0, 2}


@pytest.mark.parametrize("kind", MAKERS)
def test_commands_end_with_an_answer_or_a_code_where_a_sidecar_is_odd(kind: str, tmp_path: Path) -> None:
    log = log_of(tmp_path / "t")
    names = {"readerFeatures": ["v2Checkpoint"], "writerFeatures": ["v2Checkpoint"]}
    protocol = {"protocol": {"minReaderVersion": 3, "minWriterVersion": 7, **names}}
    sidecar = {"sidecar": {"path": "s.parquet", "sizeInBytes": 1, "modificationTime": 1}}
    lines = [{"checkpointMetadata": {"version": 0}}, protocol, metadata(), sidecar]
    commit(log, 0, protocol, metadata())
    (log / V2).write_text("".join(f"{json.dumps(line)}\n" for line in lines))
    (log / "_sidecars").mkdir()
    MAKERS[kind](log / "_sidecars/s.parquet")
    for arguments in (["explain"], ["verify"], ["audit", "--deep"]):
        assert run(arguments[0], tmp_path / "t", *arguments[1:]).code in {0, 1, 2}


@pytest.mark.parametrize("kind", ["a pipe", "zeros", "holes", "a folder"])
def test_a_store_refuses_to_read_an_odd_file_whole(kind: str, tmp_path: Path) -> None:
    MAKERS[kind](tmp_path / "x")
    store = LocalStore(tmp_path)
    for read in (store.read, store.find):
        with pytest.raises(DeltaResolverError):
            read("x")


@pytest.mark.parametrize("kind", ["a pipe", "zeros", "a folder"])
def test_a_store_refuses_to_read_parts_of_an_odd_file(kind: str, tmp_path: Path) -> None:
    MAKERS[kind](tmp_path / "x")
    store = LocalStore(tmp_path)
    with pytest.raises(DeltaResolverError):
        store.read_range("x", 0, 10)
    with pytest.raises(DeltaResolverError):
        store.read_into("x", memoryview(bytearray(10)))


def test_a_part_of_a_large_file_is_read(tmp_path: Path) -> None:
    holes(tmp_path / "x")
    assert LocalStore(tmp_path).read_range("x", MAX_WHOLE_BYTES + 5, 3) == b"\0\0\0"
