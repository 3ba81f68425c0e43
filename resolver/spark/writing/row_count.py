"""How many rows Spark hands to its Parquet writer, counted by the tasks that write and without another job.

The count is exact although tasks fail, are repeated or run twice: it is taken above everything else in the plan, so
that it belongs to the last stage, and Spark adds a task's count there once for each partition, when the first attempt
of it has succeeded. A count below a shuffle would grow when a stage is run again.
"""

from __future__ import annotations

import time
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from deltaresolver.spark.session import is_connect

if TYPE_CHECKING:
    from pyspark.sql import Column, DataFrame

ROWS = "rows"
_LONGEST_WAIT = 30.0
"""Seconds. The count comes by the same way as all news of a query, which a very busy driver may drop."""
_PAUSE = 0.001


class RowCount:
    """Counts the rows of `rows`, and of them those for which each of `also` is true, when `frame` is written."""

    def __init__(self, rows: DataFrame, also: Mapping[str, Column] | None = None) -> None:
        from pyspark.sql import functions

        self._observation: Any = _observation(rows)
        counts = [functions.expr("count(1)").alias(ROWS)]
        counts += [functions.count_if(condition).alias(name) for name, condition in (also or {}).items()]
        self.frame: DataFrame = rows.observe(self._observation, *counts)

    def found(self) -> Mapping[str, int] | None:
        """The counts by name, `ROWS` for all rows, after the write; None if Spark never reported them."""
        # Only classic sessions keep it in the JVM; a Connect client has it with the answer to the write.
        inside = getattr(self._observation, "_jo", None)
        if inside is not None and not _is_completed(inside):
            return None
        counts: Mapping[str, Any] = self._observation.get
        return {name: int(count or 0) for name, count in counts.items()} if ROWS in counts else None


def _is_completed(observation: Any) -> bool:
    """Whether the count has arrived, after waiting for it: asking for one that never comes would wait forever."""
    end = time.monotonic() + _LONGEST_WAIT
    while not observation.future().isCompleted():
        if time.monotonic() > end:
            return False
        time.sleep(_PAUSE)
    return True


def _observation(rows: DataFrame) -> Any:
    """An observation of the kind of the rows' session; a process may have sessions of both."""
    if is_connect(rows.sparkSession):
        from pyspark.sql.connect.observation import Observation as ConnectObservation

        return ConnectObservation()
    from pyspark.sql.observation import Observation

    return Observation()
