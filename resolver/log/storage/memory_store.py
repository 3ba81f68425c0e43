"""A table in this process's memory, for tests and dry runs."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterator

from deltaresolver.errors import StoredFileExistsError
from deltaresolver.log.storage.log_store import LogStore, StoredFile, missing_file
from deltaresolver.log.storage.store_path import ensure_names_file, split_path


def _wall_clock_ms() -> int:
    return time.time_ns() // 1_000_000


class MemoryStore(LogStore):
    """Files in a dictionary, safe for threads; `clock_ms` decides what `modified_ms` a put gets."""

    def __init__(self, name: str = "table", *, clock_ms: Callable[[], int] = _wall_clock_ms) -> None:
        self._name = name
        self._clock_ms = clock_ms
        self._files: dict[str, tuple[bytes, int]] = {}
        self._lock = threading.Lock()

    @property
    def location(self) -> str:
        """`memory:` and the name given; nothing that could be opened again."""
        return f"memory:{self._name}"

    def __repr__(self) -> str:
        return f"MemoryStore({self._name!r})"

    @property
    def is_nearby(self) -> bool:
        """Always."""
        return True

    def list_from(self, path: str) -> Iterator[StoredFile]:
        """The files in `path`'s folder from `path` on, as they are at this moment."""
        folder, _ = split_path(path)
        start = len(folder) + 1 if folder else 0
        with self._lock:
            found = [
                StoredFile(key, len(data), modified_ms)
                for key, (data, modified_ms) in self._files.items()
                if key >= path and key.startswith(folder and f"{folder}/") and "/" not in key[start:]
            ]
        return iter(sorted(found))

    def list_below(self, path: str) -> Iterator[StoredFile]:
        """Every file below the folder `path`, as they are at this moment."""
        with self._lock:
            found = [StoredFile(key, len(data), at) for key, (data, at) in self._files.items() if key.startswith(path)]
        return iter(sorted(found))

    def read(self, path: str) -> bytes:
        """The whole file. Raises `StoredFileMissingError`."""
        ensure_names_file(path)
        with self._lock:
            if path in self._files:
                return self._files[path][0]
        raise missing_file(self.location, path)

    def read_range(self, path: str, start: int, length: int) -> bytes:
        """Bytes from `start`, as far as there are any. Raises `StoredFileMissingError`."""
        data = self.read(path)
        begin = max(len(data) + start, 0) if start < 0 else start
        return data[begin : begin + max(length, 0)]

    def put_if_absent(self, path: str, data: bytes) -> None:
        """Create the file. Raises `StoredFileExistsError`."""
        ensure_names_file(path)
        with self._lock:
            if path not in self._files:
                self._files[path] = (bytes(data), self._clock_ms())
                return
        raise StoredFileExistsError(
            f"{self.location}/{path} exists already.",
            fix="Read the file that is there, then try the next name.",
            details={"path": path, "location": self.location},
        )

    def put(self, path: str, data: bytes) -> None:
        """Create or replace the file."""
        ensure_names_file(path)
        with self._lock:
            self._files[path] = (bytes(data), self._clock_ms())

    def delete(self, path: str) -> None:
        """Remove the file; a missing one is fine."""
        ensure_names_file(path)
        with self._lock:
            self._files.pop(path, None)
