"""A table on a real S3-compatible server: every part of a snapshot through ranged and concurrent reads."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from deltaresolver.errors import TableNotFoundError
from deltaresolver.log.log import DeltaLog
from deltaresolver.log.snapshot import Snapshot
from deltaresolver.log.storage.locations import open_store
from tests.laws.random_logs import RandomLog, write_checkpoint
from tests.logs import PROTOCOL, Json, LogBuilder, add, domain, metadata, remove, txn
from tests.peers.s3_server import S3Server, run_s3_server

pytestmark = pytest.mark.s3

COMMITS: list[list[Json]] = [
    [PROTOCOL, metadata({"k": "v"}), add("a"), txn("app", 1)],
    *([add(f"day=1/{number} %20:x")] for number in range(40)),
    [remove("a"), domain("d", "x")],
]


@pytest.fixture(scope="module")
def server() -> Iterator[S3Server]:
    with run_s3_server() as server:
        server.make_bucket("lake")
        yield server


def written(server: S3Server, name: str) -> RandomLog:
    log = RandomLog(LogBuilder(open_store(f"s3://lake/{name}", server.options)), COMMITS)
    for actions in COMMITS:
        log.builder.commit(*actions)
    return log


def check(snapshot: Snapshot, log: RandomLog) -> None:
    state = log.state(snapshot.table_version)
    assert (snapshot.protocol, snapshot.metadata) == (state.current_protocol, state.current_metadata)
    assert (snapshot.transactions, snapshot.domains) == (state.transactions, state.domains)
    paths = sorted(file.path for file in state.active_files.values())
    assert sorted(snapshot.files().column("path").to_pylist()) == paths


def test_a_table_of_commits_alone_is_read(server: S3Server) -> None:
    log = written(server, "commits")
    check(DeltaLog(log.builder.store).snapshot(), log)
    check(DeltaLog(log.builder.store).snapshot(version=7), log)


@pytest.mark.parametrize("kind", ["classic", "parts", "json", "sidecar parquet"])
def test_a_table_behind_a_checkpoint_is_read(server: S3Server, kind: str) -> None:
    log = written(server, kind.replace(" ", "-"))
    write_checkpoint(log, 30, kind)
    log.builder.hint(30)
    table = DeltaLog(log.builder.store)
    check(table.snapshot(), log)
    assert table.snapshot().segment.checkpoint is not None
    assert [entry.table_version for entry in table.history(3)] == [41, 40, 39]


def test_a_table_that_does_not_exist_is_an_error(server: S3Server) -> None:
    with pytest.raises(TableNotFoundError, match="s3://lake/nothing"):
        DeltaLog(open_store("s3://lake/nothing", server.options)).snapshot()
