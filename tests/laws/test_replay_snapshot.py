"""Whatever else a log has (checkpoints, compactions, wrong hints, damage), a snapshot holds what its commits hold."""

from __future__ import annotations

import json
from typing import Any

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from deltaresolver.log.build_segment import build_segment
from deltaresolver.log.columnar import file_keys
from deltaresolver.log.columnar.fast.fingerprint import Fingerprints, fingerprint
from deltaresolver.log.columnar.file_rows import add_from_row, iterate_rows
from deltaresolver.log.log import DeltaLog
from deltaresolver.log.replay.in_memory import InMemoryLogReplay
from deltaresolver.log.replay.reference import replay_segment
from deltaresolver.log.snapshot import Snapshot
from deltaresolver.log.tail import read_tail
from deltaresolver.model.actions import AddFile, RemoveFile, write_action
from tests.laws.random_logs import RandomLog, random_logs


def files_of(snapshot: Snapshot) -> list[str]:
    return sorted(as_text(action) for action in snapshot.add_actions())


def as_text(action: AddFile | RemoveFile) -> str:
    ((_, value),) = write_action(action).items()
    return json.dumps({key: item for key, item in value.items() if key != "dataChange"}, sort_keys=True)


def check(snapshot: Snapshot, expected: InMemoryLogReplay) -> None:
    assert snapshot.protocol == expected.current_protocol
    assert snapshot.metadata == expected.current_metadata
    assert snapshot.transactions == expected.transactions
    assert snapshot.domains == expected.domains
    live = sorted(as_text(action) for action in expected.active_files.values())
    assert files_of(snapshot) == live  # of a small log without Arrow
    assert sorted(as_text(add_from_row(row)) for row in iterate_rows(snapshot.files())) == live
    assert files_of(snapshot) == live
    gone = sorted(as_text(action) for action in snapshot.remove_actions())
    assert gone == sorted(as_text(action) for action in expected.tombstones.values())


@settings(max_examples=120, deadline=None)
@given(random_logs(), st.data())
def test_the_tail_equals_full_replay(log: RandomLog, data: st.DataObject) -> None:
    table_version = data.draw(st.integers(0, len(log.commits) - 1))
    segment = build_segment(log.builder.store, table_version)
    tail = read_tail(log.builder.store, segment, transactions=True, domains=True)
    for state in (replay_segment(log.builder.store, segment), log.state(table_version)):
        assert (tail.protocol, tail.metadata) == (state.current_protocol, state.current_metadata)
        assert (tail.transactions, tail.domains) == (state.transactions, state.domains)
    brief = read_tail(log.builder.store, segment)
    assert (brief.protocol, brief.metadata) == (tail.protocol, tail.metadata)


@settings(max_examples=120, deadline=None)
@given(random_logs(damage=True), st.data())
def test_every_version_is_what_its_commits_say(log: RandomLog, data: st.DataObject) -> None:
    table = DeltaLog(log.builder.store)
    check(table.snapshot(), log.state(len(log.commits) - 1))
    table_version = data.draw(st.integers(0, len(log.commits) - 1))
    check(table.snapshot(version=table_version), log.state(table_version))


PARTS = ["protocol", "transactions", "files"]


def load(snapshot: Snapshot, part: str) -> Any:
    return snapshot.files() if part == "files" else getattr(snapshot, part)


@settings(max_examples=120, deadline=None)
@given(random_logs(damage=True), st.data())
def test_an_updated_snapshot_equals_a_fresh_one(log: RandomLog, data: st.DataObject) -> None:
    store = log.builder.store
    last = len(log.commits) - 1
    table_version = data.draw(st.integers(0, last))
    snapshot = Snapshot(store, build_segment(store, table_version))
    for part in data.draw(st.lists(st.sampled_from(PARTS), unique=True)):
        load(snapshot, part)
    updated = snapshot.update()
    assert updated.table_version == last
    check(updated, log.state(last))
    check(snapshot, log.state(table_version))
    assert updated.update() is updated


WEAK_SEEDS = 2


def weak_fingerprint(strings: pa.StringArray, seed: int = 0) -> Fingerprints:
    """Few fingerprints for many files, until the replay has tried some seeds."""
    prints = fingerprint(strings, seed)
    return prints % np.uint64(3) if seed < WEAK_SEEDS else prints


@settings(max_examples=120, deadline=None)
@given(random_logs(damage=True), st.data())
def test_files_that_share_a_fingerprint_are_told_apart(log: RandomLog, data: st.DataObject) -> None:
    store = log.builder.store
    last = len(log.commits) - 1
    table_version = data.draw(st.integers(0, last))
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(file_keys, "fingerprint", weak_fingerprint)
        snapshot = Snapshot(store, build_segment(store, table_version))
        check(snapshot, log.state(table_version))
        check(snapshot.update(), log.state(last))


@settings(max_examples=60, deadline=None)
@given(random_logs())
def test_history_is_every_commit_with_each_protocol_change(log: RandomLog) -> None:
    entries = DeltaLog(log.builder.store).history()
    assert [entry.table_version for entry in entries] == list(reversed(range(len(log.commits))))
    for entry in entries:
        after = log.state(entry.table_version)
        before = log.state(entry.table_version - 1)
        change = entry.protocol_change
        assert (change is not None) == (after.current_protocol != before.current_protocol)
        if change is not None:
            assert (change.before, change.after) == (before.current_protocol, after.current_protocol)
