"""What happens when somebody says `format("deltaresolver")`: PySpark gives no hook for it but `format` itself.

Spark looks for data sources of Python in the thread's active session. A thread that was started by Python has none,
although the DataFrame that is written knows its session: so `format` sets it, only where the thread has no other. And
the settings that the data source noted of the session may have changed since: so `format` says so.
"""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from deltaresolver.spark.session import is_connect

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

_MARK = "__deltaresolver__"


def attend_to_format(spark: SparkSession, source: str, named: Callable[[SparkSession], None]) -> None:
    """Make `format(source)` of classic PySpark's readers and writers work in every thread of this process.

    `named` is called with the session whenever somebody gives the name.
    """
    if is_connect(spark):
        return
    from pyspark.sql.readwriter import DataFrameReader, DataFrameWriter
    from pyspark.sql.streaming.readwriter import DataStreamReader, DataStreamWriter

    kinds: tuple[Any, ...] = (DataFrameReader, DataFrameWriter, DataStreamReader, DataStreamWriter)
    for kind in kinds:
        if not hasattr(kind.format, _MARK):
            kind.format = _with_session(kind.format, source, named)


def _with_session(
    original: Callable[..., Any], source: str, named: Callable[[SparkSession], None]
) -> Callable[..., Any]:
    @functools.wraps(original)
    def format_in_thread(self: Any, given: str) -> Any:
        if isinstance(given, str) and given.lower() == source:
            _activate(self._spark)
            named(self._spark)
        return original(self, given)

    setattr(format_in_thread, _MARK, True)
    return format_in_thread


def _activate(spark: Any) -> None:
    sessions = spark._jvm.SparkSession
    if sessions.getActiveSession().isEmpty():
        sessions.setActiveSession(spark._jsparkSession)
