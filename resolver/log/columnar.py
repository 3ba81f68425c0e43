"""The files of a table version as Arrow: every action of a log segment, reconciled, without Python objects per file."""

from __future__ import annotations

import enum
import os
from collections.abc import Iterable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor

import attrs
import pyarrow as pa
import pyarrow.compute as pc

from deltaresolver.log.action_rows import ActionRows
from deltaresolver.log.arrow_numpy import from_numbers
from deltaresolver.log.arrow_schema import ADD_FILES
from deltaresolver.log.file_keys import FileKeys, find_keys
from deltaresolver.log.json_blocks import parse_block
from deltaresolver.log.json_input import group_commits, read_blocks
from deltaresolver.log.parquet_parts import read_sidecar, read_top_level
from deltaresolver.log.projection import EVERY_TOMBSTONE_FIELD, Projection, project_adds
from deltaresolver.log.reconcile import Rows, newest_rows
from deltaresolver.log.segment import CheckpointFiles, CommitFile, LogSegment
from deltaresolver.log.store import LogStore
from deltaresolver.model.actions import Sidecar


class FileColumns(enum.Enum):
    """Which columns of the live files are read; each holds the names in the order of the result."""

    PATHS = ("path",)
    WITHOUT_STATS = tuple(name for name in ADD_FILES.names if name != "stats")
    ALL = tuple(ADD_FILES.names)


@attrs.frozen(slots=True, eq=False)
class _Part:
    rows: ActionRows
    keys: FileKeys


def read_files(store: LogStore, segment: LogSegment, columns: FileColumns = FileColumns.ALL) -> pa.Table:
    """The live files of the segment's table version, oldest first: `arrow_schema.ADD_FILES` with `columns` only.

    Raises `CommitMalformedError`, `CheckpointUnusableError`, `StoredFileMissingError`.
    """
    return _replay(store, segment, project_adds(columns.value))


def read_tombstones(store: LogStore, segment: LogSegment, newer_than_ms: int | None = None) -> pa.Table:
    """The removed files still remembered, `arrow_schema.TOMBSTONES`; those deleted after `newer_than_ms` if given.

    A tombstone without a deletion time counts as deleted at the epoch. Raises as `read_files`.
    """
    table = _replay(store, segment, EVERY_TOMBSTONE_FIELD)
    if newer_than_ms is None:
        return table
    deleted = pc.fill_null(table.column("deletionTimestamp"), 0)
    return table.filter(pc.greater(deleted, newer_than_ms))


def _replay(store: LogStore, segment: LogSegment, projection: Projection) -> pa.Table:
    with ThreadPoolExecutor(_workers()) as pool:
        parts = list(_parts(pool, store, segment, projection))
        live = newest_rows([part.rows for part in parts], [part.keys for part in parts], projection.action)
        jobs: list[Future[pa.RecordBatch]] = []
        # Parts are let go one by one as their live rows are copied out, so that both never exist in full.
        for rows in reversed(live):
            jobs.append(pool.submit(_select, parts.pop().rows.of(projection.action), rows, projection))
        batches = [jobs.pop().result() for _ in range(len(jobs))]
    return pa.Table.from_batches([batch for batch in batches if batch.num_rows], projection.result)


def _workers() -> int:
    return max(2, min(8, os.cpu_count() or 2))


def _parts(pool: ThreadPoolExecutor, store: LogStore, segment: LogSegment, projection: Projection) -> Iterator[_Part]:
    """All rows, oldest first. Every file is its own job, so jobs finish in any order but are taken in this one."""
    jobs: list[Future[list[_Part]]] = []
    if segment.checkpoint is not None:
        yield from _checkpoint_parts(pool, store, segment.checkpoint, projection)
    for group in group_commits(segment.commits):
        jobs.append(pool.submit(_read_group, store, group, projection))
    for job in jobs:
        yield from job.result()


def _checkpoint_parts(
    pool: ThreadPoolExecutor, store: LogStore, checkpoint: CheckpointFiles, projection: Projection
) -> Iterator[_Part]:
    parts, sidecars = read_top_level(store, checkpoint, projection)
    yield from _keyed(parts)
    for job in [pool.submit(_read_sidecar, store, sidecar, projection) for sidecar in sidecars]:
        yield from job.result()


def _read_group(store: LogStore, group: tuple[CommitFile, ...], projection: Projection) -> list[_Part]:
    return [part for block in read_blocks(store, group) for part in _keyed(parse_block(block, projection))]


def _read_sidecar(store: LogStore, sidecar: Sidecar, projection: Projection) -> list[_Part]:
    return list(_keyed(read_sidecar(store, sidecar, projection)))


def _keyed(parts: Iterable[ActionRows]) -> Iterator[_Part]:
    for rows in parts:
        yield _Part(rows, find_keys(rows))


def _select(array: pa.StructArray, rows: Rows, projection: Projection) -> pa.RecordBatch:
    if len(rows) < len(array):
        array = array.take(from_numbers(rows))
    return pa.RecordBatch.from_arrays([array.field(name) for name in projection.result.names], schema=projection.result)
