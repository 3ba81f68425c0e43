"""`enable` and `disable`: one session in which Delta's format, SQL and names mean this library.

The session object gets a class of its own, so that no other session is touched. DataFrames are made by PySpark in many
places and know only their session: their `write`, `writeTo` and `writeStream` look at it, from the first `enable` to
the last `disable`.
"""

from __future__ import annotations

import functools
from collections.abc import Callable
from functools import lru_cache
from typing import TYPE_CHECKING, Any
from weakref import WeakSet

from deltaresolver.errors import SessionNotEnabledError
from deltaresolver.spark.enabled.catalog import EnabledCatalog
from deltaresolver.spark.enabled.merge_writer import merge_writer
from deltaresolver.spark.enabled.noted import Noted, with_notes
from deltaresolver.spark.enabled.readers import EnabledReader, EnabledStreamReader
from deltaresolver.spark.enabled.writer_v2 import EnabledWriterV2
from deltaresolver.spark.enabled.writers import EnabledStreamWriter, EnabledWriter
from deltaresolver.spark.session import PLAIN, is_connect
from deltaresolver.spark.settings.check import check_settings
from deltaresolver.spark.settings.session_values import SessionValues
from deltaresolver.spark.source.register import register
from deltaresolver.spark.spark_errors import told_as_spark
from deltaresolver.spark.sql.run import statement

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

ENABLED = "deltaresolver.enabled"
"""The setting by which copies of a session, as `foreachBatch` gives them, are known to be enabled."""
_CATALOG = "_deltaresolver_catalog"
_JAR = "spark.sql.catalog.spark_catalog"
_enabled: WeakSet[Any] = WeakSet()
_originals: dict[tuple[type, str], Any] = {}


def enable(spark: SparkSession) -> SparkSession:
    """Let format("delta"), `sql`, `table`, `saveAsTable`, `writeTo` and their like of the session mean this library.

    Only this session is changed, classic or Connect, and it is returned. Other tables are Spark's as before.
    `disable` undoes it. Raises `SessionNotEnabledError` for a session that has delta-spark's JAR.
    """
    kind: Any = type(spark)
    if hasattr(kind, PLAIN):
        return spark
    if "delta" in (spark.conf.get(_JAR, "") or "").lower():
        raise SessionNotEnabledError(
            'The session has delta-spark\'s catalog, which answers for format("delta") already.',
            fix=f"Start the session without {_JAR} and spark.sql.extensions of Delta's, or use ds.sql and ds.read.",
            details={"catalog": spark.conf.get(_JAR, "")},
        )
    check_settings(SessionValues(spark))
    register(spark)
    spark.__class__ = _session_class(kind)
    spark.conf.set(ENABLED, "true")
    _enabled.add(spark)
    _wrap_frames(is_remote=is_connect(spark))
    return spark


def disable(spark: SparkSession) -> SparkSession:
    """Give the session back to Spark alone; DataFrames that were made stay readable. Returns the session."""
    kind: Any = type(spark)
    plain = getattr(kind, PLAIN, None)
    if plain is None:
        return spark
    spark.__class__ = plain
    vars(spark).pop(_CATALOG, None)
    spark.conf.unset(ENABLED)
    _enabled.discard(spark)
    if not any(is_connect(each) == is_connect(spark) for each in _enabled):
        _unwrap_frames(_frame_class(is_remote=is_connect(spark)))
    return spark


def is_enabled(spark: Any) -> bool:
    """Whether this library answers for the session, or for the one that it was copied from."""
    return hasattr(type(spark), PLAIN) or (spark.conf.get(ENABLED, "false") or "").lower() == "true"


