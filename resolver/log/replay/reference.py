"""A segment through the reference replay, and its state as the Arrow tables the columnar replay returns."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import pyarrow as pa

from deltaresolver.log.checkpoint.read import read_checkpoint
from deltaresolver.log.columnar.arrow_schema import ADD_FILES, TOMBSTONES
from deltaresolver.log.columnar.file_rows import row_from_vector
from deltaresolver.log.commits import decode_commit
from deltaresolver.log.replay.in_memory import InMemoryLogReplay
from deltaresolver.log.segment import LogSegment
from deltaresolver.log.storage.log_store import LogStore
from deltaresolver.model.actions import AddFile, RemoveFile


def replay_segment(store: LogStore, segment: LogSegment) -> InMemoryLogReplay:
    """Replay every file of the segment, action by action."""
    replay = InMemoryLogReplay()
    if segment.checkpoint is not None:
        replay.append(segment.checkpoint.table_version, read_checkpoint(store, segment.checkpoint))
    for commit in segment.commits:
        replay.append(commit.first_version, decode_commit(store.read(commit.path), commit.path))
        replay.current_version = commit.last_version
    return replay


def add_table(files: Iterable[AddFile]) -> pa.Table:
    """Live files as Arrow, shaped like the columnar replay's result."""
    return pa.Table.from_pylist([_add_row(file) for file in files], schema=ADD_FILES)


def tombstone_table(tombstones: Iterable[RemoveFile]) -> pa.Table:
    """Tombstones as Arrow, shaped like the columnar replay's result."""
    return pa.Table.from_pylist([_remove_row(file) for file in tombstones], schema=TOMBSTONES)


def _add_row(file: AddFile) -> dict[str, Any]:
    return {
        "path": file.path,
        "partitionValues": _items(file.partition_values),
        "size": file.size,
        "modificationTime": file.modification_time,
        "dataChange": file.data_change,
        "stats": file.stats,
        "tags": _items(file.tags),
        "deletionVector": row_from_vector(file.deletion_vector),
        "baseRowId": file.base_row_id,
        "defaultRowCommitVersion": file.default_row_commit_version,
        "clusteringProvider": file.clustering_provider,
    }


def _remove_row(file: RemoveFile) -> dict[str, Any]:
    return {
        "path": file.path,
        "deletionTimestamp": file.deletion_timestamp,
        "dataChange": file.data_change,
        "extendedFileMetadata": file.extended_file_metadata,
        "partitionValues": _items(file.partition_values),
        "size": file.size,
        "stats": file.stats,
        "tags": _items(file.tags),
        "deletionVector": row_from_vector(file.deletion_vector),
        "baseRowId": file.base_row_id,
        "defaultRowCommitVersion": file.default_row_commit_version,
    }


def _items(values: Any) -> list[tuple[str, str | None]] | None:
    return None if values is None else list(values.items())
