"""Reading untrusted files on a local file system: only plain files are read, and none without a limit."""
# Plain calls of the operating system: a file object costs as much again as reading a small commit does.

from __future__ import annotations

import contextlib
import errno
import os
import stat
from collections.abc import Iterator
from typing import Final

# A pipe without a writer is opened at once, instead of when somebody begins to write.
_READ = os.O_RDONLY | getattr(os, "O_BINARY", 0) | getattr(os, "O_NONBLOCK", 0)
_SMALL = 1 << 14
"""A file shorter than this is read without asking for its size, which costs as much as reading it."""
MAX_WHOLE_BYTES: Final = 1 << 31
"""Of a file that is read at once: a commit, a checksum. A file with holes states any size and takes no room."""


def read_whole(full: str) -> bytes:
    """The whole file. Raises `OSError`, also for anything but a plain file and for more than `MAX_WHOLE_BYTES`."""
    with _opened(full) as descriptor:
        size = _SMALL
        data = os.read(descriptor, size)
        if len(data) == size:
            size = min(_size(descriptor, full), MAX_WHOLE_BYTES) + 1
            data = os.pread(descriptor, size, 0)
            os.lseek(descriptor, len(data), os.SEEK_SET)
        elif not data:
            _size(descriptor, full)
        # Less than was asked for is usually the end, but only nothing at all is a sure sign of it.
        more = os.read(descriptor, size) if data else b""
        if not more:
            return data
        pieces, length = [data], len(data)
        while more:
            pieces.append(more)
            length += len(more)
            if length > MAX_WHOLE_BYTES:
                raise _too_long(full)
            more = os.read(descriptor, size)
        return b"".join(pieces)


def read_part(full: str, start: int, length: int) -> bytes:
    """Bytes from `start`, from the end where that is negative, as far as there are any. Raises `OSError`."""
    with _opened(full) as descriptor:
        size = _size(descriptor, full, at_most=None)
        begin = max(size + start, 0) if start < 0 else start
        return _read_exactly(descriptor, begin, min(length, size - begin))


def read_into(full: str, target: memoryview) -> int:
    """How many bytes from the beginning of the file were written to `target`. Raises `OSError`."""
    filled = 0
    with _opened(full) as descriptor:
        _size(descriptor, full, at_most=None)
        with open(descriptor, "rb", buffering=0, closefd=False) as file:
            while filled < len(target) and (count := file.readinto(target[filled:])):
                filled += count
    return filled


@contextlib.contextmanager
def _opened(full: str) -> Iterator[int]:
    descriptor = os.open(full, _READ)
    try:
        yield descriptor
    finally:
        os.close(descriptor)


def _size(descriptor: int, full: str, at_most: int | None = MAX_WHOLE_BYTES) -> int:
    found = os.fstat(descriptor)
    if stat.S_ISDIR(found.st_mode):
        raise OSError(errno.EISDIR, os.strerror(errno.EISDIR), full)
    if not stat.S_ISREG(found.st_mode):
        raise OSError(errno.EINVAL, "it is not a file", full)
    if at_most is not None and found.st_size > at_most:
        raise _too_long(full)
    return found.st_size


def _too_long(full: str) -> OSError:
    return OSError(errno.EINVAL, f"it is longer than the {MAX_WHOLE_BYTES:,} bytes that are read at once", full)


def _read_exactly(descriptor: int, start: int, length: int) -> bytes:
    pieces = []
    while length > 0:
        piece = os.pread(descriptor, length, start)
        if not piece:
            break
        pieces.append(piece)
        start += len(piece)
        length -= len(piece)
    return b"".join(pieces)
