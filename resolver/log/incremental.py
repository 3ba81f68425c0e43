"""The files of a version from those of an earlier one and the commits in between, without replaying the rest."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc

from deltaresolver.log.arrow_schema import ADD_FILES
from deltaresolver.log.columnar import read_files, read_tombstones
from deltaresolver.log.segment import CommitFile, LogSegment
from deltaresolver.log.store import LogStore
from deltaresolver.model.file_key import FileKey, canonical_path, deletion_vector_id

_MAX_CUTS = 256
"""Up to so many dropped rows the rest is kept in place, in slices; beyond, it is copied."""

_MAX_CHUNKS = 4096
"""More chunks than this make every later operation slow, so they are joined."""


def apply_commits(store: LogStore, files: pa.Table, commits: Sequence[CommitFile]) -> pa.Table:
    """The live files after `commits`, where `files` (shaped `ADD_FILES`) are those before.

    Raises `CommitMalformedError`.
    """
    segment = LogSegment(commits[-1].last_version, tuple(commits))
    added = read_files(store, segment)
    removed = read_tombstones(store, segment)
    touched = _keys(added) | _keys(removed)
    kept = _without_rows(files, _rows_of(files, touched))
    result = pa.concat_tables([kept, added.cast(ADD_FILES)])
    return result.combine_chunks() if result.column("path").num_chunks > _MAX_CHUNKS else result


def _keys(table: pa.Table) -> set[FileKey]:
    vectors = table.column("deletionVector").to_pylist()
    return {
        (canonical_path(path), _vector_id(vector))
        for path, vector in zip(table.column("path").to_pylist(), vectors, strict=True)
    }


def _vector_id(vector: dict[str, Any] | None) -> str | None:
    if vector is None:
        return None
    return deletion_vector_id(vector["storageType"], vector["pathOrInlineDv"], vector["offset"])


def _rows_of(files: pa.Table, keys: set[FileKey]) -> npt.NDArray[np.int64]:
    """The rows of `files` with one of these keys."""
    if not keys or files.num_rows == 0:
        return np.empty(0, np.int64)
    paths = files.column("path")
    names = pa.array(sorted({path for path, _ in keys}), pa.string())
    mask = pc.or_(pc.is_in(paths, names), _spelled_otherwise(paths))
    candidates = np.flatnonzero(mask.to_numpy())
    if not len(candidates):
        return candidates
    taken = files.select(["path", "deletionVector"]).take(pa.array(candidates))
    rows = zip(taken.column("path").to_pylist(), taken.column("deletionVector").to_pylist(), strict=True)
    hits = [(canonical_path(path), _vector_id(vector)) in keys for path, vector in rows]
    return candidates[np.array(hits, np.bool_)]


def _spelled_otherwise(paths: pa.ChunkedArray) -> pa.ChunkedArray:
    """Which paths may differ from their canonical spelling: absolute ones, and those with empty or dot segments."""
    chunks = [_odd_in(chunk) for chunk in paths.chunks]
    return pa.chunked_array(chunks, pa.bool_())


def _odd_in(paths: pa.StringArray) -> pa.BooleanArray:
    _, offsets_buffer, data = paths.buffers()
    if data is not None:
        offsets = np.frombuffer(offsets_buffer, np.int32)[paths.offset : paths.offset + len(paths) + 1]
        text = data.to_pybytes()[offsets[0] : offsets[-1]] if len(offsets) else b""
        if b":" not in text and b"//" not in text and b"/." not in text:
            begins = np.frombuffer(text, np.uint8)[(offsets[:-1] - offsets[0])[np.diff(offsets) > 0]]
            if not np.isin(begins, (ord("/"), ord("."))).any():
                return pa.repeat(pa.scalar(False), len(paths))
    odd = pc.match_substring_regex(paths, r"^/|^[A-Za-z][A-Za-z0-9+.\-]*:/|//|(^|/)\.\.?(/|$)")
    return odd.fill_null(False)


def _without_rows(files: pa.Table, rows: npt.NDArray[np.int64]) -> pa.Table:
    if not len(rows):
        return files
    if len(rows) > _MAX_CUTS:
        keep = np.ones(files.num_rows, np.bool_)
        keep[rows] = False
        return files.filter(pa.array(keep))
    slices, start = [], 0
    for row in [*rows.tolist(), files.num_rows]:
        if row > start:
            slices.append(files.slice(start, row - start))
        start = row + 1
    return pa.concat_tables(slices) if slices else files.slice(0, 0)
