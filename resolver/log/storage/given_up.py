"""Waits for what a client of an object store fetches, and gives it up after too long or with too much memory.

The client reads the answer to a listing whole, however long it is, and goes on by itself while pages are empty. It
cannot be told where to stop, but what it was asked asynchronously can be cancelled.
"""

from __future__ import annotations

import asyncio
import os
import threading
import time
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Generic, TypeVar

import attrs

T = TypeVar("T")
Ask = Callable[[], Awaitable[T]]

TRIES = 3
"""Other threads of the process take memory too: a server is at fault where it happens so often."""
_STEP = 0.1
_PAGE_SIZE = os.sysconf("SC_PAGE_SIZE") if hasattr(os, "sysconf") else 4096


class TooLateError(Exception):
    """An answer was given up because it took too long."""


@attrs.frozen
class TooHeavyError(Exception):
    """An answer was given up because this process grew too much while it was awaited."""

    is_cause: bool
    """The process grew no further, or less, once it was given up."""


@attrs.frozen
class Bounds:
    """Of one answer."""

    seconds: float
    growth: int
    """Bytes by which this process may grow while it waits; on Linux, which tells how much it holds."""


def fetched(ask: Ask[T], bounds: Bounds) -> T:
    """What `ask` returns or raises. Raises `TooLateError` and `TooHeavyError`.

    It is awaited in a thread of its own, because the caller's may run an event loop already.
    """
    call = _Call(lambda: asyncio.run(_watched(ask, bounds)))
    call.start().wait()
    return call.result()


def within(seconds: float, ask: Callable[[], T], late: Callable[[], Exception]) -> T:
    """What `ask` returns or raises. Raises what `late` returns where it takes longer, and then waits no more for it.

    It cannot be cancelled, so the thread that works on it ends with the process at the latest.
    """
    call = _Call(ask)
    if not call.start().wait(seconds):
        raise late()
    return call.result()


def fetched_in_tries(ask: Ask[T], bounds: Bounds) -> T:
    """The same for an `ask` that is repeated until it was too heavy `TRIES` times; the seconds are for all of them."""
    until, strikes = time.monotonic() + bounds.seconds, Strikes()
    while True:
        try:
            return fetched(ask, attrs.evolve(bounds, seconds=until - time.monotonic()))
        except TooHeavyError as error:
            if strikes.add(error):
                raise


@attrs.define
class Strikes:
    """How often an answer was too heavy."""

    _count: int = attrs.field(default=0, init=False)

    def add(self, error: TooHeavyError) -> bool:
        """Whether that makes `TRIES` times; what other threads took does not count."""
        self._count += error.is_cause
        return self._count >= TRIES


@attrs.define
class _Call(Generic[T]):
    """Work in a thread of its own."""

    work: Callable[[], T]
    _done: threading.Event = attrs.field(init=False, factory=threading.Event)
    _answers: list[T] = attrs.field(init=False, factory=list)
    _errors: list[BaseException] = attrs.field(init=False, factory=list)

    def start(self) -> threading.Event:
        """Begin; the event is set at the end."""
        threading.Thread(target=self._run, name="deltaresolver-waiting", daemon=True).start()
        return self._done

    def result(self) -> T:
        if self._errors:
            raise self._errors[0]
        return self._answers[0]

    def _run(self) -> None:
        try:
            self._answers.append(self.work())
        except BaseException as error:  # noqa: BLE001 - raised where the answer is waited for
            self._errors.append(error)
        self._done.set()


async def _watched(ask: Ask[T], bounds: Bounds) -> T:
    task = asyncio.ensure_future(ask())
    began, before, steps = time.monotonic(), resident_bytes(), 0
    while not (await asyncio.wait([task], timeout=_STEP))[0]:
        steps += 1
        if time.monotonic() - began > bounds.seconds:
            await _cancel(task)
            raise TooLateError
        grown = resident_bytes() - before
        if grown > bounds.growth:
            await _cancel(task)
            raise TooHeavyError(await _growth_of_one_step() * 2 < grown / steps)
    return task.result()


async def _cancel(task: asyncio.Future[T]) -> None:
    task.cancel()
    await asyncio.wait([task], timeout=1.0)


async def _growth_of_one_step() -> int:
    before = resident_bytes()
    await asyncio.sleep(_STEP)
    return resident_bytes() - before


def resident_bytes() -> int:
    """The memory that this process has in use; 0 where the system does not tell."""
    try:
        return int(Path("/proc/self/statm").read_text(encoding="ascii").split()[1]) * _PAGE_SIZE
    except (OSError, IndexError):
        return 0
