"""Runners, which audit batches of tables: in this process, in several, or on Spark.

A runner takes a task and numbered batches, and returns the result of each batch, in any order. It never holds more
than a few batches at a time.
"""

from __future__ import annotations

import contextlib
import multiprocessing
import os
import signal
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, ProcessPoolExecutor, wait
from itertools import chain, islice
from typing import TYPE_CHECKING, Protocol, runtime_checkable

import attrs

if TYPE_CHECKING:
    from deltaresolver.spark.catalog_tables import TableInCatalog

Task = Callable[[Sequence[str]], bytes]
Batches = Iterable[tuple[int, list[str]]]

_SAFE_PATH = "PYTHONSAFEPATH"
FEW_BATCHES = 2
"""For this number of batches or fewer, starting processes takes longer than auditing in this one."""


class Runner(Protocol):
    """A place to audit tables in."""

    def run(self, task: Task, batches: Batches) -> Iterator[tuple[int, bytes]]:
        """Each batch's number and result, as they come."""
        ...


@runtime_checkable
class CatalogRunner(Runner, Protocol):
    """A runner that can also list catalogs of tables."""

    def tables_in_catalog(self, catalog: str | None, namespace: str | None = None) -> Iterator[TableInCatalog]:
        """A catalog's tables that are or may be Delta tables, all or of one namespace; None is the current catalog.

        Raises `CatalogUnreadableError`.
        """
        ...


@runtime_checkable
class SharedTask(Protocol):
    """A task that can use processes of its own for the work."""

    @property
    def brings_processes(self) -> bool:
        """Whether it uses processes of its own."""
        ...

    def shared(self, batches: Batches, workers: int) -> Iterator[tuple[int, bytes]]:
        """Each batch's number and result, as they arrive from `workers` processes."""
        ...


@attrs.frozen(slots=True)
class InProcess:
    """Runs one batch after the other in this process."""

    def run(self, task: Task, batches: Batches) -> Iterator[tuple[int, bytes]]:
        """Each batch's number and result, in order."""
        for number, locations in batches:
            yield number, task(locations)


@attrs.frozen(slots=True)
class Processes:
    """Several processes on this machine, this one among them; `workers` of 0 is one for each processor."""

    workers: int = 0

    def run(self, task: Task, batches: Batches) -> Iterator[tuple[int, bytes]]:
        """Each batch's number and result, as they come."""
        rest = iter(batches)
        first = list(islice(rest, FEW_BATCHES + 1))
        others = min(self.workers or processors(), len(first)) - 1
        rest = chain(first, rest)
        if len(first) <= FEW_BATCHES or not others:
            yield from InProcess().run(task, rest)
            return
        if isinstance(task, SharedTask) and task.brings_processes:
            yield from task.shared(rest, others + 1)
            return
        # Not by fork, which object store clients and Arrow's threads do not survive.
        with _safe_path():
            pool = ProcessPoolExecutor(others, multiprocessing.get_context("spawn"))
            is_done = False
            try:
                yield from _share(task, rest, pool, others)
                is_done = True
            finally:
                # No wait after the last batch: an interpreter takes a tenth of a second to end.
                pool.shutdown(wait=not is_done, cancel_futures=True)


@contextlib.contextmanager
def _safe_path() -> Iterator[None]:
    """Processes started inside import nothing from the working directory, which may hold untrusted code."""
    before = os.environ.get(_SAFE_PATH)
    os.environ[_SAFE_PATH] = "1"
    try:
        yield
    finally:
        if before is None:
            del os.environ[_SAFE_PATH]
        else:
            os.environ[_SAFE_PATH] = before


def _share(
    task: Task, rest: Iterator[tuple[int, list[str]]], pool: ProcessPoolExecutor, others: int
) -> Iterator[tuple[int, bytes]]:
    """Keep every other process two batches ahead; in between, this process does batches itself."""
    running: dict[Future[bytes], int] = {}
    while True:
        for number, locations in islice(rest, 2 * others - len(running)):
            with _without_interrupts():
                running[pool.submit(task, locations)] = number
        own = next(rest, None)
        if own is not None:
            yield own[0], task(own[1])
        elif not running:
            return
        done, _ = wait(running, timeout=None if own is None else 0, return_when=FIRST_COMPLETED)
        for future in done:
            yield running.pop(future), future.result()


@contextlib.contextmanager
def _without_interrupts() -> Iterator[None]:
    """Processes that are started inside ignore Ctrl-C, which a terminal sends to all: this one ends the work.

    A process that was still starting would print a traceback.
    """
    if not hasattr(signal, "pthread_sigmask"):
        yield
        return
    before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


def processors() -> int:
    """How many processors this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
