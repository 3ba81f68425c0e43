"""VACUUM on a real S3-compatible server: what is deleted and what stays, names that need escapes included."""

from __future__ import annotations

import time
from collections.abc import Iterator

import pytest

import deltaresolver as dr
from deltaresolver.log.storage.locations import open_store
from tests.logs import PROTOCOL, LogBuilder, add, metadata, remove
from tests.peers.s3_server import S3Server, run_s3_server

pytestmark = pytest.mark.s3

UNCHECKED = {"spark.databricks.delta.retentionDurationCheck.enabled": "false"}
KEPT = {
    "live",
    "day=1/a %20:x",
    "day=ü/b",
    "absolute",
    "_hidden/x",
    "_other=1/x",
    "inner/t/_delta_log/0.json",
    "inner/t/f",
}
GONE = {"orphan", "day=1/orphan %", "removed", "_change_data/c", "deep/er/orphan", "liv", "day=1/a  :x"}


@pytest.fixture(scope="module")
def server() -> Iterator[S3Server]:
    with run_s3_server() as server:
        server.make_bucket("lake")
        yield server


def test_orphans_are_deleted_and_everything_that_is_named_stays(server: S3Server) -> None:
    store = open_store("s3://lake/some/t", server.options)
    other = open_store("s3://lake/some/tt", server.options)
    other.put("neighbour", b"x")
    LogBuilder(store).commit(
        PROTOCOL,
        metadata(),
        *map(add, ("live", "day=1/a%20%2520:x", "day=%C3%BC/b", "s3a://lake/some/t/absolute")),
        remove("removed", 5),
    )
    for path in (*KEPT, *GONE):
        store.put(path, b"rows")
    time.sleep(1.1)  # times of objects are in seconds
    table = dr.Table("s3://lake/some/t", server.options, session=UNCHECKED)
    would = table.vacuum(0, dry_run=True)
    assert set(would.paths) == GONE
    assert would.other_tables == ("inner/t",)
    done = table.vacuum(0)
    assert done.deleted.files == len(GONE)
    left = {file.path for file in store.list_below("") if not file.path.startswith("_delta_log/")}
    assert left == KEPT
    assert [file.path for file in other.list_below("")] == ["neighbour"]
    assert [entry.operation for entry in table.history(2)] == ["VACUUM END", "VACUUM START"]
    assert table.vacuum(0).paths == ()
