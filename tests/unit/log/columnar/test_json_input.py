"""Commits in blocks: from a local folder or an object store, text and rows are the same, whatever a listing had."""

from __future__ import annotations

from pathlib import Path

import pytest

from deltaresolver.errors import CommitMalformedError, StoredFileMissingError
from deltaresolver.log.columnar.json_input import read_blocks
from deltaresolver.log.columnar.read_files import read_files
from deltaresolver.log.segment import CommitFile, LogSegment
from deltaresolver.log.storage.local_store import LocalStore
from deltaresolver.log.storage.log_store import LogStore
from deltaresolver.log.storage.memory_store import MemoryStore

LONG = 1 << 16


class FarStore(MemoryStore):
    """Reads file by file, as from another machine."""

    is_nearby = False


def put(store: LogStore, texts: list[bytes], sizes: list[int] | None = None) -> tuple[CommitFile, ...]:
    """The texts as commits; `sizes` are what a listing told of them."""
    commits = []
    for version, text in enumerate(texts):
        path = f"_delta_log/{version:020}.json"
        store.put(path, text)
        commits.append(CommitFile(path, sizes[version] if sizes else len(text), 0, version, version))
    return tuple(commits)


def lines(name: str, count: int = 700) -> bytes:
    """Adds, about a hundred bytes each."""
    stats = '"stats":"{\\"numRecords\\":3}"'
    add = '{{"add":{{"path":"{}{:03}","partitionValues":{{}},"size":1,"modificationTime":1,"dataChange":true,{}}}}}\n'
    return "".join(add.format(name, number, stats) for number in range(count)).encode()


@pytest.mark.parametrize("change", [-LONG, -1, 1, LONG])
@pytest.mark.parametrize("which", [0, 1, 2])
def test_a_file_of_another_length_than_listed_is_read_whole(tmp_path: Path, change: int, which: int) -> None:
    store = LocalStore(tmp_path)
    texts = [lines("a", 1500), lines("b", 1500), lines("c", 1500)]
    commits = put(store, texts, [len(text) + (change if place == which else 0) for place, text in enumerate(texts)])
    (block,) = read_blocks(store, commits)
    assert bytes(block.data) == b"".join(texts)


def test_a_missing_file_is_named(tmp_path: Path) -> None:
    store = LocalStore(tmp_path)
    commits = put(store, [lines("a"), lines("b")])
    store.delete(commits[1].path)
    with pytest.raises(StoredFileMissingError, match=r"00001\.json"):
        list(read_blocks(store, commits))


@pytest.mark.parametrize(
    "odd",
    [
        b'{"add": {"size":1, "path":"odd", "partitionValues":{"p":"1"}, "modificationTime":1, "dataChange":true}}\n',
        b'{"add":{"path":"\\u006fdd","partitionValues":{},"size":1,"modificationTime":1,"dataChange":true}}\n',
        '{"add":{"path":"ödd","partitionValues":{},"size":1,"modificationTime":1,"dataChange":true}}\n'.encode(),
        b'{"remove":{"path":"a001","dataChange":true}}\n{"commitInfo":{"operation":"\\\\ \\n"}}\n',
    ],
    ids=["blanks", "escapes", "umlaut", "remove"],
)
def test_the_rows_are_those_of_files_read_one_by_one(tmp_path: Path, odd: bytes) -> None:
    texts = [lines("a"), lines("b") + odd, lines("c")]
    near, far = LocalStore(tmp_path), FarStore()
    found = [read_files(store, LogSegment(2, put(store, texts))) for store in (near, far)]
    assert found[0].equals(found[1])
    assert found[0].num_rows >= 2099


def test_a_bad_line_is_named_by_file_and_number(tmp_path: Path) -> None:
    store = LocalStore(tmp_path)
    commits = put(store, [lines("a"), lines("b") + b'{"add":{"path":}}\n' + lines("c", 5), lines("d")])
    with pytest.raises(CommitMalformedError) as caught:
        read_files(store, LogSegment(2, commits))
    assert (caught.value.details["path"], caught.value.details["line"]) == (commits[1].path, 701)
