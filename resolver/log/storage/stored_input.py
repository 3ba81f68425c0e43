"""A stored file as a seekable stream, so that Parquet readers fetch only the parts they need."""

from __future__ import annotations

import io
from typing import Any

from deltaresolver.log.storage.log_store import LogStore


class StoredInput(io.RawIOBase):
    """Reads `size` bytes at `path` by ranges. Raises `StoredFileMissingError` on the first read of a missing file."""

    def __init__(self, store: LogStore, path: str, size: int) -> None:
        self._store = store
        self._path = path
        self._size = size
        self._position = 0

    def readable(self) -> bool:
        """Always."""
        return True

    def seekable(self) -> bool:
        """Always."""
        return True

    def tell(self) -> int:
        """The position of the next read."""
        return self._position

    def seek(self, offset: int, whence: int = io.SEEK_SET) -> int:
        """Move the position of the next read."""
        origin = {io.SEEK_SET: 0, io.SEEK_CUR: self._position, io.SEEK_END: self._size}[whence]
        self._position = max(0, origin + offset)
        return self._position

    def read(self, size: int = -1) -> bytes:
        """Up to `size` bytes, fewer only at the end."""
        left = self._size - self._position
        length = left if size < 0 else min(size, left)
        if length <= 0:
            return b""
        data = self._store.read_range(self._path, self._position, length)
        self._position += len(data)
        return data

    def readinto(self, buffer: Any) -> int:
        """Fill `buffer` as far as there are bytes."""
        data = self.read(len(buffer))
        buffer[: len(data)] = data
        return len(data)
