"""What a job needs of a Spark session, classic or Connect alike: only calls that both know."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from deltaresolver.expressions.conditions import standard_text
from deltaresolver.expressions.text.reading import SqlReading, depends_on_session

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

PLAIN = "_class_before_deltaresolver"
"""Where the class of a session that `ds.enable` changed keeps the class that it had."""
UNGUARDED = "_sql_before_deltaresolver"
"""Where the `sql` that `ds.register` put before PySpark's keeps that one."""
_TIME_ZONE = "spark.sql.session.timeZone"
_TIMESTAMP = "spark.sql.timestampType"


def is_connect(spark: SparkSession) -> bool:
    """Whether the session is a client of a Spark Connect server."""
    return any(kind.__module__.startswith("pyspark.sql.connect.") for kind in type(spark).__mro__)


def session_id(spark: Any) -> str:
    """The same for every object of Python that stands for this session, and for no other session."""
    if is_connect(spark):
        return str(spark.session_id)
    return str(spark._jsparkSession.sessionUUID())  # noqa: SLF001 - PySpark has no name for it


def is_of_spark(error: BaseException) -> bool:
    """Whether Spark raised it; what the JVM raises may come through py4j, which Connect clients need not have."""
    return any(kind.__module__.startswith(("pyspark.", "py4j.")) for kind in type(error).__mro__)


def session_time_zone(spark: SparkSession) -> str:
    """The zone in which the session reads timestamps that name none."""
    return find_setting(spark, _TIME_ZONE) or "UTC"


def find_setting(spark: SparkSession, key: str) -> str | None:
    """A setting of the session, its default where Spark knows one, else None."""
    value = spark.conf.get(key, None)
    return None if value is None else str(value)


def timestamp_type(spark: SparkSession) -> str:
    """What the session calls TIMESTAMP, as a type of Delta."""
    return "timestamp_ntz" if find_setting(spark, _TIMESTAMP) == "TIMESTAMP_NTZ" else "timestamp"


def plain_sql(spark: SparkSession, text: str, args: Any = None, **frames: DataFrame) -> DataFrame:
    """What Spark itself makes of a statement, whoever has the `sql` of the session; `frames` stand in braces."""
    kind = getattr(type(spark), PLAIN, type(spark))
    own = getattr(kind.sql, UNGUARDED, kind.sql)
    rows: DataFrame = own(spark, text, args, **frames)
    return rows


def session_reading(spark: SparkSession) -> SqlReading:
    """How the session reads the literals of SQL."""
    return SqlReading.of(lambda key: find_setting(spark, key))


def standard_condition(spark: SparkSession, text: str) -> str:
    """A condition as a session with default settings would write it. Raises `PredicateUnreadableError`."""
    return standard_text(text, session_reading(spark)) if depends_on_session(text) else text


def local_session() -> SparkSession:
    """A small quiet session on this machine, in UTC: the one already running, or a new one with two cores."""
    from pyspark.sql import SparkSession

    builder = SparkSession.builder.master("local[2]").appName("deltaresolver")
    for key, value in _LOCAL.items():
        builder = builder.config(key, value)
    return builder.getOrCreate()


_LOCAL = {
    "spark.ui.enabled": "false",
    "spark.ui.showConsoleProgress": "false",
    "spark.sql.shuffle.partitions": "2",
    _TIME_ZONE: "UTC",
}


@contextmanager
def acting(spark: Any) -> Iterator[None]:
    """Within the block, Spark takes this session for the one that acts: it looks there for data sources by name."""
    if is_connect(spark):
        yield
        return
    sessions = spark._jvm.SparkSession  # noqa: SLF001 - as above
    before = sessions.getActiveSession()
    sessions.setActiveSession(spark._jsparkSession)  # noqa: SLF001 - as above
    try:
        yield
    finally:
        if before.isDefined():
            sessions.setActiveSession(before.get())
        else:
            sessions.clearActiveSession()
