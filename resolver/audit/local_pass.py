"""One pass over the log folder of a local table: each file is looked up once, and commits are read on the way.

Small logs cost as many calls of the operating system as anything else does, so none is made twice.
"""
# Plain calls of the operating system, because how many there are is the point.
# ruff: noqa: PTH208

from __future__ import annotations

import os
import stat
from collections.abc import Iterator

from deltaresolver.log.names import LOG_FOLDER
from deltaresolver.log.storage.local_errors import from_os_error
from deltaresolver.log.storage.log_store import StoredFile

_FOLDER = os.O_RDONLY | os.O_DIRECTORY
# Not blocking: a pipe by the name of a commit must not hold up the audit.
_READ = os.O_RDONLY | os.O_NONBLOCK
_COMMIT_LENGTH = len("00000000000000000000.json")


def pass_over(location: str, first_name: str, newest: int) -> Iterator[tuple[StoredFile, bytes | None]]:
    """The files of the log from `first_name` on, in order, with the bytes of its `newest` last commits.

    A commit that cannot be read comes without its bytes. Raises what a `LocalStore` raises that cannot list.
    """
    directory = f"{location}/{LOG_FOLDER}"
    try:
        folder = os.open(directory, _FOLDER)
    except FileNotFoundError:
        return
    except OSError as error:
        raise from_os_error(error, "list", directory) from error
    try:
        names = sorted(name for name in os.listdir(folder) if name >= first_name)
        commits = [name for name in names if len(name) == _COMMIT_LENGTH and name.endswith(".json")]
        wanted = frozenset(commits[-newest:]) if newest else frozenset()
        for name in names:
            found, data = _read(folder, name) if name in wanted else (_look_up(folder, name), None)
            if found is not None and stat.S_ISREG(found.st_mode):
                yield StoredFile(f"{LOG_FOLDER}/{name}", found.st_size, found.st_mtime_ns // 1_000_000), data
    finally:
        os.close(folder)


def _look_up(folder: int, name: str) -> os.stat_result | None:
    """None for a file that was deleted since the folder was listed, and for a dangling link."""
    try:
        return os.stat(name, dir_fd=folder)
    except FileNotFoundError:
        return None
    except OSError as error:
        raise from_os_error(error, "look up", name) from error


def _read(folder: int, name: str) -> tuple[os.stat_result | None, bytes | None]:
    try:
        descriptor = os.open(name, _READ, dir_fd=folder)
    except OSError:
        return _look_up(folder, name), None
    found = os.fstat(descriptor)
    try:
        return found, _whole(descriptor, found.st_size) if stat.S_ISREG(found.st_mode) else None
    except OSError:
        return found, None
    finally:
        os.close(descriptor)


def _whole(descriptor: int, size: int) -> bytes:
    data = os.read(descriptor, size + 1)
    if len(data) == size:
        return data
    pieces = [data]
    while pieces[-1]:
        pieces.append(os.read(descriptor, max(size, 1)))
    return b"".join(pieces)
