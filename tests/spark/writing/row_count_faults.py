"""Bugs planted on purpose, to see that lost rows are noticed; and what a refused write leaves."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any
from urllib.parse import quote

import pytest

from deltaresolver.model.actions import AddFile, ChangeFile
from deltaresolver.spark.changes import marked_files, row_removal, row_update
from deltaresolver.spark.changes.merge import rows as row_merge
from deltaresolver.spark.writing import data_folder, written_data
from deltaresolver.spark.writing.statistics import footers
from deltaresolver.spark.writing.statistics.file_statistics import file_statistics
from deltaresolver.table import Table

Fault = Callable[[pytest.MonkeyPatch], None]


def files_of(path: Path) -> set[str]:
    """The data files on disk."""
    return {str(file.relative_to(path)) for file in path.rglob("*.parquet") if "_delta_log" not in file.parts}


def untouched(path: Path) -> bool:
    """Whether every data file on disk belongs to some version."""
    table, known = Table(path), set()
    for version in range(table.snapshot().table_version + 1):
        text = (path / "_delta_log" / f"{version:020}.json").read_text()
        for line in text.splitlines():
            action: dict[str, Any] = json.loads(line)
            known |= {action[kind]["path"] for kind in ("add", "cdc") if kind in action}
    return {quote(name, safe=data_folder.SAFE_IN_PATHS) for name in files_of(path)} <= known


def drop_a_file(patch: pytest.MonkeyPatch) -> None:
    """The folder is listed without one of its files."""
    walk = data_folder._walk_local

    def broken(root: Path, name: str) -> Iterator[data_folder.WrittenFile]:
        return iter(sorted(walk(root, name), key=lambda file: file.path)[1:])

    patch.setattr(data_folder, "_walk_local", broken)


def hide_partitions(patch: pytest.MonkeyPatch) -> None:
    """Folders of partitions whose column begins with an underscore are taken for Spark's own."""
    patch.setattr(data_folder, "_is_hidden", lambda path: any(part.startswith("_") for part in path.split("/")))


def miscount(patch: pytest.MonkeyPatch) -> None:
    """Statistics have one row too many."""
    count = file_statistics
    patch.setattr(
        footers,
        "file_statistics",
        lambda footer, shape: json.dumps(
            json.loads(count(footer, shape)) | {"numRecords": json.loads(count(footer, shape))["numRecords"] + 1}
        ),
    )


def take_for_empty(patch: pytest.MonkeyPatch) -> None:
    """Files are taken for empty ones, which are deleted."""
    patch.setattr(written_data, "record_count", lambda statistics: 0)


def lose_kept_rows(patch: pytest.MonkeyPatch) -> None:
    """Files that are written anew lack a row that stays."""
    for room in (row_removal, marked_files):
        copied = room.copied
        patch.setattr(
            room, "copied", lambda rows, metadata, copied=copied: copied(rows.where("id not in (3, 6)"), metadata)
        )


def double_kept_rows(patch: pytest.MonkeyPatch) -> None:
    """Files that are written anew hold rows that stay twice."""
    for room in (row_removal, marked_files):
        copied = room.copied
        patch.setattr(room, "copied", lambda rows, metadata, copied=copied: copied(rows.unionAll(rows), metadata))


def lose_updated_rows(patch: pytest.MonkeyPatch) -> None:
    """An update forgets a row of the files that it writes."""
    made = row_update.RowUpdate._made
    patch.setattr(
        row_update.RowUpdate,
        "_made",
        lambda self, rows, everywhere: made(self, rows.where("id not in (3, 4)"), everywhere=everywhere),
    )


def lose_merged_rows(patch: pytest.MonkeyPatch) -> None:
    """A merge forgets a row that it updates."""
    old = row_merge.RowMerge._old_rows
    patch.setattr(row_merge.RowMerge, "_old_rows", lambda self, among, where: old(self, among, where).where("id <> 4"))


def lose_inserted_rows(patch: pytest.MonkeyPatch) -> None:
    """A merge forgets a row of its source."""
    rows = row_merge.RowMerge._unmatched
    patch.setattr(
        row_merge.RowMerge, "_unmatched", lambda self, found, clauses: rows(self, found, clauses).where("s.id <> 100")
    )


def forget_an_add(patch: pytest.MonkeyPatch) -> None:
    """A file that was written is not named."""
    found = row_removal.RowRemoval.run

    def broken(self: row_removal.RowRemoval) -> row_removal.RemovedRows:
        removed = found(self)
        kept = tuple(action for action in removed.actions if not isinstance(action, AddFile | ChangeFile))
        return row_removal.RemovedRows(kept, None, removed.rows_copied)

    patch.setattr(row_removal.RowRemoval, "run", broken)
