"""An inventory for VACUUM: a list of what lies in storage that somebody else has made, instead of a listing.

It may be old, of another place, or wrong. It only names what is looked at: whether a file is there, and how old it is,
is asked of the storage before the file is deleted.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor

import pyarrow as pa

from deltaresolver.errors import ArgumentInvalidError, StoredFileMissingError
from deltaresolver.log.names import LOG_FOLDER
from deltaresolver.log.storage.local_store import LocalStore
from deltaresolver.log.storage.log_store import LogStore, StoredFile
from deltaresolver.transaction.vacuum.contents import FolderContents, IsHidden
from deltaresolver.transaction.vacuum.delete import REQUESTS_AT_A_TIME

PATH, LENGTH, IS_FOLDER, MODIFIED = "path", "length", "isDir", "modificationTime"
COLUMNS = {PATH: pa.string(), LENGTH: pa.int64(), IS_FOLDER: pa.bool_(), MODIFIED: pa.int64()}
_SHOWN = "path string, length bigint, isDir boolean, modificationTime bigint"
_SAME_SCHEMES = {"s3a": "s3", "s3n": "s3", "abfss": "abfs", "wasbs": "wasb"}


def ensure_inventory(found: pa.Schema, place: str) -> None:
    """Raises `ArgumentInvalidError` unless the four columns are there, with their types; others may be."""
    wrong = [
        name for name, kind in COLUMNS.items() if name not in found.names or not _is_same(found.field(name).type, kind)
    ]
    if wrong:
        raise ArgumentInvalidError(
            "The schema for the specified INVENTORY does not contain all of the required fields. Required fields are: "
            f"{_SHOWN}. Missing or of another type for {place}: {', '.join(wrong)}.",
            fix=f"Select {_SHOWN}: the full path, the size in bytes, and milliseconds since 1970.",
            details={"argument": "inventory", "wrong": wrong, "found": [str(field) for field in found]},
            delta_class="DeltaAnalysisException",
            delta_condition="DELTA_INVALID_INVENTORY_SCHEMA",
        )


def _is_same(found: pa.DataType, wanted: pa.DataType) -> bool:
    return bool(found == wanted or (wanted == pa.string() and pa.types.is_large_string(found)))


def roots_of(store: LogStore) -> tuple[str, ...]:
    """How full paths of files in the table may begin, in an inventory."""
    root = store.location.rstrip("/")
    if isinstance(store, LocalStore):
        roots = {root, os.path.realpath(root)}
        return tuple(f"{scheme}{each}/" for each in sorted(roots) for scheme in ("", "file:", "file://"))
    scheme, separator, rest = root.partition("://")
    same = {scheme, *(each for each, known in _SAME_SCHEMES.items() if known == _SAME_SCHEMES.get(scheme, scheme))}
    return tuple(f"{each}{separator}{rest}/" for each in sorted({*same, _SAME_SCHEMES.get(scheme, scheme)}))


def inventory_contents(store: LogStore, inventory: pa.Table, is_hidden: IsHidden) -> FolderContents:
    """What the inventory names inside the table, by paths inside it. Raises `ArgumentInvalidError`.

    The newest of several rows for one file counts. Files of other tables inside the folder are left out. Folders are
    counted, and never deleted.
    """
    ensure_inventory(inventory.schema, store.location)
    roots, found, folders = roots_of(store), dict[str, StoredFile](), 1
    for row in inventory.select(list(COLUMNS)).to_pylist():
        path = _inside(row[PATH] or "", roots)
        if path is None or row[MODIFIED] is None or any(map(is_hidden, path.split("/"))):
            continue
        if row[IS_FOLDER]:
            folders += 1
        elif path not in found or found[path].modified_ms < row[MODIFIED]:
            found[path] = StoredFile(path, row[LENGTH] or 0, row[MODIFIED])
    others = frozenset(_other_tables(store, found))
    own = tuple(file for file in found.values() if not others.intersection(_folders_of(file.path)))
    return FolderContents(own, folders=folders, other_tables=tuple(sorted(others)))


def looked_up(store: LogStore, files: Iterable[StoredFile]) -> tuple[StoredFile, ...]:
    """The files that are there, with the size and time that the storage gives; none behind a link."""

    def look(file: StoredFile) -> StoredFile | None:
        try:
            return None if store.is_linked(file.path) else store.look_up(file.path)
        except StoredFileMissingError:
            return None

    with ThreadPoolExecutor(REQUESTS_AT_A_TIME) as pool:
        return tuple(file for file in pool.map(look, files) if file is not None)


def _inside(path: str, roots: tuple[str, ...]) -> str | None:
    root = next((each for each in roots if path.startswith(each)), None)
    if root is None:
        return None
    inner = path[len(root) :].strip("/")
    is_plain = inner and not {"", ".", ".."}.intersection(inner.split("/"))
    return inner if is_plain and inner.split("/")[0] != LOG_FOLDER else None


def _folders_of(path: str) -> Iterator[str]:
    """The folders on the way to a file, without the table's own."""
    place = path.find("/")
    while place >= 0:
        yield path[:place]
        place = path.find("/", place + 1)


def _other_tables(store: LogStore, paths: Iterable[str]) -> Iterator[str]:
    for folder in {folder for path in paths for folder in _folders_of(path)}:
        if next(store.list_below(f"{folder}/{LOG_FOLDER}/"), None) is not None:
            yield folder
