"""A lock on a work folder, for one audit at a time: it ends with the process, and names the process that holds it."""

from __future__ import annotations

import datetime as dt
import fcntl
import os
import socket
import weakref
from pathlib import Path

from deltaresolver.errors import AuditResumeError

_LOCK = "lock"


class WorkLock:
    """Held from when it is made until it is released or the process ends, however that happens.

    Raises `AuditResumeError` where another process holds it.
    """

    def __init__(self, folder: Path) -> None:
        path = folder / _LOCK
        descriptor = os.open(path, os.O_RDWR | os.O_CREAT, 0o644)
        self.release = weakref.finalize(self, os.close, descriptor)
        try:
            fcntl.lockf(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError as error:
            holder = os.pread(descriptor, 200, 0).decode("utf-8", "replace").strip() or "another process"
            self.release()
            raise AuditResumeError(
                f"{folder} holds an audit that is being made now, by {holder}.",
                fix="Wait until it has ended, or write this audit to another file.",
                details={"path": str(folder), "holder": holder},
            ) from error
        os.ftruncate(descriptor, 0)
        since = dt.datetime.now(dt.UTC).isoformat(timespec="seconds")
        os.pwrite(descriptor, f"process {os.getpid()} on {socket.gethostname()} since {since}\n".encode(), 0)
