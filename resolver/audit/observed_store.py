"""A store that remembers what one listing of the log showed, so that nothing is listed or read twice."""

from __future__ import annotations

from collections.abc import Iterator

from deltaresolver.audit.commit_search import CommitSearch
from deltaresolver.audit.local_pass import pass_over
from deltaresolver.log.names import LOG_FOLDER, commit_version
from deltaresolver.log.storage.local_store import LocalStore
from deltaresolver.log.storage.log_store import LogStore, StoredFile


class ObservedStore(LogStore):
    """Another store, for reading only.

    `seen` holds every file that its listings have shown. Where reading costs no more than listing, on a local disk,
    the newest `newest` commits go through `search` as they are listed.
    """

    def __init__(self, inner: LogStore, search: CommitSearch, newest: int) -> None:
        self.inner = inner
        self.search = search
        self.newest = newest
        self.seen: list[StoredFile] = []

    @property
    def location(self) -> str:
        """The table's root, as the other store has it."""
        return self.inner.location

    def list_from(self, path: str) -> Iterator[StoredFile]:
        """The other store's listing, remembered as it goes by."""
        if isinstance(self.inner, LocalStore) and path.startswith(f"{LOG_FOLDER}/"):
            yield from self._list_and_search(path.removeprefix(f"{LOG_FOLDER}/"))
            return
        for file in self.inner.list_from(path):
            self.seen.append(file)
            yield file

    def _list_and_search(self, first_name: str) -> Iterator[StoredFile]:
        for file, data in pass_over(self.inner.location, first_name, self.newest):
            self.seen.append(file)
            if data is not None:
                table_version = commit_version(file.path)
                if table_version is not None:
                    self.search.look(file, table_version, data)
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
