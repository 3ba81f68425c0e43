"""The tombstones of a version whose live files are at hand: only lines and columns of removes are read.

A remove is a tombstone if it is the last one of its file and the file is not live. So the live files stand in for
all adds of the log, which are most of it.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc

from deltaresolver.log.byte_search import find_each
from deltaresolver.log.columnar.action_rows import ActionRows
from deltaresolver.log.columnar.arrow_schema import TOMBSTONES
from deltaresolver.log.columnar.fast.arrow_numpy import (
    flags_of,
    from_numbers,
    from_texts,
    numbers_of,
    valid_rows,
    whole_number,
)
from deltaresolver.log.columnar.fast.seen_fingerprints import SeenPrints
from deltaresolver.log.columnar.file_keys import exact_keys, key_prints, key_struct
from deltaresolver.log.columnar.json_blocks import make_block, parse_block
from deltaresolver.log.columnar.parquet_parts import read_piece, split_checkpoint
from deltaresolver.log.columnar.projection import EVERY_TOMBSTONE_FIELD
from deltaresolver.log.read_ahead import iterate_matching
from deltaresolver.log.segment import LogSegment
from deltaresolver.log.storage.log_store import LogStore

_NEEDLE = b'"remove"'
_BLOCK_BYTES = 16 << 20


def read_kept_tombstones(store: LogStore, segment: LogSegment, live: pa.Table, newer_than_ms: int) -> pa.Table:
    """The tombstones deleted after `newer_than_ms`, shaped `TOMBSTONES`; `live` are the segment's live files.

    Errors are those of reading the log, but the line numbers in them count only lines that were looked at. Raises
    `CommitMalformedError`, `CheckpointUnusableError`, `StoredFileMissingError`.
    """
    parts = [part for part in _removes(store, segment) if len(part)]
    if not any(_deleted_after(part, newer_than_ms).true_count for part in parts):
        return pa.Table.from_batches([], TOMBSTONES)
    removes = pa.concat_arrays(parts)
    names = _names_of(removes)
    kept = _is_last(names) & flags_of(_deleted_after(removes, newer_than_ms))
    chosen = np.flatnonzero(kept)
    found = removes.take(from_numbers(chosen))
    alive = _those_alive(live, found)
    if len(alive):
        found = found.filter(pc.invert(pc.is_in(names.take(from_numbers(chosen)), alive)))
    return pa.table([found.field(name) for name in TOMBSTONES.names], schema=TOMBSTONES)


def _deleted_after(removes: pa.StructArray, newer_than_ms: int) -> pa.BooleanArray:
    return pc.greater(pc.fill_null(removes.field("deletionTimestamp"), whole_number(0)), whole_number(newer_than_ms))


def _names_of(files: pa.StructArray) -> pa.StringArray:
    return exact_keys(files, np.arange(len(files)))


def _is_last(names: pa.StringArray) -> npt.NDArray[np.bool_]:
    """Which names do not come again."""
    codes = numbers_of(names.dictionary_encode().indices)
    last = np.zeros(len(names), np.int64)
    # Of several assignments to one place the last one stays.
    last[codes] = np.arange(len(names))
    is_last: npt.NDArray[np.bool_] = last[codes] == np.arange(len(names))
    return is_last


def _those_alive(live: pa.Table, removes: pa.StructArray) -> pa.StringArray:
    """The names of live files that some of the removes may name: all that do, and by coincidence others."""
    removed = SeenPrints(len(removes))
    removed.add(key_prints(key_struct(removes)))
    found = [from_texts([])]
    for batch in live.select(["path", "deletionVector"]).to_batches():
        files = pa.StructArray.from_arrays(batch.columns, names=batch.schema.names)
        found.append(exact_keys(files, np.flatnonzero(removed.holds(key_prints(files)))))
    return pa.concat_arrays(found)


def _removes(store: LogStore, segment: LogSegment) -> Iterator[pa.StructArray]:
    """The removes of every file of the segment, oldest first, with the fields of `TOMBSTONES`."""
    if segment.checkpoint is not None:
        for piece in split_checkpoint(store, segment.checkpoint):
            yield from map(_only_removes, read_piece(store, piece, EVERY_TOMBSTONE_FIELD, use_threads=True))
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


def _parse(pieces: list[tuple[bytes, int, str]]) -> Iterator[pa.StructArray]:
    if pieces:
        yield from map(_only_removes, parse_block(make_block(pieces), EVERY_TOMBSTONE_FIELD))


def _lines_with_removes(data: bytes) -> Iterator[bytes]:
    """The lines that hold the key, joined with those that follow right on."""
    begin = end = 0
    for place in find_each(data, _NEEDLE):
        if place < end:
            continue
        start = data.rfind(b"\n", end, place) + 1 or end
        if start != end:
            if end > begin:
                yield data[begin:end]
            begin = start
        stop = data.find(b"\n", place)
        end = len(data) if stop < 0 else stop + 1
    if end > begin:
        yield data[begin:end]


def _only_removes(part: ActionRows) -> pa.StructArray:
    rows = np.arange(len(part.remove)) if part.lines is not None else np.flatnonzero(valid_rows(part.remove))
    return part.source.take(rows)
