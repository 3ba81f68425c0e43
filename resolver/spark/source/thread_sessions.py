"""`format("deltaresolver")` in a Python thread: Spark looks for data sources of Python in the thread's active session.

A thread that was started by Python has none, although the DataFrame that is written knows its session. PySpark gives no
hook there, so `format` itself sets the session: for this data source alone, and only where the thread has no other.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from deltaresolver.spark.session import is_connect

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

_MARK = "__deltaresolver__"


def find_sessions_in_threads(spark: SparkSession, source: str) -> None:
    """Make `format(source)` of classic PySpark's readers and writers work in every thread of this process."""
    if is_connect(spark):
        return
    from pyspark.sql.readwriter import DataFrameWriter
    from pyspark.sql.streaming.readwriter import DataStreamReader, DataStreamWriter

    kinds: tuple[Any, ...] = (DataFrameWriter, DataStreamReader, DataStreamWriter)
    for kind in kinds:
        if not hasattr(kind.format, _MARK):
            kind.format = _with_session(kind.format, source)


def _with_session(original: Callable[..., Any], source: str) -> Callable[..., Any]:
    @functools.wraps(original)
    def format_in_thread(self: Any, given: str) -> Any:
        if isinstance(given, str) and given.lower() == source:
            _activate(self._spark)
        return original(self, given)

    setattr(format_in_thread, _MARK, True)
    return format_in_thread


@contextmanager
def acting(spark: Any) -> Iterator[None]:
    """Within the block, Spark takes this session for the one that acts: it looks there for data sources by name."""
    if is_connect(spark):
        yield
        return
    sessions = spark._jvm.SparkSession
    before = sessions.getActiveSession()
    sessions.setActiveSession(spark._jsparkSession)
    try:
        yield
    finally:
        if before.isDefined():
            sessions.setActiveSession(before.get())
        else:
            sessions.clearActiveSession()


def _activate(spark: Any) -> None:
    sessions = spark._jvm.SparkSession
    if sessions.getActiveSession().isEmpty():
        sessions.setActiveSession(spark._jsparkSession)
