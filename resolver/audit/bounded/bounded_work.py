"""Work with a budget for each item: the side of the process that asks for it."""

from __future__ import annotations

import contextlib
import gc
import logging
import os
import pickle
import socket
import subprocess
import sys
import threading
import warnings
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from typing import Protocol

import msgspec

from deltaresolver.audit.bounded.budget import Budget, Excess, ExcessKind
from deltaresolver.audit.bounded.frames import Frames, send
from deltaresolver.audit.bounded.watcher import DONE, watch

_START = "import sys; from deltaresolver.audit.bounded.bounded_work import serve; serve(int(sys.argv[1]))"


_NO_FORK = {"grpc", "obstore"}
"""Packages that start threads, and hang after a fork, which does not copy threads."""


class Ready(Protocol):
    """The work to be done: a preparation, and a function from item to answer. Can be pickled."""

    def prepare(self) -> None:
        """Load what every item needs, so that it is there whenever a process is forked."""
        ...

    def __call__(self, item: str, /) -> bytes:
        """Do one item."""
        ...


class BoundedWork:
    """Has another process do items. It is ended at an item that exceeds the budget; a new one does the rest.

    The other process is forked where the threads of this one allow it, and started as a new interpreter otherwise.
    """

    def __init__(self, work: Ready, budget: Budget) -> None:
        self._work = work
        self._budget = budget
        self._rest: deque[str] = deque()
        self._sent = 0
        self._is_one_alone = False
        self._open()

    def _open(self) -> None:
        self._channel, there = socket.socketpair()
        begin = _fork if _can_fork() else _start
        self._await_end = begin(self._work, self._budget, self._channel, there)
        there.close()
        self._frames = Frames(self._channel)

    def run(self, items: Sequence[str]) -> Iterator[bytes | Excess]:
        """The answer to each item, or what it exceeded, in order. A caller that stops early must call `close`."""
        self.ask(items)
        left = len(items)
        while left:
            found = self.come()
            left -= len(found)
            yield from found

    def ask(self, items: Sequence[str]) -> None:
        """Queue more items after those asked for before; `come` returns the answers."""
        all_are_sent = self._sent == len(self._rest)
        self._rest.extend(items)
        if all_are_sent:
            self._send(list(items))

    def come(self) -> list[bytes | Excess]:
        """Wait for the next answers, in order. The list is empty where only part of an answer has arrived."""
        frames = self._frames.come()
        if frames is None:
            return self._begin_again()
        for _ in frames:
            self._rest.popleft()
            self._sent -= 1
            self._is_one_alone = False
        if self._rest and not self._sent:
            self._send(list(self._rest))
        return [_outcome(*frame) for frame in frames]

    def fileno(self) -> int:
        """A file descriptor that becomes readable when an answer arrives."""
        return self._channel.fileno()

    def _send(self, items: list[str]) -> None:
        self._sent += len(items)
        with contextlib.suppress(ConnectionError):
            send(self._channel, b"w", msgspec.json.encode(items))

    def _begin_again(self) -> list[bytes | Excess]:
        """Start again after the watching process died: the system was short of memory, or somebody ended it."""
        self.close()
        self._open()
        self._sent = 0
        if not self._is_one_alone:
            # Nobody knows at which item; doing one at a time shows it.
            self._is_one_alone = True
            self._send([self._rest[0]])
            return []
        self._is_one_alone = False
        self._rest.popleft()
        self._send(list(self._rest))
        return [Excess(ExcessKind.ENDED)]

    def close(self) -> None:
        """End the other processes at once, also in the middle of an item."""
        self._channel.close()
        self._await_end()


def _outcome(letter: bytes, data: bytes) -> bytes | Excess:
    if letter == DONE:
        return data
    told = msgspec.json.decode(data)
    return Excess(**{**told, "cause": ExcessKind(told["cause"])})


def _can_fork() -> bool:
    """Whether all threads belong to libraries that survive a fork, as those of Arrow and NumPy do on Linux."""
    return sys.platform == "linux" and threading.active_count() == 1 and not _NO_FORK & sys.modules.keys()


def _fork(work: Ready, budget: Budget, _: socket.socket, there: socket.socket) -> Callable[[], object]:
    work.prepare()
    with warnings.catch_warnings():
        # Newer versions of Python warn whenever there is a second thread.
        warnings.simplefilter("ignore", DeprecationWarning)
        pid = os.fork()
    if pid == 0:
        # Descriptors closed below must not be closed a second time when an object is destroyed.
        gc.freeze()
        _close_others(there)
        watch(work, budget, there)

    def wait() -> None:
        with contextlib.suppress(ChildProcessError):
            os.waitpid(pid, 0)

    return wait


def _close_others(kept: socket.socket) -> None:
    """Close the pipes inherited from the process that forked this one: others wait for them to close."""
    names = [int(name) for name in os.listdir("/proc/self/fd")]  # noqa: PTH208 - one call
    for number in names:
        if number > 2 and number != kept.fileno():
            with contextlib.suppress(OSError):
                os.close(number)


def _start(work: Ready, budget: Budget, here: socket.socket, there: socket.socket) -> Callable[[], object]:
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(filter(None, sys.path))}
    process = subprocess.Popen(  # noqa: S603 - this Python and a fixed text
        # Without -P modules would be looked for in the working directory, which may be somebody else's lake.
        [sys.executable, "-P", "-c", _START, str(there.fileno())],
        pass_fds=[there.fileno()],
        stdin=subprocess.DEVNULL,
        env=environment,
    )
    with contextlib.suppress(ConnectionError):
        send(here, b"s", pickle.dumps((work, budget)))
    return process.wait


def serve(descriptor: int) -> None:
    """Run as the watching process, in an interpreter that was started for that."""
    # The process that asks has already warned about plugins.
    logging.getLogger("deltaresolver").addHandler(logging.NullHandler())
    asked = socket.socket(fileno=descriptor)
    frames = Frames(asked)
    frame = frames.wait()
    if frame is None:
        return
    # Bytes of the process that started this one.
    work, budget = pickle.loads(frame[1])  # noqa: S301
    work.prepare()
    watch(work, budget, asked, frames)
