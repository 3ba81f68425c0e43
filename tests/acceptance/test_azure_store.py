"""Commits, listings and whole tables on a real server of Azure's blob interface."""

from __future__ import annotations

import concurrent.futures
import os
from collections.abc import Iterator

import pytest

import deltaresolver as dr
from deltaresolver.errors import ConcurrentModificationError, LocationInvalidError, StoredFileExistsError
from deltaresolver.log.storage.locations import open_store
from tests.peers.azure_server import ACCOUNT, AzureServer, run_azure_server
from tests.transactions import SCHEMA

pytestmark = pytest.mark.azure

LAKE = f"abfss://lake@{ACCOUNT}.dfs.core.windows.net"
WRITERS = 4
COMMITS_EACH = 5


@pytest.fixture(scope="module")
def server() -> Iterator[AzureServer]:
    with run_azure_server() as server:
        server.make_container("lake")
        yield server


def commit_path(table_version: int) -> str:
    return f"_delta_log/{table_version:020}.json"


def test_a_conditional_put_has_one_winner(server: AzureServer) -> None:
    def put(number: int) -> int | None:
        store = open_store(f"{LAKE}/race", server.options)
        try:
            store.put_if_absent(commit_path(0), str(number).encode())
        except StoredFileExistsError:
            return None
        return number

    with concurrent.futures.ThreadPoolExecutor(16) as pool:
        winners = [number for number in pool.map(put, range(64)) if number is not None]
    assert len(winners) == 1
    assert open_store(f"{LAKE}/race", server.options).read(commit_path(0)) == str(winners[0]).encode()


def test_listing_starts_in_the_middle_and_leaves_neighbours_out(server: AzureServer) -> None:
    """Azure's listings cannot start in the middle, and need not be in the order of bytes."""
    store = open_store(f"{LAKE}/long/table", server.options)
    open_store(f"{LAKE}/long/table2", server.options).put(commit_path(9), b"")
    numbers = range(60)
    for number in numbers:
        store.put(commit_path(number), b"x" * number)
    for path in ("_delta_log/_sidecars/a.parquet", "_delta_log/_last_checkpoint", "_delta_logs/1"):
        store.put(path, b"{}")
    for first in (0, 31, 59, 60):
        files = list(store.list_from(commit_path(first)))
        assert [file.path for file in files] == [
            *(commit_path(number) for number in numbers if number >= first),
            "_delta_log/_last_checkpoint",
        ]
        assert [file.size for file in files[:-1]] == [number for number in numbers if number >= first]
    assert [file.path for file in store.list_from("_delta_log/_sidecars/")] == ["_delta_log/_sidecars/a.parquet"]


def test_bytes_are_read_back_whole_and_in_part(server: AzureServer) -> None:
    store = open_store(f"{LAKE}/large", server.options)
    data = os.urandom(1 << 20) * 6
    store.put("checkpoint.parquet", data)
    store.put_if_absent("commit.json", data)
    assert store.read("checkpoint.parquet") == store.read("commit.json") == data
    assert store.read_range("checkpoint.parquet", -8, 8) == data[-8:]
    assert store.read_range("checkpoint.parquet", -8, 3) == data[-8:-5]
    store.put("short", b"abc")
    assert store.read_range("short", -8, 8) == b"abc"
    assert store.read_range("short", 3, 8) == b""


def test_a_missing_container_is_not_taken_for_an_empty_table(server: AzureServer) -> None:
    store = open_store(f"abfss://no-such-lake@{ACCOUNT}.dfs.core.windows.net/events", server.options)
    with pytest.raises(LocationInvalidError, match="does not exist"):
        list(store.list_from(commit_path(0)))


def test_racing_writers_of_a_whole_table_lose_nothing(server: AzureServer) -> None:
    location = f"{LAKE}/events"
    dr.Table.create(location, SCHEMA, storage_options=server.options)

    def set_properties(writer: int) -> None:
        table = dr.Table(location, server.options)
        for number in range(COMMITS_EACH):
            while True:
                try:
                    table.alter(set={f"user.writer{writer}": str(number)})
                except ConcurrentModificationError:  # two changes of metadata never both hold
                    continue
                break

    with concurrent.futures.ThreadPoolExecutor(WRITERS) as pool:
        list(pool.map(set_properties, range(WRITERS)))
    table = dr.Table(location, server.options)
    assert table.snapshot().table_version == WRITERS * COMMITS_EACH
    assert {key: value for key, value in table.metadata.configuration.items() if key.startswith("user.")} == {
        f"user.writer{writer}": str(COMMITS_EACH - 1) for writer in range(WRITERS)
    }
