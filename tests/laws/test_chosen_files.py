"""Files that are chosen while a checkpoint is read are those chosen of all files, whatever the log is made of."""

from __future__ import annotations

from pathlib import Path
from unittest import mock

import pyarrow as pa
import pyarrow.compute as pc
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from benchmarks.lake import LogShape, write_log
from deltaresolver.defaults import built_in_catalog
from deltaresolver.log.checkpoint.write import write_checkpoint
from deltaresolver.log.columnar.arrow_schema import ADD_FILES
from deltaresolver.log.columnar.file_kinds import count_kinds, joined_kinds
from deltaresolver.log.columnar.file_rows import add_from_row, iterate_rows
from deltaresolver.log.log import DeltaLog
from deltaresolver.log.pruning import chosen_files
from deltaresolver.log.pruning.chosen_files import LikelyActions
from deltaresolver.log.pruning.counted_files import count_files
from deltaresolver.log.snapshot import Snapshot
from deltaresolver.log.upkeep.checksum_totals import totals_of_table, totals_of_version
from deltaresolver.model.actions import AddFile, write_action
from deltaresolver.table import Table
from tests.laws.random_logs import PATHS, RandomLog, random_logs
from tests.logs import PROTOCOL, LogBuilder, add, metadata, remove

EVERY_CHECKPOINT_IS_LARGE = mock.patch.object(chosen_files, "PART_BY_PART_BYTES", -1)


def keep_of(paths: set[str]) -> chosen_files.Keep:
    return lambda files: files.filter(pc.is_in(files.column("path"), pa.array(sorted(paths), pa.string())))


def texts(adds: list[AddFile]) -> list[str]:
    return sorted(str({**write_action(add)["add"], "dataChange": None}) for add in adds)


def chosen_of(snapshot: Snapshot, paths: set[str]) -> list[str]:
    with EVERY_CHECKPOINT_IS_LARGE:
        table = snapshot.chosen_files(keep_of(paths))
    assert table.schema == ADD_FILES
    return texts([add_from_row(row) for row in iterate_rows(table)])


@settings(max_examples=120, deadline=None)
@given(random_logs(damage=True), st.sets(st.sampled_from(PATHS)))
def test_the_choice_is_the_one_made_from_all_files(log: RandomLog, paths: set[str]) -> None:
    expected = log.state(len(log.commits) - 1).active_files.values()
    found = chosen_of(DeltaLog(log.builder.store).snapshot(), paths)
    assert found == texts([add for add in expected if add.path in paths])


@settings(max_examples=80, deadline=None)
@given(random_logs(damage=True))
def test_counts_by_parts_are_those_of_all_files(log: RandomLog) -> None:
    whole = DeltaLog(log.builder.store).snapshot()
    expected = count_kinds(whole.files()), totals_of_table(whole.files()).to_json(with_vectors=True)
    with EVERY_CHECKPOINT_IS_LARGE:
        parts = count_files(DeltaLog(log.builder.store).snapshot(), count_kinds)
        totals = totals_of_version(DeltaLog(log.builder.store).snapshot())
    kinds = [(one.is_marked, one.has_row_ids, one.files, one.size) for one in joined_kinds(parts)]
    assert kinds == [(one.is_marked, one.has_row_ids, one.files, one.size) for one in expected[0]]
    assert totals.to_json(with_vectors=True) == expected[1]


@pytest.mark.parametrize("kind", ["classic", "parts", "v2"])
def test_no_file_is_kept_that_was_not_chosen(tmp_path: Path, kind: str) -> None:
    table = Table(write_log(tmp_path, LogShape(12, 40)))
    if kind == "v2":
        table.alter({"delta.checkpointPolicy": "v2"})
    write_checkpoint(table.snapshot(), table.log.store, built_in_catalog(), part_size=50 if kind == "parts" else None)
    snapshot = Table(table.log.store.location).snapshot()
    files = snapshot.files().column("path").to_pylist()
    some = set(files[::7])
    fresh = Table(table.log.store.location).snapshot()
    seen: list[int] = []

    def keep(found: pa.Table) -> pa.Table:
        seen.append(len(found))
        return keep_of(some)(found)

    with EVERY_CHECKPOINT_IS_LARGE:
        found = fresh.chosen_files(keep)
    assert found.column("path").to_pylist() == files[::7]
    assert not fresh.holds_files
    assert seen[-1] == len(some)  # what was let go by then is gone
    assert fresh.files().equals(snapshot.files())


def test_nothing_is_kept_of_files_that_are_counted(tmp_path: Path) -> None:
    table = Table(write_log(tmp_path, LogShape(12, 40)))
    write_checkpoint(table.snapshot(), table.log.store, built_in_catalog())
    fresh = Table(table.log.store.location).snapshot()
    seen: list[int] = []
    with EVERY_CHECKPOINT_IS_LARGE:
        count_files(fresh, lambda files: seen.append(len(files)))
    assert len(seen) > 1
    assert sum(seen) == len(table.snapshot().files())
    assert not fresh.holds_files


def test_a_checkpoint_that_names_a_file_twice_is_read_whole() -> None:
    log = LogBuilder.started().commit(add("a"), add("b")).commit(add("c"), remove("b"))
    log.checkpoint(1, [PROTOCOL, metadata(), add("a"), add("b"), add("a")])
    snapshot = DeltaLog(log.store).snapshot()
    with EVERY_CHECKPOINT_IS_LARGE:
        found = snapshot.chosen_files(keep_of({"a", "b"}))
    assert found.column("path").to_pylist() == ["a"]


def test_a_checkpoint_that_is_read_part_by_part_counts_a_tenth(tmp_path: Path) -> None:
    table = Table(write_log(tmp_path, LogShape(12, 40)))
    before = LikelyActions.of(table.log.store, table.snapshot().segment)
    assert before.read == before.held
    assert 0.5 < before.read / (12 * 40) < 2
    write_checkpoint(table.snapshot(), table.log.store, built_in_catalog())
    segment = Table(table.log.store.location).snapshot().segment
    assert not segment.commits
    small = LikelyActions.of(table.log.store, segment)
    with EVERY_CHECKPOINT_IS_LARGE:
        large = LikelyActions.of(table.log.store, segment)
    assert small.held == small.read == large.read > 0
    assert large.held == large.read // 10
