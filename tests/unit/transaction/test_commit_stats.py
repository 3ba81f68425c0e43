"""What a commit came to in numbers, for hooks and in the log of the process."""

from __future__ import annotations

import logging

import attrs
import pytest

from deltaresolver.transaction import operation as operations
from deltaresolver.transaction.commit.committed import Committed
from deltaresolver.transaction.commit.stats import EVENT, CommitStats
from tests.transactions import Scene, add, remove

LOGGER = "deltaresolver.transaction.stats"


@attrs.define
class Keeping:
    """A hook that keeps the numbers."""

    kept: list[CommitStats]
    name: str = "keeping"

    def run(self, committed: Committed) -> None:
        self.kept.append(committed.stats)

    def handle_error(self, error: Exception, table_version: int) -> None:
        raise error


def test_a_hook_gets_the_numbers_of_the_commit() -> None:
    scene = Scene()
    scene.create()
    scene.append(add("old"))
    kept: list[CommitStats] = []
    transaction = scene.begin(hooks=[Keeping(kept)])
    transaction.commit([add("a"), add("b"), remove("old")], operations.write())
    (stats,) = kept
    assert (stats.commit_version, stats.read_version, stats.operation) == (2, 1, "WRITE")
    assert (stats.num_add, stats.num_remove, stats.num_cdc_files) == (2, 1, 0)
    assert stats.bytes_new == add("a").size + add("b").size
    assert (stats.attempts, stats.conflicts_checked, stats.new_metadata, stats.new_protocol) == (1, 0, False, False)
    assert stats.is_blind_append is False
    assert stats.txn_id == transaction.transaction_id


def test_a_lost_attempt_is_counted() -> None:
    scene = Scene()
    scene.create()
    kept: list[CommitStats] = []
    transaction = scene.begin(hooks=[Keeping(kept)])
    scene.append(add("other"))
    transaction.commit([add("mine")], operations.write())
    assert (kept[0].attempts, kept[0].conflicts_checked, kept[0].commit_version, kept[0].read_version) == (2, 1, 2, 0)


def test_the_numbers_are_an_event_in_the_log(caplog: pytest.LogCaptureFixture) -> None:
    scene = Scene()
    with caplog.at_level(logging.DEBUG, LOGGER):
        scene.create()
    (record,) = [each for each in caplog.records if each.name == LOGGER]
    told = vars(record)
    assert told["event"] == EVENT
    assert told["stats"]["commitVersion"] == 0
    assert told["stats"]["readVersion"] == -1
    assert told["stats"]["newMetadata"]
    assert told["stats"]["newProtocol"]
    assert record.getMessage().startswith('delta.commit.stats: {"commitVersion":0,')


def test_nothing_is_counted_where_nobody_records_it(caplog: pytest.LogCaptureFixture) -> None:
    with caplog.at_level(logging.INFO, LOGGER):
        Scene().create()
    assert [each for each in caplog.records if each.name == LOGGER] == []
