"""Settings of a session for the time of a block, also where several threads of one session need them at once."""

from __future__ import annotations

import threading
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import TYPE_CHECKING

import attrs

from deltaresolver.spark.session import session_id

if TYPE_CHECKING:
    from pyspark.sql import SparkSession


@attrs.define(eq=False)
class _Held:
    """A value that blocks hold, how many of them, and what the setting was before the first."""

    value: str
    earlier: str | None
    blocks: int = 1


_LOCK = threading.Lock()
_HELD: dict[tuple[str, str], list[_Held]] = {}
"""By session and setting, the newest value last. Several objects of Python may stand for one session."""


@contextmanager
def session_settings(spark: SparkSession, settings: Mapping[str, str]) -> Iterator[None]:
    """Run a block with these settings; afterwards every one is as it was, also after an error.

    A setting stays until the last of the blocks ends that hold the same value, in whatever thread. DataFrames are lazy:
    the settings hold for what is executed inside the block, not for frames that leave it.
    """
    if not settings:
        yield
        return
    session, held = session_id(spark), list[tuple[str, _Held]]()
    try:
        for key, value in settings.items():
            found = _hold(spark, session, key, value)
            if found is not None:
                held.append((key, found))
        yield
    finally:
        for key, found in reversed(held):
            _release(spark, session, key, found)


def _hold(spark: SparkSession, session: str, key: str, value: str) -> _Held | None:
    """The value held from now on; None where the session has it by itself."""
    with _LOCK:
        kept = spark.conf.get(key, None)
        held = _HELD.get((session, key), [])
        if kept == value:
            if not held or held[-1].value != value:
                return None
            held[-1].blocks += 1
            return held[-1]
        spark.conf.set(key, value)
        found = _Held(value, None if kept is None else str(kept))
        _HELD[session, key] = [*held, found]
        return found


def _release(spark: SparkSession, session: str, key: str, found: _Held) -> None:
    with _LOCK:
        found.blocks -= 1
        if found.blocks:
            return
        held = _HELD[session, key]
        place = held.index(found)
        del held[place]
        if not held:
            del _HELD[session, key]
        elif place < len(held):
            held[place].earlier = found.earlier  # a newer value stays, and gives way to what was before both
            return
        if found.earlier is None:
            spark.conf.unset(key)
        else:
            spark.conf.set(key, found.earlier)
