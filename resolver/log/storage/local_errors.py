"""What an operating system's error means for a table, and what to do about it."""

from __future__ import annotations

import errno

from deltaresolver.errors import (
    LocationInvalidError,
    LogError,
    StorageAccessDeniedError,
    StorageFullError,
    StorageUnavailableError,
    StorageUnsupportedError,
    StoredFileMissingError,
)
from deltaresolver.log.storage.local_publish import NoAtomicCreateError

_MISSING = {errno.ENOENT}
_FULL = {errno.ENOSPC, errno.EDQUOT, errno.EFBIG}
_DENIED = {errno.EACCES, errno.EPERM, errno.EROFS}
_NOT_A_FOLDER = {errno.ENOTDIR, errno.EISDIR, errno.ELOOP, errno.ENAMETOOLONG, errno.EILSEQ}
_TOO_MANY_OPEN = {errno.EMFILE, errno.ENFILE}
_NO_FOLDER_SYNC = {errno.EINVAL, errno.EBADF, errno.ENOTSUP, errno.ENOSYS}


def folder_sync_unsupported(error: OSError) -> bool:
    """Whether the file system has no notion of syncing a folder (some network mounts), as opposed to failing at it."""
    return error.errno in _NO_FOLDER_SYNC


def from_os_error(error: OSError, action: str, path: str) -> LogError:
    """The `LogError` for an `OSError` met while doing `action` to `path`."""
    reason = error.strerror or str(error)
    details = {"path": path, "action": action, "errno": error.errno, "reason": reason}
    kind, fix = _kind_and_fix(error, path)
    if kind is StoredFileMissingError:
        return kind(f"{path} does not exist.", fix=fix, details=details)
    return kind(f"Could not {action} {path}: {reason}.", fix=fix, details=details)


def _kind_and_fix(error: OSError, path: str) -> tuple[type[LogError], str]:
    if isinstance(error, NoAtomicCreateError):
        return StorageUnsupportedError, "Move the table to a file system with hard links, or to an object store."
    if error.errno in _MISSING:
        return StoredFileMissingError, "Check the table's location, or whether the file was cleaned up."
    if error.errno in _FULL:
        return StorageFullError, "Free space or raise the quota, then try again; nothing was left behind."
    if error.errno in _DENIED:
        return StorageAccessDeniedError, f"Give this user the right to read and write {path} and its folder."
    if error.errno in _NOT_A_FOLDER:
        return LocationInvalidError, "Give the folder that holds _delta_log as the table's location."
    if error.errno in _TOO_MANY_OPEN:
        return StorageUnavailableError, "Close files, or raise the limit of open files (ulimit -n), then try again."
    return StorageUnavailableError, "Check the disk or mount, then try again."
