"""A store in which a table's log stands still, and what is committed to it stays in memory.

Data files are those of the store itself: they are read, written and deleted there. So statements can follow one another
on a table, and nobody sees any of them.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from deltaresolver.errors import StoredFileExistsError, StoredFileMissingError
from deltaresolver.log.names import LOG_FOLDER
from deltaresolver.log.storage.local_store import LocalStore
from deltaresolver.log.storage.log_store import LogStore, StoredFile, missing_file
from deltaresolver.log.storage.memory_store import MemoryStore
from deltaresolver.log.storage.object_store import ObjectStore
from deltaresolver.log.storage.store_path import split_path


class StagedLog(LogStore):
    """The part of a store that holds the log's own folder: as it was at first, and what was put since then."""

    _beneath: LogStore
    _before: dict[str, StoredFile]
    _above: MemoryStore

    def _begin(self, beneath: LogStore) -> None:
        self.__dict__.update(beneath.__dict__)
        self._beneath = beneath
        self._before = {file.path: file for file in beneath.list_from(f"{LOG_FOLDER}/")}
        self._above = MemoryStore()

    def __reduce__(self) -> tuple[Any, ...]:
        # Other processes read data files only.
        return _itself, (self._beneath,)

    def list_from(self, path: str) -> Iterator[StoredFile]:
        """As of the store; the log's folder as it was at first, with what was put."""
        if split_path(path)[0] != LOG_FOLDER:
            return self._beneath.list_from(path)
        before = {name: file for name, file in self._before.items() if name >= path}
        return iter(sorted({**before, **{file.path: file for file in self._above.list_from(path)}}.values()))

    def names_in(self, folder: str) -> list[str] | None:
        """As of the store; of the log's folder nothing, so that it is listed."""
        return None if folder == LOG_FOLDER else self._beneath.names_in(folder)

    def look_up(self, path: str) -> StoredFile:
        """Size and time of one file. Raises `StoredFileMissingError`."""
        return LogStore.look_up(self, path) if _is_in_log(path) else self._beneath.look_up(path)

    def read(self, path: str) -> bytes:
        """The whole file. Raises `StoredFileMissingError`."""
        return self._holder(path).read(path)

    def read_into(self, path: str, target: memoryview) -> int:
        """Fill `target` with the file's first bytes. Raises `StoredFileMissingError`."""
        return self._holder(path).read_into(path, target)

    def find(self, path: str) -> bytes | None:
        """The whole file, or None where there is none."""
        try:
            return self._holder(path).find(path)
        except StoredFileMissingError:
            return None

    def read_range(self, path: str, start: int, length: int) -> bytes:
        """`length` bytes from `start`. Raises `StoredFileMissingError`."""
        return self._holder(path).read_range(path, start, length)

    def put_if_absent(self, path: str, data: bytes) -> None:
        """Create the file; in memory in the log's folder. Raises `StoredFileExistsError`."""
        if not _is_in_log(path):
            self._beneath.put_if_absent(path, data)
            return
        if path in self._before:
            raise StoredFileExistsError(
                f"{self.location}/{path} exists already.",
                fix="Read the file that is there, then try the next name.",
                details={"path": path, "location": self.location},
            )
        self._above.put_if_absent(path, data)

    def put(self, path: str, data: bytes) -> None:
        """Create or replace the file; in memory in the log's folder."""
        (self._above if _is_in_log(path) else self._beneath).put(path, data)

    def delete(self, path: str) -> None:
        """Remove the file; the log's own files stay."""
        (self._above if _is_in_log(path) else self._beneath).delete(path)

    def is_linked(self, folder: str) -> bool:
        """Whether a link leads to the folder in the store beneath."""
        return self._beneath.is_linked(folder)

    def _holder(self, path: str) -> LogStore:
        if not _is_in_log(path):
            return self._beneath
        if next((file.path == path for file in self._above.list_from(path)), False):
            return self._above
        if path not in self._before:
            raise missing_file(self.location, path)
        return self._beneath


class StagedLocalStore(StagedLog, LocalStore):
    """Over files under one folder."""

    def __init__(self, beneath: LocalStore) -> None:
        self._begin(beneath)


class StagedObjectStore(StagedLog, ObjectStore):
    """Over objects."""

    def __init__(self, beneath: ObjectStore) -> None:
        self._begin(beneath)


def staged_over(store: LogStore) -> StagedLog:
    """A staged log over the store, which must be local or an object store."""
    if isinstance(store, ObjectStore):
        return StagedObjectStore(store)
    assert isinstance(store, LocalStore), "locations are local or of object stores"
    return StagedLocalStore(store)


def _is_in_log(path: str) -> bool:
    return path.rpartition("/")[0] == LOG_FOLDER


def _itself(store: LogStore) -> LogStore:
    return store
