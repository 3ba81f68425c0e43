"""A listing made while others commit may lack an earlier commit and show a later one: then it is made again."""

from __future__ import annotations

import itertools
import multiprocessing
from collections.abc import Iterator
from pathlib import Path

import pytest

from deltaresolver.audit.scan.log_reading import read_log
from deltaresolver.errors import LogGapError, LogTruncatedError
from deltaresolver.log.build_segment import build_segment
from deltaresolver.log.log import DeltaLog
from deltaresolver.log.names import commit_path
from deltaresolver.log.storage.local_store import LocalStore
from deltaresolver.log.storage.log_store import StoredFile
from deltaresolver.log.storage.memory_store import MemoryStore
from tests.logs import PROTOCOL, LogBuilder, add, lines, metadata

STATE = [PROTOCOL, metadata(), add("a")]
COMMITS = 3_000
MOMENT_MS = 1_000_000


class TornStore(MemoryStore):
    """Each listing leaves out what the next of `torn` names, until there is none left."""

    def __init__(self, *torn: int) -> None:
        super().__init__(clock_ms=itertools.count(MOMENT_MS, MOMENT_MS).__next__)
        self.torn = [commit_path(version) for version in torn]
        self.listings = 0

    def list_from(self, path: str) -> Iterator[StoredFile]:
        self.listings += 1
        hidden = self.torn.pop(0) if self.torn else None
        return (file for file in super().list_from(path) if file.path != hidden)


def table_in(store: TornStore, commits: int) -> LogBuilder:
    return LogBuilder(store).commit(PROTOCOL, metadata()).commits(commits)


def test_a_commit_that_one_listing_leaves_out_is_in_the_next() -> None:
    store = TornStore(3)
    table_in(store, 5)
    assert build_segment(store).table_version == 5
    assert store.torn == []


def test_each_listing_of_a_busy_table_may_leave_out_another() -> None:
    store = TornStore(2, 3, 4)
    table_in(store, 5)
    assert build_segment(store).table_version == 5
    assert store.torn == []


def test_the_first_commit_after_a_checkpoint_may_be_the_one_left_out() -> None:
    store = TornStore(3)
    table_in(store, 5).checkpoint(2, STATE).hint(2)
    segment = build_segment(store)
    assert (segment.table_version, segment.first_commit_version) == (5, 3)


def test_an_update_lists_again_too() -> None:
    store = TornStore()
    table = table_in(store, 2)
    log = DeltaLog(store)
    assert log.update().table_version == 2
    table.commits(3)
    store.torn = [commit_path(4)]
    assert log.update().table_version == 5
    assert sorted(add.path for add in log.update().add_actions()) == [f"file-{version}" for version in range(1, 6)]


def test_the_version_of_a_moment_is_found_although_a_listing_left_out_a_commit() -> None:
    store = TornStore()
    table_in(store, 4)
    log = DeltaLog(store)
    log.update()
    store.torn = [commit_path(2)]
    assert log.snapshot(timestamp=3 * MOMENT_MS).table_version == 2


@pytest.mark.parametrize(("checkpoint", "kind"), [(None, LogGapError), (1, LogTruncatedError)])
def test_a_commit_that_is_really_gone_is_reported_after_the_second_listing(
    checkpoint: int | None, kind: type[Exception]
) -> None:
    store = TornStore()
    table = table_in(store, 5).forget(2)
    if checkpoint is not None:
        table.checkpoint(checkpoint, STATE).hint(checkpoint)
    with pytest.raises(kind):
        build_segment(store)
    assert store.listings == 2


def commit_quickly(table: Path) -> None:
    """Whole files, as fast as the disk takes them: faster than any writer that wants to be sure."""
    for version in range(1, COMMITS):
        written = table / "written"
        written.write_bytes(lines([add(f"file-{version}")]))
        written.rename(table / commit_path(version))


def test_readers_of_a_table_that_grows_meanwhile_find_no_gap(tmp_path: Path) -> None:
    LogBuilder.local(tmp_path).commit(PROTOCOL, metadata())
    writer = multiprocessing.get_context("spawn").Process(target=commit_quickly, args=(tmp_path,))
    writer.start()
    store, kept, seen = LocalStore(tmp_path), DeltaLog(LocalStore(tmp_path)), 0
    while writer.is_alive():
        for version in (build_segment(store).table_version, kept.update().table_version):
            assert version >= seen
            seen = version
        assert read_log(store, 10).error is None
    assert build_segment(store).table_version == COMMITS - 1
