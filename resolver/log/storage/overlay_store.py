"""A store that only pretends to write: what is put stays in memory, over a store that is never changed."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator

from deltaresolver.errors import StoredFileExistsError, StoredFileMissingError
from deltaresolver.log.snapshot import milliseconds_now
from deltaresolver.log.storage.log_store import LogStore, StoredFile
from deltaresolver.log.storage.memory_store import MemoryStore


class OverlayStore(LogStore):
    """What `beneath` holds, with later puts and deletions seen through this object alone. For dry runs."""

    def __init__(self, beneath: LogStore, *, clock_ms: Callable[[], int] = milliseconds_now) -> None:
        self._beneath = beneath
        self._above = MemoryStore(clock_ms=clock_ms)
        self._hidden: set[str] = set()
        self._lock = threading.Lock()

    @property
    def location(self) -> str:
        """That of the store beneath."""
        return self._beneath.location

    def __repr__(self) -> str:
        return f"OverlayStore({self._beneath!r})"

    @property
    def is_nearby(self) -> bool:
        """As the store beneath."""
        return self._beneath.is_nearby

    def list_from(self, path: str) -> Iterator[StoredFile]:
        """The files of both, in order."""
        above = {file.path: file for file in self._above.list_from(path)}
        beneath = (file for file in self._beneath.list_from(path) if file.path not in self._hidden)
        return iter(sorted({**{file.path: file for file in beneath}, **above}.values()))

    def read(self, path: str) -> bytes:
        """The whole file. Raises `StoredFileMissingError`."""
        return self._holder(path).read(path)

    def read_range(self, path: str, start: int, length: int) -> bytes:
        """Bytes from `start`, as far as there are any. Raises `StoredFileMissingError`."""
        return self._holder(path).read_range(path, start, length)

    def _holder(self, path: str) -> LogStore:
        return self._above if self._is_above(path) or path in self._hidden else self._beneath

    def _is_above(self, path: str) -> bool:
        try:
            self._above.read_range(path, 0, 0)
        except StoredFileMissingError:
            return False
        return True

    def put_if_absent(self, path: str, data: bytes) -> None:
        """Create the file in memory. Raises `StoredFileExistsError`."""
        with self._lock:
            if path not in self._hidden and self._exists_beneath(path):
                raise StoredFileExistsError(
                    f"{self.location}/{path} exists already.",
                    fix="Read the file that is there, then try the next name.",
                    details={"path": path, "location": self.location},
                )
            self._above.put_if_absent(path, data)

    def _exists_beneath(self, path: str) -> bool:
        return next((file.path == path for file in self._beneath.list_from(path)), False)

    def put(self, path: str, data: bytes) -> None:
        """Create or replace the file in memory."""
        self._above.put(path, data)

    def delete(self, path: str) -> None:
        """Hide the file; a missing one is fine."""
        with self._lock:
            self._hidden.add(path)
            self._above.delete(path)
