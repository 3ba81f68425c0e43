"""The same laws for every kind of storage."""

from __future__ import annotations

import itertools
import os
import pickle
import threading
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from deltaresolver.errors import LocationInvalidError, StoredFileExistsError, StoredFileMissingError
from deltaresolver.log.storage import local_publish
from deltaresolver.log.storage.local_store import LocalStore
from deltaresolver.log.storage.locations import open_store
from deltaresolver.log.storage.log_store import LogStore
from deltaresolver.log.storage.memory_store import MemoryStore
from tests.peers.s3_server import S3Server, run_s3_server

BUCKET = "laws"
KINDS = [
    "local",
    "local without unnamed files",
    "local without hard links",
    "memory",
    pytest.param("s3", marks=pytest.mark.s3),
]
STRANGE_NAMES = [
    "ü.json",
    "日本.json",
    "😀",
    "a b",
    "a%20b",
    "a%2Fb",
    "a#b",
    "a?b=c&d",
    "a+b",
    "a*b[c]{d}",
    "a\"b'c",
    "a\\b",
    "a|b~c:d;e,f",
    "..a",
    "a..",
    ".hidden",
    "x=1",
]


@pytest.fixture(scope="module")
def s3_server() -> Iterator[S3Server]:
    with run_s3_server() as server:
        server.make_bucket(BUCKET)
        yield server


MakeStore = Callable[[], LogStore]
_table_numbers = itertools.count()


