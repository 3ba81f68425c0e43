"""Whatever one item does to the process that works on it, it is reported in time, and the others are done."""

from __future__ import annotations

import os
import signal
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import attrs
import pytest

from deltaresolver.audit.bounded.bounded_work import BoundedWork
from deltaresolver.audit.bounded.budget import Budget, Excess, ExcessKind

BUDGET = Budget(seconds=1, megabytes=300, answer_bytes=1000)


@attrs.frozen
class Acts:
    """Does what each item says."""

    def prepare(self) -> None:
        """Nothing."""

    def __call__(self, item: str) -> bytes:  # noqa: PLR0912 - a branch for each way
        """Behave well, or in the way that is named."""
        what, _, rest = item.partition(" ")
        if what == "sleep":
            Path("/dev/null").read_bytes()
            time.sleep(600)
        elif what == "spin":
            while True:
                pass
        elif what == "grow":
            kept = []
            while True:
                kept.append(b"x" * (1 << 20))
        elif what == "ask":
            return str(len(bytearray(64 << 30))).encode()
        elif what == "abort":
            os.abort()
        elif what == "leave":
            os._exit(7)
        elif what == "raise":
            raise RuntimeError("no such thing")
        elif what == "tell":
            return b"x" * int(rest)
        elif what == "pid":
            return f"{os.getpid()} {os.getppid()}".encode()
        elif what == "end-watcher":
            os.kill(os.getppid(), signal.SIGKILL)
            time.sleep(600)
        elif what == "deaf":
            signal.signal(signal.SIGTERM, signal.SIG_IGN)
            time.sleep(600)
        return item.encode()


@contextmanager
def working(budget: Budget = BUDGET) -> Iterator[BoundedWork]:
    work = BoundedWork(Acts(), budget)
    try:
        yield work
    finally:
        work.close()


WAYS = {
    "sleep": ExcessKind.TIME,
    "spin": ExcessKind.TIME,
    "deaf": ExcessKind.TIME,
    "grow": ExcessKind.MEMORY,
    "ask": ExcessKind.MEMORY,
    "abort": ExcessKind.ENDED,
    "leave": ExcessKind.ENDED,
    "raise": ExcessKind.ENDED,
    "tell 1001": ExcessKind.ANSWER,
    "end-watcher": ExcessKind.ENDED,
}


@pytest.mark.parametrize("way", WAYS)
def test_an_item_over_its_budget_is_reported_and_the_others_are_done(way: str) -> None:
    began = time.monotonic()
    # On a busy machine memory may not be full within a second.
    seconds = BUDGET.seconds if WAYS[way] is ExcessKind.TIME else 15
    with working(attrs.evolve(BUDGET, seconds=seconds)) as work:
        before, found, after, again = work.run(["a", way, "b", way])
    assert (before, after) == (b"a", b"b")
    for one in (found, again):
        assert isinstance(one, Excess)
        assert one.cause is WAYS[way]
        assert one.as_error("/t", BUDGET).fix
    assert time.monotonic() - began < 20


def test_what_is_within_the_budget_is_done() -> None:
    with working() as work:
        assert list(work.run(["a", "tell 1000", ""])) == [b"a", b"x" * 1000, b""]
        assert list(work.run([])) == []
        assert list(work.run(["b"] * 3000)) == [b"b"] * 3000


def test_the_file_opened_last_is_named() -> None:
    with working() as work:
        (found,) = work.run(["sleep"])
    assert isinstance(found, Excess)
    assert found.last_opened == "/dev/null"
    assert "/dev/null" in found.as_error("/t", BUDGET).message


def test_the_process_is_kept_from_batch_to_batch() -> None:
    with working() as work:
        assert list(work.run(["pid"])) == list(work.run(["pid"]))


def test_beside_a_running_thread_a_process_is_started_and_not_forked() -> None:
    stop = threading.Event()
    thread = threading.Thread(target=stop.wait)
    thread.start()
    try:
        with working() as work:
            before, found, after = work.run(["a", "sleep", "b"])
    finally:
        stop.set()
        thread.join()
    assert (before, after) == (b"a", b"b")
    assert isinstance(found, Excess)


def _is_alive(pid: int) -> bool:
    try:
        return Path(f"/proc/{pid}/stat").read_text(encoding="ascii").split()[2] != "Z"
    except (FileNotFoundError, ProcessLookupError):  # it ended meanwhile
        return False


def test_nothing_is_left_of_a_process_that_was_killed() -> None:
    """What it had begun ends with it, in the middle of an item too."""
    here, there = os.pipe()
    child = os.fork()
    if child == 0:
        try:
            with working(Budget(seconds=600)) as work:
                for one in work.run(["pid", "sleep"]):
                    assert isinstance(one, bytes)
                    os.write(there, one)
        finally:
            os._exit(0)
    others = [int(one) for one in os.read(here, 100).split()]
    time.sleep(0.2)
    os.kill(child, signal.SIGKILL)
    os.waitpid(child, 0)
    until = time.monotonic() + 10
    while any(map(_is_alive, others)) and time.monotonic() < until:
        time.sleep(0.02)
    assert not any(map(_is_alive, others))


@pytest.mark.skipif(sys.platform != "linux", reason="no other system ends a process with the one that began it")
def test_a_working_process_ends_with_the_process_that_watches_it() -> None:
    with working() as work:
        pid, found = work.run(["pid", "end-watcher"])
        assert isinstance(pid, bytes)
        assert isinstance(found, Excess)
        until = time.monotonic() + 10
        while _is_alive(int(pid.split()[0])) and time.monotonic() < until:
            time.sleep(0.02)
        assert not _is_alive(int(pid.split()[0]))
