"""Commits, listings and a whole table through Google's client; see `google_front` for what that shows."""

from __future__ import annotations

import concurrent.futures
from collections.abc import Iterator

import pytest

import deltaresolver as dr
from deltaresolver.errors import LocationInvalidError, StoredFileExistsError, StoredFileMissingError
from deltaresolver.log.names import commit_path
from deltaresolver.log.storage.locations import open_store
from tests.peers.google_front import GoogleFront, run_google_front
from tests.peers.s3_server import run_s3_server
from tests.transactions import SCHEMA

LAKE = "gs://lake"


@pytest.fixture(scope="module")
def front() -> Iterator[GoogleFront]:
    with run_s3_server() as server, run_google_front(server.endpoint) as front:
        server.make_bucket("lake")
        yield front


def test_a_conditional_put_has_one_winner(front: GoogleFront) -> None:
    def put(number: int) -> int | None:
        store = open_store(f"{LAKE}/race", front.options)
        try:
            store.put_if_absent(commit_path(0), str(number).encode())
        except StoredFileExistsError:
            return None
        return number

    with concurrent.futures.ThreadPoolExecutor(8) as pool:
        winners = [number for number in pool.map(put, range(24)) if number is not None]
    assert len(winners) == 1
    assert open_store(f"{LAKE}/race", front.options).read(commit_path(0)) == str(winners[0]).encode()


@pytest.mark.slow
def test_listings_start_in_the_middle_and_go_beyond_a_page(front: GoogleFront) -> None:
    store = open_store(f"{LAKE}/long/table", front.options)
    numbers = range(1005)
    with concurrent.futures.ThreadPoolExecutor(8) as pool:
        list(pool.map(lambda number: store.put(commit_path(number), b"x"), numbers))
    store.put("_delta_log/_sidecars/a.parquet", b"{}")
    for first in (0, 500, 1004, 1005):
        found = [file.path for file in store.list_from(commit_path(first))]
        assert found == [commit_path(number) for number in numbers if number >= first]


def test_bytes_are_read_back_whole_and_in_part(front: GoogleFront) -> None:
    store = open_store(f"{LAKE}/large", front.options)
    data = bytes(range(256)) * 4096
    store.put("a b%/c.parquet", data)
    assert store.read("a b%/c.parquet") == data
    assert store.read_range("a b%/c.parquet", -8, 3) == data[-8:-5]
    assert store.read_range("a b%/c.parquet", 300, 8) == data[300:308]
    store.delete("a b%/c.parquet")
    store.delete("a b%/c.parquet")
    with pytest.raises(StoredFileMissingError):
        store.read("a b%/c.parquet")


def test_a_missing_bucket_is_not_taken_for_an_empty_table(front: GoogleFront) -> None:
    with pytest.raises(LocationInvalidError, match="does not exist"):
        list(open_store("gs://no-such-lake/events", front.options).list_from(commit_path(0)))


def test_a_whole_table_is_written_and_read_there(front: GoogleFront) -> None:
    table = dr.Table.create(f"{LAKE}/events", SCHEMA, storage_options=front.options)
    table.alter(set={"user.owner": "lake team"})
    again = dr.Table(f"{LAKE}/events", front.options)
    assert again.snapshot().table_version == 1
    assert again.metadata.configuration["user.owner"] == "lake team"
