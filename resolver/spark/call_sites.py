"""Columns made without noting where in the source they were made.

PySpark notes it for each of them, so that an error can name the line, and calls the JVM some eight times to do so.
Lines of this library help nobody: its errors say what is wrong by themselves.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from threading import Lock
from typing import Any

_SWITCH = "_enable_debugging_cache"
"""Where PySpark keeps whether it notes them; None until it has asked the session."""
_UNKNOWN = object()


class _Switch:
    """Counts who is inside: the first puts the switch off, the last puts it back."""

    def __init__(self) -> None:
        self._lock = Lock()
        self._inside = 0
        self._before: Any = None

    def enter(self, module: Any) -> None:
        with self._lock:
            if self._inside == 0:
                self._before = getattr(module, _SWITCH)
                setattr(module, _SWITCH, False)
            self._inside += 1

    def leave(self, module: Any) -> None:
        with self._lock:
            self._inside -= 1
            if self._inside == 0:
                setattr(module, _SWITCH, self._before)


_SWITCHED = _Switch()


@contextmanager
def no_call_sites() -> Iterator[None]:
    """Inside, PySpark notes no lines; afterwards as before. Nothing happens for a release that has no such switch."""
    from pyspark.errors import utils

    if getattr(utils, _SWITCH, _UNKNOWN) is _UNKNOWN:
        yield
        return
    _SWITCHED.enter(utils)
    try:
        yield
    finally:
        _SWITCHED.leave(utils)
