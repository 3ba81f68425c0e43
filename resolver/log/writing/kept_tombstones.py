"""The tombstones of a version whose live files are at hand: only lines and columns of removes are read.

A remove is a tombstone if it is the last one of its file and the file is not live. So the live files stand in for
all adds of the log, which are most of it.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from deltaresolver.log.action_rows import ActionRows
from deltaresolver.log.arrow_schema import TOMBSTONES
from deltaresolver.log.file_keys import find_keys
from deltaresolver.log.json_blocks import make_block, parse_block
from deltaresolver.log.parquet_parts import read_sidecar, read_top_level
from deltaresolver.log.projection import EVERY_TOMBSTONE_FIELD, KEY_FIELDS
from deltaresolver.log.read_ahead import iterate_matching
from deltaresolver.log.reconcile import newest_rows
from deltaresolver.log.segment import LogSegment
from deltaresolver.log.store import LogStore

_NEEDLE = b'"remove"'
_NO_LINES = np.empty(0, np.int64)
_BLOCK_BYTES = 16 << 20


def read_kept_tombstones(store: LogStore, segment: LogSegment, live: pa.Table, newer_than_ms: int) -> pa.Table:
    """The tombstones deleted after `newer_than_ms`, shaped `TOMBSTONES`; `live` are the segment's live files.

    Errors are those of reading the log, but the line numbers in them count only lines that were looked at. Raises
    `CommitMalformedError`, `CheckpointUnusableError`, `StoredFileMissingError`.
    """
    parts = [part for part in _removes(store, segment) if len(part.remove)]
    if not any(_deleted_after(part.remove, newer_than_ms).true_count for part in parts):
        return TOMBSTONES.empty_table()
    parts.extend(_as_parts(live))
    chosen = newest_rows(parts, [find_keys(part) for part in parts], "remove")
    batches = []
    for part, rows in zip(parts, chosen, strict=True):
        removes = part.remove.take(pa.array(rows))
        kept = removes.filter(_deleted_after(removes, newer_than_ms))
        batches.append(pa.RecordBatch.from_arrays([kept.field(name) for name in TOMBSTONES.names], schema=TOMBSTONES))
    return pa.Table.from_batches(batches, TOMBSTONES)


def _deleted_after(removes: pa.StructArray, newer_than_ms: int) -> pa.BooleanArray:
    return pc.greater(pc.fill_null(removes.field("deletionTimestamp"), 0), newer_than_ms)


def _removes(store: LogStore, segment: LogSegment) -> Iterator[ActionRows]:
    """The removes of every file of the segment, oldest first."""
    if segment.checkpoint is not None:
        top_level, sidecars = read_top_level(store, segment.checkpoint, EVERY_TOMBSTONE_FIELD)
        yield from map(_only_removes, top_level)
        for sidecar in sidecars:
            yield from map(_only_removes, read_sidecar(store, sidecar, EVERY_TOMBSTONE_FIELD))
    pieces: list[tuple[bytes, int, str]] = []
    size = 0
    for commit, data in iterate_matching(store, segment.commits, [_NEEDLE]):
        for lines in _lines_with_removes(data):
            pieces.append((lines, 1, commit.path))
            size += len(lines)
        if size >= _BLOCK_BYTES:
            yield from _parse(pieces)
            pieces, size = [], 0
    yield from _parse(pieces)


def _parse(pieces: list[tuple[bytes, int, str]]) -> Iterator[ActionRows]:
    if pieces:
        yield from map(_only_removes, parse_block(make_block(pieces), EVERY_TOMBSTONE_FIELD))


def _lines_with_removes(data: bytes) -> Iterator[bytes]:
    """The lines that hold the key, joined with those that follow right on."""
    begin = end = 0
    place = data.find(_NEEDLE)
    while place >= 0:
        start = data.rfind(b"\n", end, place) + 1 or end
        if start != end:
            if end > begin:
                yield data[begin:end]
            begin = start
        stop = data.find(b"\n", place)
        end = len(data) if stop < 0 else stop + 1
        place = data.find(_NEEDLE, end)
    if end > begin:
        yield data[begin:end]


def _only_removes(rows: ActionRows) -> ActionRows:
    removes = rows.remove.filter(rows.remove.is_valid()) if rows.remove.null_count else rows.remove
    return ActionRows(rows.add.slice(0, 0), removes, (_NO_LINES, np.arange(len(removes))))


def _as_parts(live: pa.Table) -> Iterator[ActionRows]:
    """The live files as if they were added last."""
    nothing = pa.array([], pa.struct(list(EVERY_TOMBSTONE_FIELD.fields)))
    for batch in live.select([field.name for field in KEY_FIELDS]).to_batches():
        adds = pa.StructArray.from_arrays(batch.columns, names=batch.schema.names)
        yield ActionRows(adds, nothing, (np.arange(len(adds)), _NO_LINES))
