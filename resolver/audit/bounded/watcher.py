"""The process that watches: it has one other do the work, ends it when it takes too much, and starts the next.

It reads no untrusted file, so its memory stays small, and it forks a worker in milliseconds, also where the process
that asked for the work has threads and could not fork.
"""

from __future__ import annotations

import mmap
import os
import select
import signal
import socket
import time
from pathlib import Path

import attrs
import msgspec

from deltaresolver.audit.bounded.budget import Budget, Excess, ExcessKind
from deltaresolver.audit.bounded.frames import Frame, Frames, FrameTooLongError, framed, send
from deltaresolver.audit.bounded.worker import FAILED, NO_MEMORY, NOTE_BYTES, RESULT, TOO_LONG, Work, work_until_ended

DONE, GIVEN_UP = b"d", b"x"
_LOOK_EVERY_MS = 25
_SENT_AT_ONCE = 1 << 15
_PAGE = os.sysconf("SC_PAGE_SIZE")


class _NobodyAsksError(Exception):
    """The process that asked for the work is gone."""


def watch(work: Work, budget: Budget, asked: socket.socket, asks: Frames | None = None) -> None:
    """Have items done in order until the process that asks for them is gone. Never returns.

    `asks` may hold frames that have arrived already.
    """
    code = 1
    try:
        # Ctrl-C ends the process that asks, and with it this one and the worker.
        signal.signal(signal.SIGINT, signal.SIG_IGN)
        signal.signal(signal.SIGTERM, signal.SIG_DFL)
        _Watcher(work, budget, asked).serve(asks or Frames(asked))
        code = 0
    finally:
        os._exit(code)


@attrs.define(eq=False)
class _Worker:
    """A process that works, seen from outside."""

    pid: int
    channel: socket.socket
    frames: Frames
    idle_megabytes: int

    def megabytes(self) -> int:
        """The memory it uses above what it used when it was new."""
        return max(resident_megabytes(self.pid) - self.idle_megabytes, 0)

    def come(self) -> list[Frame] | None:
        """The answers that have arrived; None at its end, or where an answer is too long."""
        try:
            return self.frames.come()
        except FrameTooLongError:
            return None

    def end(self) -> int:
        """End it, and return the signal that it ended by."""
        os.kill(self.pid, signal.SIGKILL)
        self.channel.close()
        _, status = os.waitpid(self.pid, 0)
        return os.WTERMSIG(status) if os.WIFSIGNALED(status) else 0


class _Watcher:
    def __init__(self, work: Work, budget: Budget, asked: socket.socket) -> None:
        self._work = work
        self._budget = budget
        self._asked = asked
        self._note = mmap.mmap(-1, NOTE_BYTES)
        self._worker: _Worker | None = None
        self._kept: list[bytes] = []
        self._kept_bytes = 0

    def serve(self, frames: Frames) -> None:
        """Have one batch after the other done."""
        try:
            while (frame := frames.wait()) is not None:
                self._do(msgspec.json.decode(frame[1], type=list[str]))
        except (_NobodyAsksError, ConnectionError):
            pass
        finally:
            self._end_worker()

    def _do(self, items: list[str]) -> None:
        place = 0
        while place < len(items):
            worker = self._worker or self._start()
            self._note[:1] = b"\0"
            try:
                send(worker.channel, b"w", msgspec.json.encode(items[place:]))
            except ConnectionError:
                self._give_up(ExcessKind.ENDED, 0)
                place += 1
                continue
            place = self._follow(worker, place, len(items))

    def _follow(self, worker: _Worker, place: int, total: int) -> int:
        """Pass on the worker's answers, up to the item it is ended at; returns the place to continue from."""
        poll = select.poll()
        poll.register(worker.channel, select.POLLIN)
        poll.register(self._asked, 0)  # reports its end alone
        since, most = time.monotonic(), 0
        while place < total:
            ready = {number for number, _ in poll.poll(_LOOK_EVERY_MS)}
            if not ready:
                self._send_kept()
            if self._asked.fileno() in ready:
                raise _NobodyAsksError
            took = time.monotonic() - since
            if not ready:
                most = worker.megabytes()
            came = worker.come() if ready else ()
            cause = ExcessKind.ENDED if came is None else self._cause(took, most)
            if came is None or (cause is not None and not came):
                self._give_up(cause or ExcessKind.ENDED, took, most)
                return place + 1
            for letter, data in came:
                place += 1
                if letter == NO_MEMORY:
                    self._give_up(ExcessKind.MEMORY, took, most)
                    return place
                self._pass_on(letter, data, took, most)
                since, took, most = time.monotonic(), 0.0, 0
        self._send_kept()
        if worker.megabytes() > self._budget.megabytes // 2:
            # Memory that one table leaves behind must not count against the next.
            self._end_worker()
        return place

    def _pass_on(self, letter: bytes, data: bytes, seconds: float, megabytes: int) -> None:
        if letter == RESULT:
            # The process that asks need not wake up for each one.
            self._kept.append(framed(DONE, data))
            self._kept_bytes += len(data)
            if self._kept_bytes >= _SENT_AT_ONCE:
                self._send_kept()
        elif letter == TOO_LONG:
            self._tell(Excess(ExcessKind.ANSWER, seconds, int(data) >> 20, last_opened=self._last_opened()))
        elif letter == FAILED:
            self._tell(Excess(ExcessKind.ENDED, seconds, megabytes, failure=data.decode()))

    def _send_kept(self) -> None:
        kept, self._kept, self._kept_bytes = self._kept, [], 0
        if kept:
            self._asked.sendall(b"".join(kept))

    def _cause(self, seconds: float, megabytes: int) -> ExcessKind | None:
        if seconds > self._budget.seconds:
            return ExcessKind.TIME
        return ExcessKind.MEMORY if megabytes > self._budget.megabytes else None

    def _give_up(self, cause: ExcessKind, seconds: float, megabytes: int = 0) -> None:
        last = self._last_opened()
        ended_by = self._end_worker()
        if cause is ExcessKind.ENDED and ended_by == signal.SIGXCPU:
            cause = ExcessKind.TIME
        self._tell(Excess(cause, seconds, megabytes, ended_by if cause is ExcessKind.ENDED else 0, last))

    def _tell(self, excess: Excess) -> None:
        told = {**attrs.asdict(excess), "cause": excess.cause.value}
        self._send_kept()
        send(self._asked, GIVEN_UP, msgspec.json.encode(told))

    def _last_opened(self) -> str:
        return bytes(self._note[:]).partition(b"\0")[0].decode("utf-8", "replace")

    def _start(self) -> _Worker:
        here, there = socket.socketpair()
        pid = os.fork()
        if pid == 0:
            here.close()
            self._asked.close()
            work_until_ended(self._work, self._budget, there, self._note)
        there.close()
        self._worker = _Worker(pid, here, Frames(here, self._budget.answer_bytes), resident_megabytes(pid))
        return self._worker

    def _end_worker(self) -> int:
        worker, self._worker = self._worker, None
        return 0 if worker is None else worker.end()


def resident_megabytes(pid: int) -> int:
    """The memory that a process uses; 0 where the system does not report it."""
    try:
        pages = Path(f"/proc/{pid}/statm").read_text(encoding="ascii").split()[1]
    except (OSError, IndexError):
        return 0
    return int(pages) * _PAGE >> 20
