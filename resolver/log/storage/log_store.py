"""Where a table's bytes live: one small interface, the same for every kind of storage.

A store is rooted at the table. Paths are relative to that root, with forward slashes, and as stored
(not URL-decoded): `_delta_log/00000000000000000000.json`.
"""

from __future__ import annotations

import abc
from collections.abc import Iterator
from typing import Any

import msgspec

from deltaresolver.errors import StorageUnsupportedError, StoredFileMissingError


class StoredFile(msgspec.Struct, frozen=True, order=True, gc=False):
    """One file in a store."""

    path: str
    size: int
    modified_ms: int
    """Last modification, milliseconds since the epoch."""


class LogStore(abc.ABC):
    """Bytes in, bytes out. Implementations add no meaning of their own."""

    opened: dict[str, Any] | None = None
    """Files that readers keep open between two looks, by path; None in a store that outlives one reading of a log."""

    @property
    @abc.abstractmethod
    def location(self) -> str:
        """The table's root as a user would write it, for messages."""

    @property
    def is_nearby(self) -> bool:
        """Whether reading is work and no waiting, so that nothing is won by many reads at a time."""
        return False

    @abc.abstractmethod
    def list_from(self, path: str) -> Iterator[StoredFile]:
        """The files in `path`'s folder whose path sorts at or after `path`, in order. A missing folder is empty.

        Not recursive. Sees every file that was put before the call started, and any of those put meanwhile: perhaps
        a later one and not an earlier.
        """

    def list_below(self, path: str) -> Iterator[StoredFile]:
        """Every file below the folder `path` (with its slash; empty for the root), however deep, in any order.

        Raises `StorageUnsupportedError` where there is no such listing.
        """
        raise StorageUnsupportedError(
            f"Files below {path or 'the root'!r} cannot be listed in {self.location}.",
            fix="Use a local path or an object store.",
            details={"location": self.location, "path": path},
        )

    def names_in(self, folder: str) -> list[str] | None:
        """The names of the files right in `folder`, in any order, where names alone cost less than a listing.

        None elsewhere. Sees what `list_from` sees.
        """
        return None

    def look_up(self, path: str) -> StoredFile:
        """Size and time of one file. Raises `StoredFileMissingError`."""
        found = next(self.list_from(path), None)
        if found is None or found.path != path:
            raise missing_file(self.location, path)
        return found

    @abc.abstractmethod
    def read(self, path: str) -> bytes:
        """The whole file. Raises `StoredFileMissingError`."""

    def read_into(self, path: str, target: memoryview) -> int:
        """Fill `target` with the file's first bytes, as far as there are any; how many there were.

        Raises `StoredFileMissingError`.
        """
        data = self.read_range(path, 0, len(target))
        # An Arrow buffer shows its memory as signed bytes, which takes no others.
        target.cast("B")[: len(data)] = data
        return len(data)

    def find(self, path: str) -> bytes | None:
        """The whole file, or None where there is none: for files that are often not there."""
        try:
            return self.read(path)
        except StoredFileMissingError:
            return None

    @abc.abstractmethod
    def read_range(self, path: str, start: int, length: int) -> bytes:
        """`length` bytes from `start`; a negative `start` counts from the end. Raises `StoredFileMissingError`."""

    @abc.abstractmethod
    def put_if_absent(self, path: str, data: bytes) -> None:
        """Create the file whole and durable, or not at all.

        Exactly one of several racing calls succeeds; the others raise `StoredFileExistsError`. Raises
        `PutOutcomeUnknownError` when the file may or may not have been created (a lost reply).
        """

    @abc.abstractmethod
    def put(self, path: str, data: bytes) -> None:
        """Create or replace the file; readers see the old bytes or the new, never a mixture."""

    @abc.abstractmethod
    def delete(self, path: str) -> None:
        """Remove the file; a missing one is fine. Raises `LinkedFolderError`."""

    def is_linked(self, folder: str) -> bool:
        """Whether a link inside the table leads to the folder: then nothing in it is deleted."""
        return False


def missing_file(location: str, path: str) -> StoredFileMissingError:
    """What reading a file that is not there raises."""
    return StoredFileMissingError(
        f"{location}/{path} does not exist.",
        fix="Check the table's location, or whether the file was cleaned up.",
        details={"path": path, "location": location},
    )
