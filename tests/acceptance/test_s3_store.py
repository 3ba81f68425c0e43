"""Commits and listings on a real S3-compatible server, from real processes."""

from __future__ import annotations

import json
import multiprocessing
import os
import subprocess
import sys
from collections import Counter
from collections.abc import Iterator

import pytest

from deltaresolver.errors import LocationInvalidError, StorageOptionError, StoredFileExistsError
from deltaresolver.log.storage.locations import open_store
from deltaresolver.log.storage.log_store import LogStore
from tests.peers.lossy_proxy import run_lossy_proxy
from tests.peers.s3_server import S3Server, run_s3_server

pytestmark = pytest.mark.s3

WRITERS = 8
COMMITS_EACH = 50
BUCKET = "lake"


@pytest.fixture(scope="module")
def server() -> Iterator[S3Server]:
    with run_s3_server() as server:
        server.make_bucket(BUCKET)
        yield server


def commit_path(table_version: int) -> str:
    return f"_delta_log/{table_version:020}.json"


def commit_fifty(writer: int, location: str, options: dict[str, str], start: multiprocessing.Barrier) -> None:  # type: ignore[valid-type]
    """What every writer does: take the next free version, and on losing look again."""
    store = open_store(location, options)
    next_version = 0
    start.wait()  # type: ignore[attr-defined]
    for number in range(COMMITS_EACH):
        while True:
            body = json.dumps({"commitInfo": {"txnId": f"{writer}-{number}-{next_version}"}}).encode()
            try:
                store.put_if_absent(commit_path(next_version), body)
            except StoredFileExistsError:
                for file in store.list_from(commit_path(next_version)):
                    next_version = int(file.path[-25:-5]) + 1
            else:
                next_version += 1
                break


def race(location: str, options: dict[str, str]) -> None:
    # Not fork: the client's threads do not survive it.
    context = multiprocessing.get_context("spawn")
    start = context.Barrier(WRITERS)
    writers = [
        context.Process(target=commit_fifty, args=(writer, location, options, start)) for writer in range(WRITERS)
    ]
    for writer in writers:
        writer.start()
    for writer in writers:
        writer.join(timeout=300)
    assert [writer.exitcode for writer in writers] == [0] * WRITERS


def check_all_commits_are_there(store: LogStore) -> None:
    files = list(store.list_from(commit_path(0)))
    assert [file.path for file in files] == [commit_path(number) for number in range(WRITERS * COMMITS_EACH)]
    commits = Counter[str]()
    for table_version, file in enumerate(files):
        writer, number, at = json.loads(store.read(file.path))["commitInfo"]["txnId"].split("-")
        assert int(at) == table_version
        commits[f"{writer}-{number}"] += 1
    assert commits == {f"{w}-{n}": 1 for w in range(WRITERS) for n in range(COMMITS_EACH)}


def test_no_commit_of_eight_racing_processes_is_lost_or_doubled(server: S3Server) -> None:
    location = f"s3://{BUCKET}/race"
    race(location, server.options)
    check_all_commits_are_there(open_store(location, server.options))


@pytest.mark.slow
def test_no_commit_is_lost_or_doubled_over_a_network_that_loses_answers(server: S3Server) -> None:
    """Every seventh put reaches the server and its answer does not come back."""
    location = f"s3://{BUCKET}/lossy-race"
    with run_lossy_proxy(server.endpoint) as proxy:
        proxy.lose_every("PUT", 7)
        race(location, server.options | {"AWS_ENDPOINT_URL": proxy.endpoint})
        assert proxy.requests.count("PUT") > WRITERS * COMMITS_EACH
    check_all_commits_are_there(open_store(location, server.options))


@pytest.fixture(scope="module")
def table(server: S3Server) -> LogStore:
    """More commits than fit on a page, more sidecars than anyone wants to page through."""
    store = open_store(f"s3://{BUCKET}/long/table", server.options)
    for number in range(1_345):
        store.put(commit_path(number), b"x" * (number % 7))
    for number in range(2_100):
        store.put(f"_delta_log/_sidecars/{number:05}.parquet", b"")
    for path in ("_delta_log/_last_checkpoint", "_delta_log/_zzz", "data.parquet", "_delta_logs/1"):
        store.put(path, b"{}")
    open_store(f"s3://{BUCKET}/long/table2", server.options).put(commit_path(9), b"")
    return store


