"""A store that remembers what one listing of the log showed, so that nothing is listed twice."""

from __future__ import annotations

from collections.abc import Iterator

from deltaresolver.log.storage.log_store import LogStore, StoredFile


class ObservedStore(LogStore):
    """Another store, for reading only; `seen` holds every file that its listings have shown."""

    def __init__(self, inner: LogStore) -> None:
        self.inner = inner
        self.seen: list[StoredFile] = []

    @property
    def location(self) -> str:
        """The table's root, as the other store has it."""
        return self.inner.location

    @property
    def is_nearby(self) -> bool:
        """As the other store."""
        return self.inner.is_nearby

    def list_from(self, path: str) -> Iterator[StoredFile]:
        """The other store's listing, remembered as it goes by."""
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