class _SessionMethods:
    """What an enabled session does otherwise."""

    def sql(self: Any, sqlQuery: str, args: Any = None, **kwargs: Any) -> DataFrame:
        """As SparkSession.sql; statements on Delta tables by this library."""
        with told_as_spark():
            return statement(self, sqlQuery, args, kwargs)

    def table(self: Any, tableName: str) -> DataFrame:
        """As SparkSession.table; Delta tables by this library."""
        rows: DataFrame = self.read.table(tableName)
        return rows

    @property
    def read(self) -> Any:
        """As SparkSession.read."""
        return _noting(super().read, EnabledReader, Noted(self))  # type: ignore[misc, arg-type]

    @property
    def readStream(self) -> Any:
        """As SparkSession.readStream."""
        return _noting(super().readStream, EnabledStreamReader, Noted(self))  # type: ignore[misc, arg-type]

    @property
    def catalog(self) -> Any:
        """As SparkSession.catalog."""
        made = vars(self).get(_CATALOG)
        if made is None:
            kind = type(super().catalog)  # type: ignore[misc]
            made = with_notes(kind, EnabledCatalog)(self)
            vars(made)["_session"] = self
            vars(self)[_CATALOG] = made
        return made

    def newSession(self: Any) -> Any:
        """As SparkSession.newSession: the new one is not enabled."""
        made = super().newSession()  # type: ignore[misc]
        made.__class__ = getattr(type(self), PLAIN)
        return made


@lru_cache(maxsize=16)
def _session_class(kind: type) -> type:
    return type(kind.__name__, (_SessionMethods, kind), {PLAIN: kind, "__module__": kind.__module__})


def _noting(made: Any, mixin: type, noted: Noted) -> Any:
    made.__class__ = with_notes(type(made), mixin)
    vars(made)["_noted"] = noted
    return made


# --- DataFrames ---------------------------------------------------------------------------------------


def _frame_class(*, is_remote: bool) -> Any:
    if is_remote:
        from pyspark.sql.connect.dataframe import DataFrame as Remote

        return Remote
    from pyspark.sql.classic.dataframe import DataFrame as Classic

    return Classic


def _wrap_frames(*, is_remote: bool) -> None:
    kind = _frame_class(is_remote=is_remote)
    if (kind, "write") in _originals:
        return
    for name, mixin in (("write", EnabledWriter), ("writeStream", _StreamWriter)):
        _originals[kind, name] = kind.__dict__[name]
        setattr(kind, name, _property(kind.__dict__[name], mixin))
    original = kind.__dict__["writeTo"]
    _originals[kind, "writeTo"] = original

    def writeTo(self: Any, table: str) -> Any:
        made = original(self, table)
        session = self.sparkSession
        return _noting(made, EnabledWriterV2, Noted(session, self, table)) if is_enabled(session) else made

    writeTo.__doc__ = original.__doc__
    kind.writeTo = writeTo
    if "mergeInto" in kind.__dict__:  # since Spark 4.0
        _wrap_merges(kind)


class _StreamWriter(EnabledStreamWriter):
    def foreachBatch(self, func: Any) -> Any:
        """As PySpark's; the session of a batch, a copy of this one, is enabled as well, but not on Connect.

        There the function is called in a process of the server.
        """
        return super().foreachBatch(func if is_connect(self._noted.spark) else _in_enabled_session(func))


def _in_enabled_session(func: Callable[[Any, int], None]) -> Callable[[Any, int], None]:
    @functools.wraps(func)
    def called(rows: Any, number: int) -> None:
        session = rows.sparkSession
        kind: Any = type(session)
        if not hasattr(kind, PLAIN):
            session.__class__ = _session_class(kind)
        func(rows, number)

    return called


def _wrap_merges(kind: Any) -> None:
    original = kind.__dict__["mergeInto"]
    _originals[kind, "mergeInto"] = original

    def mergeInto(self: Any, table: str, condition: Any) -> Any:
        found = merge_writer(self, table, condition) if is_enabled(self.sparkSession) else None
        return original(self, table, condition) if found is None else found

    mergeInto.__doc__ = original.__doc__
    kind.mergeInto = mergeInto


def _property(original: Any, mixin: type) -> property:
    def get(self: Any) -> Any:
        made = original.fget(self)
        session = self.sparkSession
        return _noting(made, mixin, Noted(session, self)) if is_enabled(session) else made

    return property(get, doc=original.__doc__)


def _unwrap_frames(kind: Any) -> None:
    for held, name in list(_originals):
        if held is kind:
            setattr(kind, name, _originals.pop((held, name)))
