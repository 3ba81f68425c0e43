"""The files of a version from those of an earlier one and the commits in between, without replaying the rest."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import attrs
import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc

from deltaresolver.log.columnar.arrow_numpy import flags_of, from_flags, from_texts
from deltaresolver.log.columnar.file_keys import rows_with_odd_paths
from deltaresolver.log.columnar.read_files import read_changes
from deltaresolver.log.segment import CommitFile
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
    added, removes = read_changes(store, commits)
    touched = _keys(added.column("path").chunks, added.column("deletionVector").chunks)
    for piece in removes:
        removed = piece.drop_null()
        touched |= _keys([removed.field("path")], [removed.field("deletionVector")])
    plain = files.plainly_spelt
    if plain is None:
        plain = _are_plainly_spelt(files.table.column("path").chunks)
    kept = _without_rows(files.table, _rows_of(files.table, touched, plainly_spelt=plain))
    result = pa.concat_tables([kept, added])
    if result.column("path").num_chunks > _MAX_CHUNKS:
        result = result.combine_chunks()
    return LiveFiles(result, plain and _are_plainly_spelt(added.column("path").chunks))


def _keys(paths: Sequence[pa.StringArray], vectors: Sequence[pa.StructArray]) -> set[FileKey]:
    names = [name for piece in paths for name in piece.to_pylist()]
    if all(piece.null_count == len(piece) for piece in vectors) and _are_plainly_spelt(paths):
        return {(name, None) for name in names}
    ids = (_vector_id(vector) for piece in vectors for vector in piece.to_pylist())
    return {(canonical_path(name), each) for name, each in zip(names, ids, strict=True)}


def _vector_id(vector: dict[str, Any] | None) -> str | None:
    if vector is None:
        return None
    return deletion_vector_id(vector["storageType"], vector["pathOrInlineDv"], vector["offset"])


def _rows_of(files: pa.Table, keys: set[FileKey], *, plainly_spelt: bool) -> npt.NDArray[np.int64]:
    """The rows of `files` with one of these keys, ascending."""
    found: list[int] = []
    names = from_texts(sorted({path for path, _ in keys}))
    start = 0
    # Asked for the whole column at once: the set of names is built anew for every call.
    found_by_name = pc.is_in(files.column("path"), names)
    named = np.concatenate([np.empty(0, np.bool_), *(flags_of(chunk) for chunk in found_by_name.chunks)])
    for batch in files.select(["path", "deletionVector"]).to_batches():
        paths, vectors = batch.columns
        mask = named[start : start + batch.num_rows]
        if not plainly_spelt:
            mask[rows_with_odd_paths(paths)] = True
        found.extend(
            start + row
            for row in np.flatnonzero(mask).tolist()
            if (canonical_path(paths[row].as_py()), _vector_id(vectors[row].as_py())) in keys
        )
        start += batch.num_rows
    return np.array(found, np.int64)


def _are_plainly_spelt(paths: Sequence[pa.StringArray]) -> bool:
    return not any(len(rows_with_odd_paths(piece)) for piece in paths)


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
