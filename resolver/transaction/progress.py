"""What long work is doing, on stderr; work that is done within a second stays silent."""

from __future__ import annotations

import sys
import threading
import time
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from typing import TypeVar

from deltaresolver.resolution.explain.visible_text import visible_line

Item = TypeVar("Item")

SILENT_S = 1.0
"""Work that takes no longer is not mentioned."""
AGAIN_S = 5.0
"""Seconds between two reports of progress."""


class Stage:
    """How far some work is, as far as it counts what it has done."""

    def __init__(self) -> None:
        self.done = 0
        self.total: int | None = None

    def each(self, items: Iterable[Item], total: int) -> Iterator[Item]:
        """The items, each of which counts as done when the next one is asked for."""
        self.total = total
        for item in items:
            yield item
            self.done += 1


@contextmanager
def stage(doing: str, silent_s: float = SILENT_S, again_s: float = AGAIN_S) -> Iterator[Stage]:
    """Print `doing` if the block takes longer than `silent_s`, and at its end how long it took.

    In between, every `again_s`, how much is done and left, where the block counts it by `Stage.each`.
    """
    doing = visible_line(doing)
    started = time.monotonic()
    ended = threading.Event()
    working = Stage()
    shown = False

    def show() -> None:
        nonlocal shown
        wait_s = silent_s
        while not ended.wait(wait_s):
            if not shown:
                sys.stderr.write(f"{doing} ...\n")
            elif working.total:
                left = working.total - working.done
                sys.stderr.write(f"{doing}: {working.done:,} done, {left:,} left\n")
            shown, wait_s = True, again_s

    teller = threading.Thread(target=show, name="progress", daemon=True)
    teller.start()
    try:
        yield working
    finally:
        ended.set()
        teller.join()
        if shown:
            sys.stderr.write(f"{doing}: {time.monotonic() - started:.1f} s\n")
