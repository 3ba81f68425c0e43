"""A store that remembers the files of its listings, so that nothing is listed twice."""

from __future__ import annotations

from collections.abc import Iterator

from deltaresolver.log.storage.log_store import LogStore, StoredFile


class ObservedStore(LogStore):
    """Another store, read only; `seen` holds every file that its listings have returned."""

    def __init__(self, inner: LogStore) -> None:
        self.inner = inner
        self.seen: list[StoredFile] = []

    @property
    def location(self) -> str:
        """The table's root, the same as that of the other store."""
        return self.inner.location

    @property
    def is_nearby(self) -> bool:
        """The same as for the other store."""
        return self.inner.is_nearby

    def list_from(self, path: str) -> Iterator[StoredFile]:
        """The other store's listing; each file is added to `seen`."""
        for file in self.inner.list_from(path):
            self.seen.append(file)
            yield file

    def read(self, path: str) -> bytes:
        """The whole file. Raises `StoredFileMissingError`."""
        return self.inner.read(path)

    def read_range(self, path: str, start: int, length: int) -> bytes:
        """Part of a file. Raises `StoredFileMissingError`."""
        return self.inner.read_range(path, start, length)

    def put_if_absent(self, path: str, data: bytes) -> None:
        """An audit writes nothing. Raises `NotImplementedError`."""
        raise NotImplementedError

    def put(self, path: str, data: bytes) -> None:
        """An audit writes nothing. Raises `NotImplementedError`."""
        raise NotImplementedError

    def delete(self, path: str) -> None:
        """An audit writes nothing. Raises `NotImplementedError`."""
        raise NotImplementedError
