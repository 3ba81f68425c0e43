"""A staged log does not change, keeps new commits in memory, and leaves data files where they belong."""

from __future__ import annotations

import pickle
from pathlib import Path

import pytest

from deltaresolver.errors import StoredFileExistsError, StoredFileMissingError
from deltaresolver.log.log import DeltaLog
from deltaresolver.log.storage.local_store import LocalStore
from deltaresolver.log.storage.staged_store import staged_over
from deltaresolver.model.actions import AddFile
from deltaresolver.table import Table
from deltaresolver.transaction.operation import write


def commit_path(version: int) -> str:
    return f"_delta_log/{version:020}.json"


@pytest.fixture
def table(tmp_path: Path) -> Table:
    return Table.create(tmp_path / "t", "id BIGINT")


def add(name: str) -> AddFile:
    return AddFile(name, {}, 1, 0, data_change=True)


def test_commits_of_others_are_not_seen_and_own_ones_stay_in_memory(table: Table) -> None:
    staged = staged_over(table.log.store)
    table.start_transaction().commit([add("others.parquet")], write())
    log = DeltaLog(staged)
    assert log.update().table_version == 0
    staged.put_if_absent(commit_path(1), b'{"add":{"path":"mine.parquet","partitionValues":{},"size":1}}')
    assert [each.path for each in log.update().add_actions()] == ["mine.parquet"]
    assert [each.path for each in table.update().add_actions()] == ["others.parquet"]
    with pytest.raises(StoredFileExistsError):
        staged.put_if_absent(commit_path(0), b"")
    with pytest.raises(StoredFileExistsError):
        staged.put_if_absent(commit_path(1), b"")
    staged.delete(commit_path(0))
    assert table.snapshot(0).table_version == 0


def test_what_came_later_is_not_there(table: Table) -> None:
    staged = staged_over(table.log.store)
    table.start_transaction().commit([add("others.parquet")], write())
    assert staged.find(commit_path(1)) is None
    for ask in (staged.read, staged.look_up, lambda path: staged.read_range(path, 0, 1)):
        with pytest.raises(StoredFileMissingError):
            ask(commit_path(1))
    assert staged.read(commit_path(0)) == table.log.store.read(commit_path(0))


def test_data_files_are_the_stores_own(table: Table) -> None:
    staged = staged_over(table.log.store)
    staged.put("deletion_vector_1.bin", b"x")
    assert table.log.store.read("deletion_vector_1.bin") == b"x"
    staged.delete("deletion_vector_1.bin")
    assert table.log.store.find("deletion_vector_1.bin") is None
    assert isinstance(staged, LocalStore)
    assert type(pickle.loads(pickle.dumps(staged))) is LocalStore
