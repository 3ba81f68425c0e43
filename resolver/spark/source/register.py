"""`register`: makes a session know `format("deltaresolver")`."""

from __future__ import annotations

from typing import TYPE_CHECKING

from deltaresolver.spark.session import acting, session_id
from deltaresolver.spark.source.settings import BATCH_BYTES, FILTER_PUSHDOWN, UNMEASURED, SourceSettings
from deltaresolver.spark.source.spark_abilities import PUSHED_FILTERS
from deltaresolver.spark.source.thread_sessions import attend_to_format

if TYPE_CHECKING:
    from pyspark.sql import SparkSession


def register(spark: SparkSession, *, push_filters: bool = True, measure_batches: bool = False) -> None:
    """Let the session read, write and stream Delta tables by `format("deltaresolver")`.

    The session's time zone and its settings for Delta are noted now. On classic Spark each `format("deltaresolver")` in
    this process notes the time zone and what else decides on rows anew; otherwise register again after changing them.
    `push_filters` switches on `spark.sql.python.filterPushdown.enabled`, which lets filters choose files; Spark
    refuses the data source if that is switched off later. Spark 4.0 has no such setting.

    Rows reach the tasks in batches of `spark.sql.execution.arrow.maxRecordsPerBatch` rows. Spark can end them by
    their size too, and to add that up after every row takes it several times as long as all the rest; so
    `spark.sql.execution.arrow.maxBytesPerBatch` is set to no limit, unless the session has a value of its own or
    `measure_batches` leaves it alone.

    Classic Spark looks for the source in the active session of a thread. So that Python threads have one, `format` of
    PySpark's readers and writers is wrapped, once for the process and for this source's name alone. So is its
    `sql`, which refuses to make and to alter Delta tables in Spark's catalog alone and names `ds.sql` (DR771).
    """
    from deltaresolver.spark.source.data_source import NAME
    from deltaresolver.spark.sql.plain import guard_plain_sql

    if push_filters and PUSHED_FILTERS.is_in(spark):
        spark.conf.set(FILTER_PUSHDOWN, "true")
    if not measure_batches and BATCH_BYTES not in dict(spark.conf.getAll):
        spark.conf.set(BATCH_BYTES, UNMEASURED)
    _note(spark, SourceSettings.of(spark))
    attend_to_format(spark, NAME, _note_changes)
    guard_plain_sql(spark)


_NOTED: dict[str, SourceSettings] = {}
"""What the data source knows of each session, by its id."""


def _note(spark: SparkSession, settings: SourceSettings) -> None:
    from deltaresolver.spark.source.data_source import DeltaSource

    _NOTED[session_id(spark)] = settings
    # A class of its own, for Spark takes classes, not values, to its workers.
    noted = type("RegisteredDeltaSource", (DeltaSource,), {"settings": settings})
    # Spark takes a source of the acting session for one that is there already, whoever registers.
    with acting(spark):
        spark.dataSource.register(noted)


def _note_changes(spark: SparkSession) -> None:
    """An overwrite of partitions would else go by the mode of another time, and replace the table."""
    known = _NOTED.get(session_id(spark))
    if known is not None and (settings := known.renewed(spark)) != known:
        _note(spark, settings)
