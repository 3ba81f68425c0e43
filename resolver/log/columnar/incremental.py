"""The files of a version from those of an earlier one and the commits in between, without replaying the rest."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pyarrow as pa

from deltaresolver.log.columnar.action_rows import Rows
from deltaresolver.log.columnar.fast.arrow_numpy import from_flags
from deltaresolver.log.columnar.fast.fingerprint import Fingerprints
from deltaresolver.log.columnar.fast.seen_fingerprints import SeenPrints
from deltaresolver.log.columnar.file_keys import exact_keys, key_prints
from deltaresolver.log.columnar.projection import KEY_FIELDS
from deltaresolver.log.columnar.read_files import LiveFiles, read_changes
from deltaresolver.log.columnar.reconcile import KeyedRows, are_among
from deltaresolver.log.segment import CommitFile
from deltaresolver.log.storage.log_store import LogStore

_KEY_NAMES = tuple(field.name for field in KEY_FIELDS)
_ROOM = 16
"""Places in the table of what is looked for, each taken one: most of the many rows then end at an empty place."""

_MAX_CUTS = 256
"""Up to so many dropped rows the rest is kept in place, in slices; beyond, it is copied."""

_MAX_CHUNKS = 4096
"""More chunks than this make every later operation slow, so they are joined."""


def apply_commits(store: LogStore, files: LiveFiles, commits: Sequence[CommitFile]) -> LiveFiles:
    """The live files after `commits`, where `files` are those before. Raises `CommitMalformedError`."""
    added, touched = read_changes(store, commits, files.seed)
    prints = files.prints if added.seed == files.seed else _prints_of(files.table, added.seed)
    rows = _rows_of(files.table, prints, touched)
    table = pa.concat_tables([_without_rows(files.table, rows), added.table])
    if table.column("path").num_chunks > _MAX_CHUNKS:
        table = table.combine_chunks()
    return LiveFiles(table, np.concatenate([np.delete(prints, rows), added.prints]), added.seed)


def _rows_of(files: pa.Table, prints: Fingerprints, touched: Sequence[KeyedRows]) -> Rows:
    """The rows of `files` that are among the `touched`, ascending."""
    named = SeenPrints(_ROOM * sum(len(each) for each, _ in touched))
    for each, _ in touched:
        named.add(each)
    likely = np.flatnonzero(named.holds(prints))
    if not len(likely):
        return likely
    found: Rows = likely[are_among(_keys_of(files, likely), prints[likely], touched)]
    return found


def _keys_of(files: pa.Table, rows: Rows) -> pa.StringArray:
    """The keys of rows, which ascend, as text."""
    keys, start = [], 0
    for batch in files.select(list(_KEY_NAMES)).to_batches():
        first, last = np.searchsorted(rows, (start, start + batch.num_rows))
        if first < last:
            keys.append(exact_keys(_as_struct(batch), rows[first:last] - start))
        start += batch.num_rows
    return pa.concat_arrays(keys)


def _prints_of(files: pa.Table, seed: int) -> Fingerprints:
    batches = files.select(list(_KEY_NAMES)).to_batches()
    return np.concatenate([np.empty(0, np.uint64), *(key_prints(_as_struct(batch), seed) for batch in batches)])


def _as_struct(batch: pa.RecordBatch) -> pa.StructArray:
    return pa.StructArray.from_arrays(batch.columns, fields=list(batch.schema))


def _without_rows(files: pa.Table, rows: Rows) -> pa.Table:
    if not len(rows):
        return files
    if len(rows) > _MAX_CUTS:
        keep = np.ones(files.num_rows, np.bool_)
        keep[rows] = False
        return files.filter(from_flags(keep))
    slices, start = [], 0
    for row in [*rows.tolist(), files.num_rows]:
        if row > start:
            slices.append(files.slice(start, row - start))
        start = row + 1
    return pa.concat_tables(slices) if slices else files.slice(0, 0)
