"""A store that answers from memory for files that were read already."""

from __future__ import annotations

from collections.abc import Mapping

from deltaresolver.audit.scan.observed_store import ObservedStore
from deltaresolver.log.storage.log_store import LogStore


class HeldStore(ObservedStore):
    """Another store, read only; `held` has the bytes of files that never change, by path."""

    def __init__(self, inner: LogStore, held: Mapping[str, bytes]) -> None:
        super().__init__(inner)
        self._held = held
        self.opened = {}

    def read(self, path: str) -> bytes:
        """The whole file. Raises `StoredFileMissingError`."""
        found = self._held.get(path)
        return self.inner.read(path) if found is None else found

    def read_range(self, path: str, start: int, length: int) -> bytes:
        """Part of a file. Raises `StoredFileMissingError`."""
        found = self._held.get(path)
        if found is None:
            return self.inner.read_range(path, start, length)
        first = start if start >= 0 else max(len(found) + start, 0)
        return found[first : first + length]

    def read_into(self, path: str, target: memoryview) -> int:
        """The file's first bytes. Raises `StoredFileMissingError`."""
        return super().read_into(path, target) if path in self._held else self.inner.read_into(path, target)
