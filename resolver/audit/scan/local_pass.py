"""One pass over the log folder of a local table: each file is looked up once, and commits are read at the same time.

For a small log, calls of the operating system are a large part of the cost, so none is made twice.
"""
# Plain calls of the operating system, to control how many there are.
# ruff: noqa: PTH208

from __future__ import annotations

import os
import stat
from bisect import bisect_left
from collections.abc import Iterator, Mapping, Sequence

import attrs

from deltaresolver.audit.scan.commit_search import CommitSearch
from deltaresolver.log.listing import LogFiles, list_log
from deltaresolver.log.names import LAST_CHECKPOINT, LOG_FOLDER
from deltaresolver.log.segment import CommitFile
from deltaresolver.log.storage.local_errors import from_os_error
from deltaresolver.log.storage.local_store import LocalStore
from deltaresolver.log.storage.log_store import StoredFile

_FOLDER = os.O_RDONLY | os.O_DIRECTORY
# Not blocking: a pipe with the name of a commit must not stop the audit.
_READ = os.O_RDONLY | os.O_NONBLOCK
_COMMIT_LENGTH = len("00000000000000000000.json")
_HINT = LAST_CHECKPOINT.rpartition("/")[2]
_FIRST_NAME = f"{0:020}."
_LOG_PREFIX = f"{LOG_FOLDER}/"
_PIECE = 1 << 20


@attrs.frozen(slots=True)
class LocalLog:
    """The files that one pass over a folder found; `others` are those that are not commits."""

    files: LogFiles
    others: Sequence[StoredFile]
    shortcuts: Mapping[str, bytes] = attrs.field(factory=dict)
    """`_last_checkpoint` and the newest version's checksum, by path."""


def pass_over(store: LocalStore, search: CommitSearch, newest: int) -> LocalLog:
    """List the log and search its last `newest` commits; a commit that cannot be read is only listed.

    Raises what the store raises when it cannot list.
    """
    directory = f"{store.location}/{LOG_FOLDER}"
    try:
        folder = os.open(directory, _FOLDER)
    except FileNotFoundError:
        return LocalLog(LogFiles((), (), (), {}), ())
    except OSError as error:
        raise from_os_error(error, "list", directory) from error
    try:
        names = os.listdir(folder)
        names.sort()
        found: list[str] = []
        rest: list[str] = []
        for name in names[bisect_left(names, _FIRST_NAME) :]:
            (found if _is_commit(name) else rest).append(name)
        commits = list(_pass_commits(folder, found, search, newest))
        shortcuts: dict[str, bytes] = {}
        others = list(_look_up_all(folder, rest, shortcuts, found[-1][:20] if found else ""))
    finally:
        os.close(folder)
    if not others:
        return LocalLog(LogFiles(tuple(commits), (), (), {}), ())
    files = list_log(_Listed(store.location, others))
    all_files = LogFiles(tuple(commits), files.compactions, files.checkpoints, files.checksums)
    return LocalLog(all_files, others, shortcuts)


def _is_commit(name: str) -> bool:
    return len(name) == _COMMIT_LENGTH and name[20:] == ".json" and name[:20].isdecimal() and name.isascii()


def _pass_commits(folder: int, names: Sequence[str], search: CommitSearch, newest: int) -> Iterator[CommitFile]:
    """Every commit of the listing, in order; the last ones are also searched."""
    unread = len(names) - newest
    for place, name in enumerate(names):
        found, data = (_look_up(folder, name), None) if place < unread else _read(folder, name)
        if found is None or not stat.S_ISREG(found.st_mode):
            continue
        table_version = int(name[:20])
        modified_ms = found.st_mtime_ns // 1_000_000
        file = CommitFile(_LOG_PREFIX + name, found.st_size, modified_ms, table_version, table_version)
        if data is not None:
            search.look(file, data)
        yield file


def _look_up_all(folder: int, names: Sequence[str], shortcuts: dict[str, bytes], newest: str) -> Iterator[StoredFile]:
    """Every file that is still there; the files that readers use as shortcuts to version `newest` are also read."""
    wanted = (_HINT, f"{newest}.crc")
    for name in names:
        if name in wanted:
            found, data = _read(folder, name)
            if data is not None:
                shortcuts[_LOG_PREFIX + name] = data
        else:
            found = _look_up(folder, name)
        if found is not None and stat.S_ISREG(found.st_mode):
            yield StoredFile(_LOG_PREFIX + name, found.st_size, found.st_mtime_ns // 1_000_000)


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
        size = found.st_size
        # One byte more than the size: a shorter answer means that this was the whole file.
        data = os.read(descriptor, size + 1) if stat.S_ISREG(found.st_mode) else None
        return found, data if data is None or len(data) == size else _whole(descriptor, data)
    except OSError:
        return found, None
    finally:
        os.close(descriptor)


def _whole(descriptor: int, data: bytes) -> bytes:
    """The file to its end, where it has grown since its size was read or comes in several pieces."""
    pieces = [data]
    while pieces[-1]:
        pieces.append(os.read(descriptor, _PIECE))
    return b"".join(pieces)


class _Listed(LocalStore):
    """A store that returns the one listing that was made already."""

    def __init__(self, root: str, files: Sequence[StoredFile]) -> None:
        super().__init__(root)
        self._files = files

    def list_from(self, path: str) -> Iterator[StoredFile]:
        """All files of the one listing."""
        del path
        return iter(self._files)
