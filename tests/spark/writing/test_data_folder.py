"""The folder of a write: which of its files are data, on disk and in an object store, and whether their rows add up."""

from __future__ import annotations

import json
from pathlib import Path
from unittest.mock import create_autospec

import numpy as np
import pytest

from deltaresolver.errors import RowsUnaccountedError
from deltaresolver.log.storage.local_store import LocalStore
from deltaresolver.log.storage.log_store import StoredFile
from deltaresolver.log.storage.object_store import ObjectStore
from deltaresolver.model.actions import Action, AddFile, DeletionVector
from deltaresolver.spark.parquet_calendar import FileCalendar, gregorian_micros
from deltaresolver.spark.writing.data_folder import DataFolder
from deltaresolver.spark.writing.row_balance import ensure_all_named, ensure_balanced
from deltaresolver.transaction.commit.removed_files import removal

DATA = [
    ".day=1/part-0.parquet",
    "__x=__HIVE_DEFAULT_PARTITION__/_y=.z/part-0.parquet",
    "_day=1/part-0.parquet",
    "p=_x/part-0.parquet",
    "part-0.parquet",
]
OTHERS = [
    "_SUCCESS",
    ".part-0.parquet.crc",
    "_day=1/.part-0.parquet.crc",
    "_temporary/0/_temporary/attempt_1/_day=1/part-1.parquet",
    ".spark-staging-1/_day=1/part-2.parquet",
]
LEFT_OVER = [path for path in OTHERS if path.endswith(".parquet")]


@pytest.mark.parametrize("parent", ["", "_change_data/"])
@pytest.mark.parametrize("kind", ["disk", "object store"])
def test_folders_of_partitions_are_never_hidden(tmp_path: Path, kind: str, parent: str) -> None:
    name = f"{parent}w1"
    if kind == "disk":
        for path in (*DATA, *OTHERS):
            file = tmp_path / name / path
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_bytes(b"x")
        folder = DataFolder(LocalStore(tmp_path), name)
    else:
        store = create_autospec(ObjectStore, instance=True)
        store.list_below.return_value = [StoredFile(f"{name}/{path}", 1, 1) for path in (*OTHERS, *DATA)]
        folder = DataFolder(store, name)
    files, left_over = folder.contents()
    assert [file.path for file in files] == [f"{name}/{path}" for path in DATA]
    assert sorted(file.path for file in left_over) == sorted(f"{name}/{path}" for path in LEFT_OVER)


def test_a_folder_that_is_not_there_is_empty_and_one_that_cannot_be_read_is_not(tmp_path: Path) -> None:
    folder = DataFolder(LocalStore(tmp_path), "w1")
    assert folder.files() == []
    (tmp_path / "w1").write_bytes(b"a file, not a folder")
    with pytest.raises(NotADirectoryError):
        folder.files()


def add(path: str, rows: int | None, deleted: int = 0) -> AddFile:
    """A file of so many rows, some of them marked."""
    stats = "{}" if rows is None else json.dumps({"numRecords": rows})
    vector = DeletionVector("u", "x" * 20, 1, 34, deleted) if deleted else None
    return AddFile(path, {}, 1, 1, data_change=True, stats=stats, deletion_vector=vector)


def test_the_numbers_of_rows_must_add_up() -> None:
    marked: list[Action] = [removal(add("a", 10, 2), 1), add("a", 10, 5)]
    assert ensure_balanced("t", marked, deleted=3) == {"rowsAccountedFor": "5"}
    moved: list[Action] = [removal(add("a", 10), 1), add("b", 7), add("c", 4)]
    assert ensure_balanced("t", moved, inserted=2, deleted=1) == {"rowsAccountedFor": "11"}
    for wrong in ({"deleted": 2}, {"deleted": 4}, {"inserted": 1, "deleted": 3}):
        with pytest.raises(RowsUnaccountedError):
            ensure_balanced("t", marked, **wrong)
    # Where a number is not known, nothing is claimed.
    assert ensure_balanced("t", [removal(add("a", None), 1)], deleted=3) == {}
    assert ensure_balanced("t", moved, deleted=None) == {}


def test_every_file_is_named() -> None:
    ensure_all_named("t", ["a", "b"], [add("a", 1), add("b", 1)])
    with pytest.raises(RowsUnaccountedError, match="1 of the 2 files"):
        ensure_all_named("t", ["a", "b"], [add("a", 1), removal(add("b", 1), 1)])


def test_old_moments_need_the_rules_of_a_zone() -> None:
    moments = np.array([-3_000_000_000_000_000])
    for zone in (None, "Nowhere/At_All"):
        with pytest.raises(LookupError, match="legacy calendar"):
            gregorian_micros(moments, zone)
    assert gregorian_micros(moments + 2 * 10**15, None).tolist() == [-(10**15)]
    assert not FileCalendar.of({b"org.apache.spark.version": b"3.5.1"}).datetimes
    assert FileCalendar.of({b"org.apache.spark.version": b"2.4.8"}) == FileCalendar(datetimes=True, int96=True)
    assert FileCalendar.of({b"org.apache.spark.version": b"3.0.3"}) == FileCalendar(datetimes=False, int96=True)
