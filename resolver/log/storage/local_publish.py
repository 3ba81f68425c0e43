"""Put a whole file into a folder in one step: the name appears only when every byte is on the disk.

Three ways to do so without ever overwriting; which one works depends on the file system:

1. `O_TMPFILE`, then `linkat`: the file has no name at all until it is complete, so a killed writer leaves nothing.
2. A staging file with a hidden name, then `link`, where unnamed files are not supported (NFS, macOS).
3. The same, then `renameat2(RENAME_NOREPLACE)`, where hard links are not supported (exFAT, some FUSE mounts).

A plain rename overwrites, and `O_CREAT | O_EXCL` under the final name shows a half-written file: neither may stand in.
Every function here takes the open folder (a descriptor), works relative to it and raises `OSError`.
"""

from __future__ import annotations

import contextlib
import errno
import functools
import os
from collections.abc import Callable, Iterator

STAGING_PREFIX = ".deltaresolver-"
STAGING_SUFFIX = ".staging"

_RENAME_NOREPLACE = 1
_NO_UNNAMED_FILES = {errno.EOPNOTSUPP, errno.EISDIR, errno.EINVAL, errno.ENOENT, errno.ENOSYS}
# ENOENT: /proc, which the link to an unnamed file goes through, is not mounted.
_NO_HARD_LINKS = {errno.EPERM, errno.EOPNOTSUPP, errno.ENOSYS, errno.EMLINK, errno.EINVAL, errno.EXDEV, errno.ENOENT}
_NO_EXCLUSIVE_RENAME = {errno.EINVAL, errno.ENOSYS, errno.EOPNOTSUPP}


class NoAtomicCreateError(OSError):
    """The file system can neither link nor rename without overwriting."""


def is_staging_name(name: str) -> bool:
    """Whether a file name is one that only a writer in flight, or a killed one, can have."""
    return name.startswith(STAGING_PREFIX) and name.endswith(STAGING_SUFFIX)


def publish_new(folder: int, name: str, data: bytes) -> None:
    """Create `name` with `data`, synced (the folder is not). Raises `FileExistsError` if the name is taken."""
    # Only a look: the link below decides. But whoever has lost the race already is spared a sync, the dearest step.
    with contextlib.suppress(FileNotFoundError):
        os.stat(name, dir_fd=folder, follow_symlinks=False)
        raise FileExistsError(errno.EEXIST, os.strerror(errno.EEXIST), name)
    if _publish_unnamed(folder, name, data):
        return
    with _staging_file(folder, data) as (staging, descriptor):
        try:
            os.link(staging, name, src_dir_fd=folder, dst_dir_fd=folder, follow_symlinks=False)
        except FileExistsError:
            if not _is_ours(folder, name, descriptor):
                raise
        except OSError as error:
            if error.errno not in _NO_HARD_LINKS:
                raise
            _rename_exclusively(folder, staging, name)


def publish_over(folder: int, name: str, data: bytes) -> None:
    """Create or replace `name` with `data`, synced (the folder is not)."""
    with _staging_file(folder, data) as (staging, _):
        os.replace(staging, name, src_dir_fd=folder, dst_dir_fd=folder)


def _publish_unnamed(folder: int, name: str, data: bytes) -> bool:
    """The first way; False where the file system or the platform does not offer it."""
    unnamed: int | None = getattr(os, "O_TMPFILE", None)
    if unnamed is None:
        return False
    try:
        descriptor = os.open(".", unnamed | os.O_WRONLY, 0o666, dir_fd=folder)
    except OSError as error:
        if error.errno in _NO_UNNAMED_FILES:
            return False
        raise
    try:
        _write_synced(descriptor, data)
        # A folder descriptor makes Python call linkat, the only call that follows the link in /proc to the file.
        os.link(f"/proc/self/fd/{descriptor}", name, dst_dir_fd=folder, follow_symlinks=True)
    except FileExistsError:
        raise
    except OSError as error:
        if error.errno in _NO_HARD_LINKS:
            return False
        raise
    finally:
        os.close(descriptor)
    return True


@contextlib.contextmanager
def _staging_file(folder: int, data: bytes) -> Iterator[tuple[str, int]]:
    """A complete, synced file under a staging name, gone at the end whatever happened to it."""
    # The name holds nothing of the target's, so no reader's pattern can match it; 0o666 leaves rights to the umask.
    staging = f"{STAGING_PREFIX}{os.urandom(12).hex()}{STAGING_SUFFIX}"
    descriptor = os.open(staging, os.O_CREAT | os.O_EXCL | os.O_WRONLY | os.O_NOFOLLOW, 0o666, dir_fd=folder)
    try:
        _write_synced(descriptor, data)
        yield staging, descriptor
    finally:
        os.close(descriptor)
        # Missing after a rename; if it cannot be removed it is a harmless leftover, no reason to fail a done write.
        with contextlib.suppress(OSError):
            os.unlink(staging, dir_fd=folder)


def _write_synced(descriptor: int, data: bytes) -> None:
    rest = memoryview(data)
    while rest:
        rest = rest[os.write(descriptor, rest) :]
    os.fsync(descriptor)


def _is_ours(folder: int, name: str, descriptor: int) -> bool:
    """Whether `name` is the file open here: over NFS a link can succeed and its repeated request report "exists"."""
    try:
        return os.path.samestat(os.stat(name, dir_fd=folder, follow_symlinks=False), os.fstat(descriptor))
    except OSError:
        return False


def _rename_exclusively(folder: int, staging: str, name: str) -> None:
    rename = _find_renameat2()
    if rename is None:
        raise NoAtomicCreateError(errno.ENOSYS, "neither hard links nor an exclusive rename are available", name)
    code = rename(folder, os.fsencode(staging), folder, os.fsencode(name), _RENAME_NOREPLACE)
    if code in _NO_EXCLUSIVE_RENAME:
        raise NoAtomicCreateError(code, "neither hard links nor an exclusive rename are available", name)
    if code:
        raise OSError(code, os.strerror(code), name)


@functools.cache
def _find_renameat2() -> Callable[[int, bytes, int, bytes, int], int] | None:
    """The C library's renameat2 as a function that returns an errno, or None where it has none."""
    # Asked for where a file system has no hard links, and nowhere else.
    import ctypes  # noqa: PLC0415

    try:
        function = ctypes.CDLL(None, use_errno=True).renameat2
    except (OSError, AttributeError):
        return None
    function.argtypes = [ctypes.c_int, ctypes.c_char_p, ctypes.c_int, ctypes.c_char_p, ctypes.c_uint]
    function.restype = ctypes.c_int

    def rename(old_folder: int, old: bytes, new_folder: int, new: bytes, flags: int) -> int:
        return 0 if function(old_folder, old, new_folder, new, flags) == 0 else ctypes.get_errno()

    return rename
