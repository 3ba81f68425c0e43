"""`register`: makes a session know `format("deltaresolver")`."""

from __future__ import annotations

from typing import TYPE_CHECKING

from deltaresolver.spark.source.settings import FILTER_PUSHDOWN, SourceSettings
from deltaresolver.spark.source.spark_abilities import PUSHED_FILTERS

if TYPE_CHECKING:
    from pyspark.sql import SparkSession


def register(spark: SparkSession, *, push_filters: bool = True) -> None:
    """Let the session read, write and stream Delta tables by `format("deltaresolver")`.

    The session's time zone and its settings for Delta are noted now: register again after changing them.
    `push_filters` switches on `spark.sql.python.filterPushdown.enabled`, which lets filters choose files; Spark
    refuses the data source if that is switched off later. Spark 4.0 has no such setting.
    """
    from deltaresolver.spark.source.data_source import DeltaSource

    if push_filters and PUSHED_FILTERS.is_in(spark):
        spark.conf.set(FILTER_PUSHDOWN, "true")
    # A class of its own, for Spark takes classes, not values, to its workers.
    noted = type("RegisteredDeltaSource", (DeltaSource,), {"settings": SourceSettings.of(spark)})
    spark.dataSource.register(noted)
