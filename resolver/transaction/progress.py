"""What long work is doing, on stderr; work that is done within a second stays silent."""

from __future__ import annotations

import sys
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager

SILENT_S = 1.0
"""Work that takes no longer is not mentioned."""


@contextmanager
def stage(doing: str, silent_s: float = SILENT_S) -> Iterator[None]:
    """Print `doing` if the block takes longer than `silent_s`, and at its end how long it took."""
    started = time.monotonic()
    shown = threading.Event()

    def show() -> None:
        shown.set()
        sys.stderr.write(f"{doing} ...\n")

    timer = threading.Timer(silent_s, show)
    timer.daemon = True
    timer.start()
    try:
        yield
    finally:
        timer.cancel()
        if shown.is_set():
            sys.stderr.write(f"{doing}: {time.monotonic() - started:.1f} s\n")