@pytest.fixture(params=KINDS)
def make_store(request: pytest.FixtureRequest, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> MakeStore:
    """Makes a new, empty store each time."""
    kind = request.param
    if kind == "memory":
        return MemoryStore
    if kind == "s3":
        server: S3Server = request.getfixturevalue("s3_server")
        return lambda: open_store(f"s3://{BUCKET}/folder/table-{next(_table_numbers)}", server.options)
    if kind != "local":
        monkeypatch.delattr(os, "O_TMPFILE", raising=False)
    if kind == "local without hard links":
        monkeypatch.setattr(os, "link", refuse_link)
    return lambda: LocalStore(tmp_path / f"table-{next(_table_numbers)}")


@pytest.fixture
def store(make_store: MakeStore) -> LogStore:
    return make_store()


def refuse_link(*_: object, **__: object) -> None:
    raise PermissionError(1, "Operation not permitted")  # what Linux says on a file system without hard links


def paths(store: LogStore, start: str) -> list[str]:
    return [file.path for file in store.list_from(start)]


class TestListing:
    def test_a_missing_folder_is_empty(self, store: LogStore) -> None:
        assert paths(store, "_delta_log/00000000000000000000.json") == []
        assert paths(store, "") == []

    def test_starts_at_the_path_itself_and_is_in_order(self, store: LogStore) -> None:
        for name in ("c", "a", "b.json", "b", "d"):
            store.put_if_absent(f"log/{name}", b"")
        assert paths(store, "log/b") == ["log/b", "log/b.json", "log/c", "log/d"]
        assert paths(store, "log/") == ["log/a", "log/b", "log/b.json", "log/c", "log/d"]

    def test_the_start_need_not_exist(self, store: LogStore) -> None:
        store.put("log/a", b"")
        store.put("log/c", b"")
        assert paths(store, "log/b") == ["log/c"]
        assert paths(store, "log/d") == []

    def test_stays_in_the_folder(self, store: LogStore) -> None:
        for path in (
            "log/1",
            "log/_sidecars/x",
            "log/_sidecars/y",
            "log/a/b/c",
            "log/z",
            "logs/1",
            "lo",
            "data.parquet",
        ):
            store.put(path, b"")
        assert paths(store, "log/") == ["log/1", "log/z"]
        assert paths(store, "log/_sidecars/y") == ["log/_sidecars/y"]
        assert paths(store, "") == ["data.parquet", "lo"]
        assert paths(store, "k") == ["lo"]

    def test_sees_every_put_and_no_delete(self, store: LogStore) -> None:
        for number in range(5):
            store.put_if_absent(f"log/{number}", b"")
            assert len(paths(store, "log/")) == number + 1
        store.delete("log/3")
        assert paths(store, "log/2") == ["log/2", "log/4"]

    def test_gives_size_and_time(self, store: LogStore) -> None:
        before = time.time()
        store.put("log/a", b"12345")
        (file,) = store.list_from("log/a")
        assert file.size == 5
        # Object stores keep whole seconds, and clocks of file systems lag a tick behind.
        assert before - 1.1 <= file.modified_ms / 1000 <= time.time() + 0.1

    def test_keeps_the_bytes_order_of_names(self, store: LogStore) -> None:
        names = sorted(["Z", "a", "_x", "0", "é", "日", "\ue000", "😀"])
        for name in reversed(names):
            store.put(f"log/{name}", b"")
        assert paths(store, "log/") == [f"log/{name}" for name in names]
        assert paths(store, "log/é") == ["log/é", "log/日", "log/\ue000", "log/😀"]


class TestReading:
    @pytest.mark.parametrize("size", [0, 1, 70_000])
    def test_gives_back_what_was_put(self, store: LogStore, size: int) -> None:
        data = os.urandom(size)
        store.put_if_absent("_delta_log/1.json", data)
        store.put("_delta_log/2.json", data)
        assert store.read("_delta_log/1.json") == store.read("_delta_log/2.json") == data

    def test_a_missing_file_says_so(self, store: LogStore) -> None:
        store.put("log/1", b"x")
        for path in ("log/2", "log/1x", "other/1"):
            with pytest.raises(StoredFileMissingError) as raised:
                store.read(path)
            assert path in raised.value.message
            assert store.location in raised.value.message
            for start, length in ((0, 1), (-1, 1), (0, 0)):
                with pytest.raises(StoredFileMissingError):
                    store.read_range(path, start, length)

    @pytest.mark.parametrize("data", [b"", b"0123456789"])
    def test_a_range_is_a_slice(self, store: LogStore, data: bytes) -> None:
        store.put("x", data)
        for start, length in itertools.product((-12, -10, -3, -1, 0, 1, 9, 10, 15), (0, 1, 3, 10, 50)):
            begin = max(len(data) + start, 0) if start < 0 else start
            assert store.read_range("x", start, length) == data[begin : begin + length], (start, length)

    @pytest.mark.parametrize("room", [0, 1, 10, 15])
    def test_memory_is_filled_as_far_as_there_is_anything(self, store: LogStore, room: int) -> None:
        store.put("x", b"0123456789")
        target = bytearray(b"-" * room)
        assert store.read_into("x", memoryview(target)) == min(room, 10)
        assert bytes(target) == b"0123456789-----"[:room]
        with pytest.raises(StoredFileMissingError):
            store.read_into("y", memoryview(target))


class TestPutting:
    def test_the_second_put_if_absent_loses(self, store: LogStore) -> None:
        store.put_if_absent("log/1", b"first")
        for data in (b"second", b"first"):
            with pytest.raises(StoredFileExistsError) as raised:
                store.put_if_absent("log/1", data)
            assert "log/1" in raised.value.message
        assert store.read("log/1") == b"first"

    def test_put_replaces(self, store: LogStore) -> None:
        store.put("log/_last_checkpoint", b"a longer first value")
        store.put("log/_last_checkpoint", b"second")
        assert store.read("log/_last_checkpoint") == b"second"
        assert paths(store, "log/") == ["log/_last_checkpoint"]

    def test_one_of_many_threads_wins(self, store: LogStore) -> None:
        threads, rounds = 8, 12
        ready = threading.Barrier(threads)

        def race(me: int) -> list[int]:
            won = []
            for number in range(rounds):
                ready.wait()
                try:
                    store.put_if_absent(f"log/{number:03}", b"%d" % me)
                except StoredFileExistsError:
                    continue
                won.append(number)
            return won

        with ThreadPoolExecutor(threads) as pool:
            wins = list(pool.map(race, range(threads)))
        assert sorted(itertools.chain(*wins)) == list(range(rounds))
        for me, numbers in enumerate(wins):
            assert all(store.read(f"log/{number:03}") == b"%d" % me for number in numbers)

    def test_deleted_names_are_free_again(self, store: LogStore) -> None:
        store.put_if_absent("log/1", b"1")
        store.delete("log/1")
        store.delete("log/1")
        store.delete("never/was")
        with pytest.raises(StoredFileMissingError):
            store.read("log/1")
        store.put_if_absent("log/1", b"2")
        assert store.read("log/1") == b"2"


class TestNames:
    @pytest.mark.parametrize("name", STRANGE_NAMES)
    def test_are_taken_literally(self, store: LogStore, name: str) -> None:
        store.put_if_absent(f"log/{name}", name.encode())
        store.put(f"part {name}/{name}", name.encode())
        assert paths(store, f"log/{name}") == [f"log/{name}"]
        assert paths(store, f"part {name}/") == [f"part {name}/{name}"]
        assert store.read(f"log/{name}") == store.read(f"part {name}/{name}") == name.encode()
        store.delete(f"log/{name}")
        assert paths(store, "log/") == []

    @pytest.mark.parametrize(
        "path", ["/etc/x", "../x", "a/../../x", "a/./x", "a//x", "./x", "..", "a/..", ".", "a\0b", "a\ud800"]
    )
    def test_that_leave_the_table_are_refused(self, store: LogStore, path: str) -> None:
        for call in (
            lambda: store.read(path),
            lambda: store.read_range(path, 0, 1),
            lambda: store.read_into(path, memoryview(bytearray(1))),
            lambda: store.put(path, b""),
            lambda: store.put_if_absent(path, b""),
            lambda: store.delete(path),
            lambda: list(store.list_from(path)),
        ):
            with pytest.raises(LocationInvalidError):
                call()

    @pytest.mark.parametrize("path", ["", "log/"])
    def test_of_folders_are_only_listed(self, store: LogStore, path: str) -> None:
        for call in (
            lambda: store.read(path),
            lambda: store.read_range(path, 0, 1),
            lambda: store.read_into(path, memoryview(bytearray(1))),
            lambda: store.put(path, b""),
            lambda: store.put_if_absent(path, b""),
            lambda: store.delete(path),
        ):
            with pytest.raises(LocationInvalidError):
                call()


def test_a_store_can_be_sent_to_another_process(store: LogStore) -> None:
    if isinstance(store, MemoryStore):
        return  # lives in one process
    store.put("log/1", b"x")
    copy = pickle.loads(pickle.dumps(store))
    assert copy.read("log/1") == b"x"
    assert copy.location == store.location


# No name is both a file and a folder: a disk cannot, object stores can, and nobody relies on either.
NAMES = st.sampled_from(
    ["0", "00", "01", "1", "1.json", "10", "_last", "_sidecars/a", "_sidecars/b", "a", "a0", "a-/b"]
)
STEPS = st.lists(st.tuples(st.sampled_from(["put", "put_if_absent", "delete"]), NAMES), max_size=25)


@settings(max_examples=25, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(steps=STEPS, start=NAMES)
def test_any_history_agrees_with_a_dictionary(make_store: MakeStore, steps: list[tuple[str, str]], start: str) -> None:
    store, model = make_store(), dict[str, bytes]()
    for number, (step, name) in enumerate(steps):
        path, data = f"log/{name}", b"%d" % number
        if step == "delete":
            store.delete(path)
            model.pop(path, None)
        elif step == "put":
            store.put(path, data)
            model[path] = data
        elif path in model:
            with pytest.raises(StoredFileExistsError):
                store.put_if_absent(path, data)
        else:
            store.put_if_absent(path, data)
            model[path] = data
    first = f"log/{start}"
    folder = first.rpartition("/")[0]
    assert paths(store, first) == sorted(p for p in model if p.rpartition("/")[0] == folder and p >= first)
    assert {path: store.read(path) for path in model} == model


def test_staging_names_look_like_no_log_file() -> None:
    name = f"{local_publish.STAGING_PREFIX}0123456789abcdef{local_publish.STAGING_SUFFIX}"
    assert local_publish.is_staging_name(name)
    assert name.startswith(".")
    assert not any(name.endswith(ending) for ending in (".json", ".crc", ".parquet", ".tmp", ".checkpoint"))
