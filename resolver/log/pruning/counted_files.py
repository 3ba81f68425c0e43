"""Counts over the live files of a version: of a large log, one part after another, without keeping the files."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import TypeVar

import pyarrow as pa

from deltaresolver.log.columnar.file_columns import FileColumns
from deltaresolver.log.compactions import prefer_compactions
from deltaresolver.log.snapshot import Snapshot

T = TypeVar("T")


def count_files(
    snapshot: Snapshot, count: Callable[[pa.Table], T], columns: FileColumns = FileColumns.WITHOUT_STATS
) -> list[T]:
    """What `count` says of the live files, oldest first: once of all, or of one part of them after another.

    Raises as `Snapshot.files`.
    """
    if not snapshot.holds_files and snapshot.segment.checkpoint is not None:
        # A log of commits alone, as a short one is, does without Arrow's reader of Parquet.
        from deltaresolver.log.pruning.chosen_files import is_large, read_counted  # noqa: PLC0415

        store = snapshot.store
        if snapshot.read_from(partial(is_large, store)):
            return snapshot.read_from(
                lambda segment: read_counted(store, prefer_compactions(store, segment), count, columns)
            )
    return [count(snapshot.files(columns=columns))]
