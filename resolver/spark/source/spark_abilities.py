"""What a Spark lets its data sources do, and since which release."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import attrs

if TYPE_CHECKING:
    from pyspark.sql import SparkSession


@attrs.frozen(slots=True)
class SparkAbility:
    """One thing that came after Spark 4.0.

    since      the first release that has it
    is_here    whether the Spark of this process has it: tasks run the Spark of the cluster, whatever a client has
    """

    name: str
    since: tuple[int, int]
    is_here: Callable[[], bool]

    @property
    def release(self) -> str:
        """The first release as people write it."""
        return ".".join(map(str, self.since))

    def is_in(self, spark: SparkSession) -> bool:
        """Whether the Spark of a session has it; that of the server, where the session is a client's."""
        major, minor, *_ = spark.version.split(".")
        return (int(major), int(minor)) >= self.since


def _has(owner: str, name: str) -> bool:
    from pyspark.sql import datasource

    found: Any = getattr(datasource, owner, None)
    return hasattr(found, name)


PUSHED_FILTERS = SparkAbility(
    "filters of a query choose files and rows", (4, 1), lambda: _has("DataSourceReader", "pushFilters")
)
LIMITED_BATCHES = SparkAbility(
    "a stream limits its batches", (4, 2), lambda: _has("DataSourceStreamReader", "getDefaultReadLimit")
)
SPARK_ABILITIES = (PUSHED_FILTERS, LIMITED_BATCHES)
