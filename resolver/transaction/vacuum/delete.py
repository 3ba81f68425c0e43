"""The one place where VACUUM deletes: every path is inside the table, and no link is followed."""
# Plain calls of the operating system, because which of them follow links is what matters here.
# ruff: noqa: PTH106, PTH108

from __future__ import annotations

import contextlib
import os
import stat
from collections.abc import Callable, Iterable, Sequence
from concurrent.futures import ThreadPoolExecutor

import attrs

from deltaresolver.log.storage.local_errors import from_os_error
from deltaresolver.log.storage.local_store import LocalStore
from deltaresolver.log.storage.log_store import LogStore, StoredFile
from deltaresolver.log.storage.store_path import ensure_names_file

REQUESTS_AT_A_TIME = 16
"""To an object store, where a deletion is mostly waiting."""


@attrs.frozen(slots=True)
class Deleted:
    """What was deleted."""

    files: int = 0
    folders: int = 0


def delete_expired(
    store: LogStore,
    files: Sequence[StoredFile],
    empty_folders: Sequence[StoredFile],
    cutoff_ms: int,
    each: Callable[[Iterable[object]], Iterable[object]] = iter,
) -> Deleted:
    """Delete files, and folders that are still empty. What is gone already is not counted.

    A local file that was written again since it was listed stays, and so does what a link leads to now. `each` passes
    on what came of each file, and may count them. Raises `LocationInvalidError` for a path that leaves the table, and
    `LogError` kinds.
    """
    for file in (*files, *empty_folders):
        ensure_names_file(file.path)
    if isinstance(store, LocalStore):
        root = store.location
        count = sum(map(bool, each(_delete_file(root, file.path, cutoff_ms) for file in files)))
        return Deleted(count, sum(_delete_folder(root, folder.path) for folder in empty_folders))
    with ThreadPoolExecutor(REQUESTS_AT_A_TIME) as pool:
        return Deleted(sum(1 for _ in each(pool.map(store.delete, [file.path for file in files]))))


def _delete_file(root: str, path: str, cutoff_ms: int) -> bool:
    full = f"{root}/{path}"
    try:
        found = os.lstat(full)
        is_old = found.st_mtime_ns // 1_000_000 < cutoff_ms
        if not is_old or not stat.S_ISREG(found.st_mode) or _leads_elsewhere(root, path):
            return False
        os.unlink(full)
    except FileNotFoundError:
        return False
    except OSError as error:
        raise from_os_error(error, "delete", full) from error
    folder, _, name = full.rpartition("/")
    with contextlib.suppress(OSError):
        os.unlink(f"{folder}/.{name}.crc")  # Hadoop's checksum of the file, which is of no use without it
    return True


def _delete_folder(root: str, path: str) -> bool:
    if _leads_elsewhere(root, path):
        return False
    try:
        os.rmdir(f"{root}/{path}")
    except OSError:
        return False  # somebody has written into it, or removed it
    return True


def _leads_elsewhere(root: str, path: str) -> bool:
    """Whether a folder on the way to the path is a link."""
    folder = path.rpartition("/")[0]
    return bool(folder) and os.path.realpath(f"{root}/{folder}") != f"{os.path.realpath(root)}/{folder}"
