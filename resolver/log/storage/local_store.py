"""A table on a local (or mounted) file system.

A file is first written whole and synced without a name a Delta reader would look at, then given its name in
one atomic step that cannot overwrite (`put_if_absent`) or that replaces (`put`), and at last the folder is synced.
"""
# Plain calls of the operating system, because which call comes when is what makes a file durable.
# ruff: noqa: PTH100, PTH114, PTH116, PTH118, PTH119, PTH120, PTH208

from __future__ import annotations

import contextlib
import errno
import os
import stat
import time
from collections.abc import Iterator

from deltaresolver.errors import LogError, PutOutcomeUnknownError, StoredFileExistsError
from deltaresolver.log.storage.local_errors import folder_sync_unsupported, from_os_error
from deltaresolver.log.storage.local_publish import STAGING_PREFIX, is_staging_name, publish_new, publish_over
from deltaresolver.log.storage.local_read import read_into, read_part, read_whole
from deltaresolver.log.storage.log_store import LogStore, StoredFile
from deltaresolver.log.storage.store_path import ensure_names_file, is_plainly_safe, split_path

LEFTOVER_AGE_SECONDS = 3600.0
"""Staging files older than this belong to no living writer: writing one takes moments."""


class LocalStore(LogStore):
    """Files under one folder. The folder itself need not exist before the first put."""

    def __init__(self, root: str | os.PathLike[str]) -> None:
        self._root = os.path.abspath(os.fspath(root))
        self._leftovers: set[str] = set()

    @property
    def location(self) -> str:
        """The absolute path of the table's root."""
        return self._root

    def __repr__(self) -> str:
        return f"LocalStore({self._root!r})"

    @property
    def is_nearby(self) -> bool:
        """Always."""
        return True

    def list_from(self, path: str) -> Iterator[StoredFile]:
        """The files in `path`'s folder from `path` on; sizes and times are looked up as the caller iterates."""
        folder, first = split_path(path)
        directory = f"{self._root}/{folder}" if folder else self._root
        try:
            names = self._matching(os.listdir(directory), directory, first)
        except FileNotFoundError:
            names = []
        except OSError as error:
            raise from_os_error(error, "list", directory) from error
        names.sort()
        return _with_stat(names, directory, f"{folder}/" if folder else "")

    def _matching(self, names: list[str], directory: str, first: str) -> list[str]:
        # Staging files are not files of this store: a listing that showed them would break put_if_absent's promise.
        staging = [name for name in names if name[0] == STAGING_PREFIX[0] and is_staging_name(name)]
        if not staging:
            return [name for name in names if name >= first] if first else names
        self._leftovers.update(os.path.join(directory, name) for name in staging)
        return [name for name in names if name >= first and name not in staging]

    def list_below(self, path: str) -> Iterator[StoredFile]:
        """Every file below the folder `path`, however deep, folder by folder; links are not followed."""
        split_path(path)
        for folder, _, names in os.walk(os.path.join(self._root, path)):
            below = os.path.relpath(folder, self._root).replace(os.sep, "/")
            yield from _with_stat(sorted(names), folder, "" if below == "." else f"{below}/")

    def names_in(self, folder: str) -> list[str] | None:
        """The names of the files right in `folder`; what kind a name is of comes with it, so no file is looked up."""
        directory = f"{self._root}/{folder}"
        try:
            with os.scandir(directory) as found:
                names = [entry.name for entry in found if entry.is_file()]
        except FileNotFoundError:
            return []
        except OSError as error:
            raise from_os_error(error, "list", directory) from error
        return self._matching(names, directory, "")

    def look_up(self, path: str) -> StoredFile:
        """Size and time of one file. Raises `StoredFileMissingError`."""
        full = self._full(path)
        try:
            found = os.stat(full)
        except OSError as error:
            raise from_os_error(error, "look up", full) from error
        return StoredFile(path, found.st_size, found.st_mtime_ns // 1_000_000)

    def read(self, path: str) -> bytes:
        """The whole file. Raises `StoredFileMissingError`."""
        full = self._full(path)
        try:
            return read_whole(full)
        except OSError as error:
            raise from_os_error(error, "read", full) from error

    def find(self, path: str) -> bytes | None:
        """The whole file, or None where there is none."""
        full = self._full(path)
        try:
            return read_whole(full)
        except FileNotFoundError:
            return None
        except OSError as error:
            raise from_os_error(error, "read", full) from error

    def read_range(self, path: str, start: int, length: int) -> bytes:
        """Bytes from `start`, as far as there are any. Raises `StoredFileMissingError`."""
        full = self._full(path)
        try:
            return read_part(full, start, length)
        except OSError as error:
            raise from_os_error(error, "read", full) from error

    def read_into(self, path: str, target: memoryview) -> int:
        """As `LogStore.read_into`, without memory of its own for the bytes."""
        full = self._full(path)
        try:
            return read_into(full, target)
        except OSError as error:
            raise from_os_error(error, "read", full) from error

    def put_if_absent(self, path: str, data: bytes) -> None:
        """Create the file whole and durable, or not at all; see `LogStore`."""
        self._put(path, data, replace=False)

    def put(self, path: str, data: bytes) -> None:
        """Create or replace the file, whole and durable."""
        self._put(path, data, replace=True)

    def delete(self, path: str) -> None:
        """Remove the file; a missing one is fine. Raises `LinkedFolderError` where a link leads to its folder."""
        # Here, because most commands delete nothing.
        from deltaresolver.log.storage.local_delete import linked_folder, unlink_inside  # noqa: PLC0415 - see above

        full = self._full(path)
        try:
            unlink_inside(self._root, path)
        except FileNotFoundError:
            return
        except OSError as error:
            if error.errno in (errno.ELOOP, errno.ENOTDIR) and self.is_linked(path.rpartition("/")[0]):
                raise linked_folder(full) from error
            raise from_os_error(error, "delete", full) from error

    def is_linked(self, folder: str) -> bool:
        """Whether the folder, or one above it below the root, is a link."""
        parts = folder.split("/")
        return any(os.path.islink(f"{self._root}/{'/'.join(parts[: depth + 1])}") for depth in range(len(parts)))

    def _full(self, path: str) -> str:
        if path.endswith("/") or not is_plainly_safe(path):
            ensure_names_file(path)
        return f"{self._root}/{path}"

    def _put(self, path: str, data: bytes, *, replace: bool) -> None:
        full = self._full(path)
        try:
            folder = _open_folder(os.path.dirname(full))
        except OSError as error:
            raise from_os_error(error, "create the folder of", full) from error
        try:
            _put_into(folder, full, data, replace=replace)
        finally:
            os.close(folder)
        if self._leftovers:
            self._remove_leftovers()

    def _remove_leftovers(self) -> None:
        """Drop what killed writers left. Only writers do so, and only for folders they listed anyway."""
        # The table's own file system sets the times, but its clock may differ from ours: an hour forgives that.
        oldest_kept = time.time() - LEFTOVER_AGE_SECONDS
        from deltaresolver.log.storage.local_delete import unlink_inside  # noqa: PLC0415 - as above

        leftovers, self._leftovers = self._leftovers, set()
        for leftover in tuple(leftovers):  # a copy: a listing in another thread may still add to the old set
            try:
                if os.lstat(leftover).st_mtime < oldest_kept:
                    unlink_inside(self._root, os.path.relpath(leftover, self._root))
            except OSError:
                continue


def _with_stat(names: list[str], directory: str, prefix: str) -> Iterator[StoredFile]:
    for name in names:
        try:
            found = os.stat(f"{directory}/{name}")
        except FileNotFoundError:
            continue  # deleted since the folder was read, or a dangling link
        except OSError as error:
            raise from_os_error(error, "look up", f"{directory}/{name}") from error
        if stat.S_ISREG(found.st_mode):
            yield StoredFile(prefix + name, found.st_size, found.st_mtime_ns // 1_000_000)


def _open_folder(directory: str) -> int:
    try:
        return os.open(directory, os.O_RDONLY | os.O_DIRECTORY)
    except FileNotFoundError:
        _make_folder(directory)
        return os.open(directory, os.O_RDONLY | os.O_DIRECTORY)


def _make_folder(directory: str) -> None:
    """Create the folder and its parents, each durable: a synced file is lost all the same if its folder's name is."""
    parent = os.path.dirname(directory)
    descriptor = _open_folder(parent)
    try:
        # If another writer was faster, syncing is still our duty: it may not have come to that yet.
        with contextlib.suppress(FileExistsError):
            os.mkdir(os.path.basename(directory), dir_fd=descriptor)
        _sync_folder(descriptor)
    finally:
        os.close(descriptor)


def _sync_folder(descriptor: int) -> None:
    try:
        os.fsync(descriptor)
    except OSError as error:
        if not folder_sync_unsupported(error):
            raise


def _put_into(folder: int, full: str, data: bytes, *, replace: bool) -> None:
    publish = publish_over if replace else publish_new
    try:
        publish(folder, os.path.basename(full), data)
    except FileExistsError as error:
        raise StoredFileExistsError(
            f"{full} exists already.",
            fix="Read the file that is there, then try the next name.",
            details={"path": full},
        ) from error
    except OSError as error:
        raise from_os_error(error, "write", full) from error
    try:
        _sync_folder(folder)
    except OSError as error:
        raise _unknown_outcome(full, error) from error


def _unknown_outcome(full: str, error: OSError) -> LogError:
    return PutOutcomeUnknownError(
        f"{full} was written, but syncing its folder failed ({error.strerror}), so it may not survive a power cut.",
        fix="Read the file back before trying again, and check the disk.",
        details={"path": full, "reason": error.strerror, "errno": error.errno},
    )
