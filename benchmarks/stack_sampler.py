"""Sample the stacks of Python functions in a work, every millisecond of processor time.

A sample waits until a call of C code is over. It counts for all processor time since the sample before, also that of
other threads.
"""

from __future__ import annotations

import signal
import time
from collections.abc import Callable, Sequence
from types import FrameType
from typing import Self

EVERY_SECONDS = 0.001
Stack = tuple[tuple[str, str], ...]
"""Files and functions, the outermost first."""


class StackSampler:
    """Samples inside a `with` block in the main thread of a process; `seconds` has the time of each stack."""

    def __init__(self) -> None:
        self.seconds: dict[Stack, float] = {}
        self._last = 0.0

    def __enter__(self) -> Self:
        self._last = time.process_time()
        signal.signal(signal.SIGPROF, self._look)
        signal.setitimer(signal.ITIMER_PROF, EVERY_SECONDS, EVERY_SECONDS)
        return self

    def __exit__(self, *_: object) -> None:
        signal.setitimer(signal.ITIMER_PROF, 0)
        signal.signal(signal.SIGPROF, signal.SIG_DFL)

    def _look(self, _number: int, frame: FrameType | None) -> None:
        stack: list[tuple[str, str]] = []
        while frame is not None:
            stack.append((frame.f_code.co_filename, frame.f_code.co_name))
            frame = frame.f_back
        now = time.process_time()
        key = tuple(reversed(stack))
        self.seconds[key] = self.seconds.get(key, 0.0) + now - self._last
        self._last = now


def sampled(works: Sequence[Callable[[], object]]) -> dict[Stack, float]:
    """Sample the works one after another. The callers of this function are left out of the stacks."""
    sampler = StackSampler()
    with sampler:
        for work in works:
            work()
    found: dict[Stack, float] = {}
    for stack, seconds in sampler.seconds.items():
        here = next((place for place, (_, name) in enumerate(stack) if name == sampled.__name__), -1)
        inside = stack[here + 1 :]
        found[inside] = found.get(inside, 0.0) + seconds
    return found