class TestListing:
    @pytest.mark.parametrize("first", [0, 1, 344, 345, 346, 999, 1_000, 1_001, 1_344, 1_345, 9_999])
    def test_goes_beyond_one_page(self, table: LogStore, first: int) -> None:
        files = list(table.list_from(commit_path(first)))
        assert [file.path for file in files] == [
            *(commit_path(number) for number in range(first, 1_345)),
            "_delta_log/_last_checkpoint",
            "_delta_log/_zzz",
        ]
        assert all(file.size == int(file.path[-25:-5]) % 7 for file in files[:-2])

    def test_pages_are_fetched_only_as_needed(self, table: LogStore, server: S3Server) -> None:
        with run_lossy_proxy(server.endpoint) as proxy:
            store = open_store(table.location, server.options | {"AWS_ENDPOINT_URL": proxy.endpoint})
            listing = store.list_from(commit_path(0))
            assert next(listing).path == commit_path(0)
            assert proxy.requests.count("GET") == 1
            proxy.requests.clear()
            list(store.list_from(commit_path(1_000)))
            # The rest of the commits with the first sidecars, then what follows the sidecars.
            assert proxy.requests.count("GET") <= 3

    def test_lists_one_folder_alone(self, table: LogStore) -> None:
        assert len(list(table.list_from("_delta_log/_sidecars/"))) == 2_100
        assert [file.path for file in table.list_from("")] == ["data.parquet"]


def test_options_come_from_the_environment_too(server: S3Server, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in [name for name in os.environ if name.startswith("AWS_")]:
        monkeypatch.delenv(name)
    for name, value in server.options.items():
        monkeypatch.setenv(name, value)
    open_store(f"s3://{BUCKET}/environment").put_if_absent(commit_path(0), b"x")
    assert open_store(f"s3a://{BUCKET}/environment").read(commit_path(0)) == b"x"
    # What is given wins.
    with pytest.raises(StorageOptionError):
        open_store(f"s3://{BUCKET}/environment", {"AWS_ALLOW_HTTP": "false"}).read(commit_path(0))


def test_given_keys_are_not_mixed_with_a_session_token_of_the_environment(
    server: S3Server, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("AWS_SESSION_TOKEN", "of another session")
    with run_lossy_proxy(server.endpoint) as proxy:
        options = server.options | {"AWS_ENDPOINT_URL": proxy.endpoint}
        open_store(f"s3://{BUCKET}/token", options).put("a", b"")
        assert "x-amz-security-token" not in proxy.last_headers
        open_store(f"s3://{BUCKET}/token", options | {"AWS_SESSION_TOKEN": "given"}).put("a", b"")
        assert proxy.last_headers["x-amz-security-token"] == "given"


FORKED = """
import os, sys, json
from deltaresolver.errors import StorageUnsupportedError
from deltaresolver.log.storage.locations import open_store
location, options = sys.argv[1], json.loads(sys.argv[2])
store = open_store(location, options)
store.put("a", b"1")
if os.fork() == 0:
    for call in (lambda: store.read("a"), lambda: open_store(location, options)):
        try:
            call()
        except StorageUnsupportedError as error:
            print("spawn" in error.fix, flush=True)
    os._exit(0)
os.wait()
print(store.read("a"))
"""


def test_a_forked_process_gets_an_error_instead_of_hanging(server: S3Server) -> None:
    command = [sys.executable, "-c", FORKED, f"s3://{BUCKET}/forked", json.dumps(server.options)]
    done = subprocess.run(command, capture_output=True, text=True, check=True, timeout=60)
    assert done.stdout.splitlines() == ["True", "True", "b'1'"]


def test_a_missing_bucket_is_not_taken_for_an_empty_table(server: S3Server) -> None:
    store = open_store("s3://no-such-lake/events", server.options)
    for call in (
        lambda: list(store.list_from(commit_path(0))),
        lambda: store.read(commit_path(0)),
        lambda: store.put(commit_path(0), b""),
        lambda: store.put_if_absent(commit_path(0), b""),
        lambda: store.delete(commit_path(0)),
    ):
        with pytest.raises(LocationInvalidError) as raised:
            call()
        assert "does not exist" in raised.value.message
        assert "s3://no-such-lake/events" in raised.value.message


def test_a_large_file_goes_up_and_comes_back(server: S3Server) -> None:
    """Larger than the parts the client cuts a put into; a conditional put is never cut."""
    store = open_store(f"s3://{BUCKET}/large", server.options)
    data = os.urandom(1 << 20) * 12
    store.put("checkpoint.parquet", data)
    store.put_if_absent("commit.json", data)
    assert store.read("checkpoint.parquet") == store.read("commit.json") == data
    assert store.read_range("checkpoint.parquet", -8, 8) == data[-8:]
