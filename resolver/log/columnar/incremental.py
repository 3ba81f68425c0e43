"""The files of a version from those of an earlier one and the commits in between, without replaying the rest."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import attrs
import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc

from deltaresolver.log.byte_search import buffer_contains
from deltaresolver.log.columnar.arrow_numpy import Mask, flags_of, from_flags, from_texts
from deltaresolver.log.columnar.read_files import read_files, read_tombstones
from deltaresolver.log.segment import CommitFile, LogSegment
from deltaresolver.log.storage.log_store import LogStore
from deltaresolver.model.file_key import FileKey, canonical_path, deletion_vector_id

_MAX_CUTS = 256
"""Up to so many dropped rows the rest is kept in place, in slices; beyond, it is copied."""

_MAX_CHUNKS = 4096
"""More chunks than this make every later operation slow, so they are joined."""


@attrs.frozen(slots=True, eq=False)
class LiveFiles:
    """The live files of a version, shaped `ADD_FILES`."""

    table: pa.Table
    plainly_spelt: bool | None = None
    """Whether every path is its own canonical spelling; `None` until somebody looked."""


def apply_commits(store: LogStore, files: LiveFiles, commits: Sequence[CommitFile]) -> LiveFiles:
    """The live files after `commits`, where `files` are those before. Raises `CommitMalformedError`."""
    segment = LogSegment(commits[-1].last_version, tuple(commits))
    added = read_files(store, segment)
    touched = _keys(added) | _keys(read_tombstones(store, segment))
    plain = _are_plainly_spelt(files.table) if files.plainly_spelt is None else files.plainly_spelt
    kept = _without_rows(files.table, _rows_of(files.table, touched, plainly_spelt=plain))
    result = pa.concat_tables([kept, added])
    if result.column("path").num_chunks > _MAX_CHUNKS:
        result = result.combine_chunks()
    return LiveFiles(result, plain and _are_plainly_spelt(added))


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


def _rows_of(files: pa.Table, keys: set[FileKey], *, plainly_spelt: bool) -> npt.NDArray[np.int64]:
    """The rows of `files` with one of these keys, ascending."""
    found: list[int] = []
    names = from_texts(sorted({path for path, _ in keys}))
    start = 0
    for batch in files.select(["path", "deletionVector"]).to_batches():
        paths, vectors = batch.columns
        mask = flags_of(pc.is_in(paths, names))
        if not plainly_spelt:
            mask |= _odd_in(paths)
        found.extend(
            start + row
            for row in np.flatnonzero(mask).tolist()
            if (canonical_path(paths[row].as_py()), _vector_id(vectors[row].as_py())) in keys
        )
        start += batch.num_rows
    return np.array(found, np.int64)


def _are_plainly_spelt(files: pa.Table) -> bool:
    return not any(_odd_in(chunk).any() for chunk in files.column("path").chunks)


def _odd_in(paths: pa.StringArray) -> Mask:
    """Which paths may differ from their canonical spelling: absolute ones, and those with empty or dot segments."""
    _, offsets_buffer, data = paths.buffers()
    if data is not None:
        offsets = np.frombuffer(offsets_buffer, np.int32)[paths.offset : paths.offset + len(paths) + 1]
        text = data.slice(int(offsets[0]), int(offsets[-1] - offsets[0]))
        if not any(buffer_contains(text, sign) for sign in (b":", b"//", b"/.")):
            begins = np.frombuffer(data, np.uint8)[offsets[:-1][np.diff(offsets) > 0]]
            if not np.isin(begins, (ord("/"), ord("."))).any():
                return np.zeros(len(paths), np.bool_)
    return flags_of(pc.match_substring_regex(paths, r"^/|^[A-Za-z][A-Za-z0-9+.\-]*:/|//|(^|/)\.\.?(/|$)"))


def _without_rows(files: pa.Table, rows: npt.NDArray[np.int64]) -> pa.Table:
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
