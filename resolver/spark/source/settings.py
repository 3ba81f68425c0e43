"""What the data source knows of the session that registered it.

Spark runs a data source in Python processes of its own, which have no session; so the settings that matter are taken
along when it is registered.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

import attrs

from deltaresolver.expressions.allowed_functions import TRUST
from deltaresolver.expressions.text.reading import STANDARD, SqlReading
from deltaresolver.spark.declared_lengths import AS_STRINGS, are_strings
from deltaresolver.spark.parquet_calendar import DATETIME_READ_MODE, INT96_READ_MODE
from deltaresolver.spark.session import find_setting, session_reading, session_time_zone

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

FILTER_PUSHDOWN = "spark.sql.python.filterPushdown.enabled"
BATCH_BYTES = "spark.sql.execution.arrow.maxBytesPerBatch"
UNMEASURED = str(2**31 - 1)
"""The value of `BATCH_BYTES` with which Spark does not look at a batch's size after every row."""
_DELTA = "spark.databricks.delta."
_NEEDED = (
    "spark.sql.sources.partitionOverwriteMode",
    "spark.sql.files.maxPartitionBytes",
    TRUST,
    DATETIME_READ_MODE,
    INT96_READ_MODE,
    AS_STRINGS,
)


@attrs.frozen(slots=True)
class SourceSettings:
    """Settings of the session, as they were at registration."""

    time_zone: str = "UTC"
    values: Mapping[str, str] = attrs.field(factory=dict, hash=False)
    pushes_filters: bool = False
    reading: SqlReading = STANDARD

    @property
    def calendar_modes(self) -> Mapping[str, str]:
        """In which calendar the session reads Parquet files that do not name the Spark that wrote them."""
        return {key: self.values[key] for key in (DATETIME_READ_MODE, INT96_READ_MODE) if key in self.values}

    @property
    def takes_lengths_for_strings(self) -> bool:
        """Whether the session passes over the lengths of char(n) and varchar(n)."""
        return are_strings(self.values.get(AS_STRINGS))

    @classmethod
    def of(cls, spark: SparkSession) -> SourceSettings:
        """The settings that reading and writing tables look at."""
        values = {key: value for key, value in dict(spark.conf.getAll).items() if key.startswith(_DELTA)}
        values |= _needed(spark)
        pushes = (find_setting(spark, FILTER_PUSHDOWN) or "false").lower() == "true"
        return cls(session_time_zone(spark), values, pushes, session_reading(spark))

    def renewed(self, spark: SparkSession) -> SourceSettings:
        """The same with what decides on rows as the session has it now."""
        values = {key: value for key, value in self.values.items() if key not in _NEEDED} | _needed(spark)
        return attrs.evolve(self, time_zone=session_time_zone(spark), values=values, reading=session_reading(spark))


def _needed(spark: SparkSession) -> dict[str, str]:
    return {key: found for key in _NEEDED if (found := find_setting(spark, key)) is not None}
