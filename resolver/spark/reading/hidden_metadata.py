"""`_metadata` of rows that come from several scans.

Spark gives the hidden column `_metadata` through every operation but a union. So each part carries it as a column, and
the union hides it again, in the way in which Spark hides one of the two key columns of a join by name.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from deltaresolver.spark.reading.file_facts import PREFIX

if TYPE_CHECKING:
    from pyspark.sql import Column, DataFrame

NAME = "_metadata"
_CARRIED = f"{PREFIX}metadata"
_HIDDEN = {"__metadata_col": NAME}
"""The mark by which Spark knows hidden columns."""


def with_hidden(rows: DataFrame) -> DataFrame:
    """The rows of a scan with its `_metadata` as a column."""
    return rows.select("*", rows.metadataColumn(NAME).alias(_CARRIED))


def hidden_column() -> Column:
    """That column, as the last one of a part."""
    from pyspark.sql import functions

    return functions.col(_CARRIED).alias(NAME, metadata=_HIDDEN)


def without_hidden(rows: DataFrame) -> DataFrame:
    """The union of such parts with its last column hidden; for classic sessions."""
    shown: Any = rows.drop(NAME)
    classic: Any = rows.sparkSession
    plan = shown._jdf.queryExecution().analyzed()  # noqa: SLF001 - PySpark shows plans in no other way
    jvm = classic._jvm  # noqa: SLF001
    hidden = jvm.java.util.ArrayList()
    hidden.add(plan.child().output().last())
    tag = jvm.org.apache.spark.sql.catalyst.plans.logical.Project.hiddenOutputTag()
    plan.setTagValue(tag, jvm.PythonUtils.toSeq(hidden))
    given: DataFrame = shown
    return given
