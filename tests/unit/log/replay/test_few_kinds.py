"""Files of small logs counted one by one: what is odd is left to those who read any log."""

from __future__ import annotations

from pathlib import Path

import pytest

from deltaresolver.log.checkpoint import few_rows
from deltaresolver.log.checkpoint.write import write_checkpoint
from deltaresolver.log.columnar.file_columns import FileColumns
from deltaresolver.log.columnar.file_kinds import count_kinds
from deltaresolver.log.replay.few_kinds import MAX_BYTES, count_few, may_be_few
from deltaresolver.log.snapshot import Snapshot
from deltaresolver.model.actions import AddFile
from deltaresolver.table import Table
from deltaresolver.transaction import operation as operations

NO_PATH = '{"add":{"partitionValues":{},"size":1,"modificationTime":1,"dataChange":true}}'
SIZE_IN_WORDS = '{"add":{"path":"f","partitionValues":{},"size":"many","modificationTime":1,"dataChange":true}}'
NUMBER_AS_VALUE = '{"add":{"path":"f","partitionValues":{"p":1},"size":1,"modificationTime":1,"dataChange":true}}'


def made(folder: Path, files: int) -> Table:
    table = Table.create(str(folder), "id BIGINT")
    adds = [AddFile(f"f{number}", {}, 10, 1, data_change=True) for number in range(files)]
    table.start_transaction().commit(adds, operations.write())
    return table


def newest(folder: Path) -> Snapshot:
    return Table(str(folder)).update()


@pytest.mark.parametrize("line", [NO_PATH, SIZE_IN_WORDS, NUMBER_AS_VALUE, "{", "[]", '{"add":1}'])
def test_an_odd_line_is_left_to_the_full_reader(tmp_path: Path, line: str) -> None:
    made(tmp_path, 1)
    commit = tmp_path / "_delta_log" / f"{1:020}.json"
    commit.write_text(commit.read_text() + line + "\n")
    snapshot = newest(tmp_path)
    assert count_few(snapshot.store, snapshot.segment) is None


def test_a_small_checkpoint_is_counted_and_one_with_many_rows_is_not(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    table = made(tmp_path, 5)
    write_checkpoint(table.update(), table.log.store, table.catalog)
    snapshot = newest(tmp_path)
    assert snapshot.segment.checkpoint is not None
    found = count_few(snapshot.store, snapshot.segment)
    assert found == count_kinds(snapshot.files(columns=FileColumns.WITHOUT_STATS))
    assert [(one.files, one.size) for one in found or ()] == [(5, 50)]
    monkeypatch.setattr(few_rows, "MAX_ROWS", 5)
    assert count_few(snapshot.store, snapshot.segment) is None


def test_large_commits_are_left_to_arrow(tmp_path: Path) -> None:
    made(tmp_path, 1)
    commit = tmp_path / "_delta_log" / f"{1:020}.json"
    assert may_be_few(newest(tmp_path).segment)
    commit.write_text(commit.read_text() + '{"commitInfo":{"note":"' + "x" * MAX_BYTES + '"}}\n')
    assert not may_be_few(newest(tmp_path).segment)
