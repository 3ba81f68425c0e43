"""Report a call of a plugin that takes long: it cannot be stopped, but users see which plugin is running.

One thread checks once a second, only while calls are made, and ends when there have been none for a while.
"""

from __future__ import annotations

import itertools
import logging
import threading
import time
from collections.abc import Callable, Hashable
from functools import partial
from typing import Any

from deltaresolver.plugins.guard import SLOW_SECONDS

LOOK_SECONDS = 1.0
IDLE_LOOKS = 10

logger = logging.getLogger("deltaresolver.plugins")
_running: dict[int, tuple[float, str, Hashable]] = {}
"""The running calls by number: start time, description, source."""
_numbers = itertools.count()
_lock = threading.Lock()
_watcher: threading.Thread | None = None


def begun(what: str, source: Hashable) -> Callable[[], Any]:
    """Note that a call begins; calling the returned function notes its end."""
    number = next(_numbers)
    _running[number] = (time.perf_counter(), what, source)
    if _watcher is None or not _watcher.is_alive():
        _start()
    return partial(_running.pop, number, None)


def _start() -> None:
    global _watcher  # noqa: PLW0603 - one for the process
    with _lock:
        if _watcher is None or not _watcher.is_alive():
            _watcher = threading.Thread(target=_watch, name="deltaresolver-plugins", daemon=True)
            _watcher.start()


def _watch() -> None:
    told: set[int] = set()
    idle = 0
    while idle < IDLE_LOOKS:
        time.sleep(LOOK_SECONDS)
        now, calls = time.perf_counter(), dict(_running)
        idle = 0 if calls else idle + 1
        for number, (since, what, source) in calls.items():
            if now - since > SLOW_SECONDS and number not in told:
                told.add(number)
                logger.warning("%s of %s is still running after %.0f s", what, source, now - since)
