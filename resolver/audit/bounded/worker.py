"""The process that does the work: one item after the other, until it is ended or the watching process is gone."""

from __future__ import annotations

import contextlib
import gc
import mmap
import os
import resource
import signal
import socket
import sys
import time
from collections.abc import Callable
from pathlib import Path

import msgspec

from deltaresolver.audit.bounded.budget import Budget
from deltaresolver.audit.bounded.frames import Frames, send

RESULT, TOO_LONG, NO_MEMORY, FAILED = b"r", b"l", b"m", b"f"
NOTE_BYTES = 512
_MARGIN_MEGABYTES = 1024
"""Room for memory that allocators reserve and never use; the watcher measures used memory, so it acts earlier."""
_COLLECT_EVERY = 50
_COLLECT_ALL_EVERY = 5_000
"""Caches are much larger than the garbage of an item, so a full collection, which searches them, is seldom made."""
_MAX_LENGTH = 1000

Work = Callable[[str], bytes]
_SET_SIGNAL_AT_PARENTS_END = 1
"""PR_SET_PDEATHSIG of prctl(2)."""


def work_until_ended(work: Work, budget: Budget, watcher: socket.socket, note: mmap.mmap) -> None:
    """Answer each item that arrives. Never returns to the code that forked this process."""
    code = 1
    try:
        _end_with_parent()
        _limit(budget)
        _note_what_is_opened(note)
        gc.disable()
        gc.freeze()
        _answer(work, budget, watcher)
        code = 0
    finally:
        os._exit(code)


def _end_with_parent() -> None:
    """Have Linux end this process when its watcher ends: in the middle of an item nothing else would end it."""
    if sys.platform != "linux":
        return
    import ctypes  # noqa: PLC0415 - audits alone come here

    with contextlib.suppress(OSError, AttributeError):
        ctypes.CDLL(None).prctl(_SET_SIGNAL_AT_PARENTS_END, signal.SIGKILL, 0, 0, 0)


def _answer(work: Work, budget: Budget, watcher: socket.socket) -> None:
    frames, done, limited_to = Frames(watcher), 0, 0
    while (frame := frames.wait()) is not None:
        for item in msgspec.json.decode(frame[1], type=list[str]):
            limited_to = _limit_processor(budget, limited_to)
            try:
                data = work(item)
            except MemoryError:
                send(watcher, NO_MEMORY)
                return
            except Exception as error:  # noqa: BLE001 - one item must not end the work on all others
                send(watcher, FAILED, f"{type(error).__name__}: {error}"[:_MAX_LENGTH].encode("utf-8", "replace"))
                continue
            if len(data) > budget.answer_bytes:
                send(watcher, TOO_LONG, str(len(data)).encode())
            else:
                send(watcher, RESULT, data)
            done += 1
            if done % _COLLECT_ALL_EVERY == 0:
                gc.collect()
            elif done % _COLLECT_EVERY == 0:
                # Objects that survive this collection move to the oldest generation, which is seldom collected.
                gc.collect(1)


def _limit(budget: Budget) -> None:
    """Limit the memory of this process, so that one large allocation fails too, and write no core dump."""
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    most = _data_bytes() + ((budget.megabytes + _MARGIN_MEGABYTES) << 20)
    with contextlib.suppress(ValueError, OSError):  # lower already, by whoever started us
        resource.setrlimit(resource.RLIMIT_DATA, (most, most))


def _data_bytes() -> int:
    try:
        status = Path("/proc/self/status").read_text(encoding="utf-8")
    except OSError:
        return 0
    return next((int(line.split()[1]) << 10 for line in status.splitlines() if line.startswith("VmData")), 0)


def _limit_processor(budget: Budget, before: int) -> int:
    """Limit the processor time, so that this process ends also without its watcher; `before` is the limit so far."""
    most = int(time.process_time() + budget.seconds * (os.cpu_count() or 1)) + 2
    if most != before:
        _, hard = resource.getrlimit(resource.RLIMIT_CPU)
        if hard == resource.RLIM_INFINITY or most < hard:
            resource.setrlimit(resource.RLIMIT_CPU, (most, hard))
    return most


def _note_what_is_opened(note: mmap.mmap) -> None:
    """Write the name of each file opened to `note`, where the watcher can read it after this process has ended."""

    def look(event: str, arguments: tuple[object, ...]) -> None:
        if event == "open" and isinstance(arguments[0], str):
            name = arguments[0].encode("utf-8", "replace")[-NOTE_BYTES + 1 :]
            note[: len(name) + 1] = name + b"\0"

    sys.addaudithook(look)
