"""`register`: makes a session know `format("deltaresolver")`."""

from __future__ import annotations

from typing import TYPE_CHECKING

from deltaresolver.spark.source.settings import BATCH_BYTES, FILTER_PUSHDOWN, UNMEASURED, SourceSettings
from deltaresolver.spark.source.spark_abilities import PUSHED_FILTERS
from deltaresolver.spark.source.thread_sessions import acting, find_sessions_in_threads

if TYPE_CHECKING:
    from pyspark.sql import SparkSession


def register(spark: SparkSession, *, push_filters: bool = True, measure_batches: bool = False) -> None:
    """Let the session read, write and stream Delta tables by `format("deltaresolver")`.

    The session's time zone and its settings for Delta are noted now: register again after changing them.
    `push_filters` switches on `spark.sql.python.filterPushdown.enabled`, which lets filters choose files; Spark
    refuses the data source if that is switched off later. Spark 4.0 has no such setting.

    Rows reach the tasks in batches of `spark.sql.execution.arrow.maxRecordsPerBatch` rows. Spark can end them by
    their size too, and to add that up after every row takes it several times as long as all the rest; so
    `spark.sql.execution.arrow.maxBytesPerBatch` is set to no limit, unless the session has a value of its own or
    `measure_batches` leaves it alone.

    Classic Spark looks for the source in the active session of a thread. So that Python threads have one, `format` of
    PySpark's writers and stream readers is wrapped, once for the process and for this source's name alone. So is its
    `sql`, which refuses to make and to alter Delta tables in Spark's catalog alone and names `ds.sql` (DR771).
    """
    from deltaresolver.spark.source.data_source import NAME, DeltaSource
    from deltaresolver.spark.sql.plain import guard_plain_sql

    if push_filters and PUSHED_FILTERS.is_in(spark):
        spark.conf.set(FILTER_PUSHDOWN, "true")
    if not measure_batches and BATCH_BYTES not in dict(spark.conf.getAll):
        spark.conf.set(BATCH_BYTES, UNMEASURED)
    # A class of its own, for Spark takes classes, not values, to its workers.
    noted = type("RegisteredDeltaSource", (DeltaSource,), {"settings": SourceSettings.of(spark)})
    # Spark takes a source of the acting session for one that is there already, whoever registers.
    with acting(spark):
        spark.dataSource.register(noted)
    find_sessions_in_threads(spark, NAME)
    guard_plain_sql(spark)
