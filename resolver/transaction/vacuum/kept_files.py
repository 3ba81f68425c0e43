"""Which files in a table's folder a VACUUM leaves alone because the table or a retained version needs them.

A name is kept in every spelling that some writer may have meant by it. To keep a file too many costs its bytes; to
delete one too many costs rows.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Iterable, Iterator

import pyarrow as pa
import pyarrow.compute as pc

from deltaresolver.log.columnar.file_rows import add_from_row, iterate_rows, remove_from_row
from deltaresolver.log.deletion_vectors import relative_path
from deltaresolver.log.snapshot import Snapshot
from deltaresolver.model.actions import DeletionVector
from deltaresolver.model.file_key import canonical_path, decoded


def kept_paths(snapshot: Snapshot, cutoff_ms: int) -> set[str]:
    """Data files and deletion vectors of the live files, and of those removed at or after the cut-off.

    In the spelling of `as_compared`.
    """
    live, tombstones = snapshot.files(), snapshot.tombstones()
    removed_at = pc.fill_null(tombstones.column("deletionTimestamp"), 0)
    recent = tombstones.filter(pc.greater_equal(removed_at, cutoff_ms))
    paths = (path for files in (live, recent) for path in files.column("path").to_pylist())
    kept = {each for path in paths for each in spellings(path)}
    for vector in _vectors(live, recent):
        kept.update(vector_spellings(vector))
    return kept


def spellings(logged_path: str) -> Iterator[str]:
    """The paths inside the table that a path in the log may mean.

    An absolute path may lead into the table under another name of its root (another scheme, a link), so every file
    whose path it ends in counts.
    """
    for path in {logged_path, canonical_path(logged_path)}:
        for each in {path, decoded(path)}:
            text = as_compared(each.removeprefix("./"))
            yield text
            if ":/" in text or text.startswith("/"):
                yield from _endings(text)


def vector_spellings(vector: DeletionVector) -> Iterable[str]:
    """The same for the file of a deletion vector; nothing for one that lies in the log."""
    if vector.storage_type == "u":
        return spellings(relative_path(vector))
    return spellings(vector.path_or_inline) if vector.storage_type == "p" else ()


def as_compared(path: str) -> str:
    """A path as paths are compared: file systems differ in how they compose letters and accents."""
    return path if path.isascii() else unicodedata.normalize("NFC", path)


def _endings(path: str) -> Iterator[str]:
    position = path.find("/")
    while position >= 0:
        yield path[position + 1 :]
        position = path.find("/", position + 1)


def _vectors(live: pa.Table, recent: pa.Table) -> Iterator[DeletionVector]:
    for files, from_row in ((live, add_from_row), (recent, remove_from_row)):
        marked = files.filter(pc.is_valid(files.column("deletionVector").combine_chunks()))
        for row in iterate_rows(marked):
            vector = from_row(row).deletion_vector
            if vector is not None:
                yield vector
