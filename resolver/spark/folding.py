"""Many expressions or frames put together as one that is not deep.

What is folded from the left nests as deep as there are parts, and the JVM goes through expressions and plans
recursively: some hundred parts overflow its stack.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING, Any, TypeVar

if TYPE_CHECKING:
    from pyspark.sql import Column, DataFrame

T = TypeVar("T")
METADATA = "_metadata"
_CARRIED = "__deltaresolver_metadata"
_HIDDEN = {"__metadata_col": METADATA}
"""The mark by which Spark knows hidden columns."""


def balanced(combine: Callable[[T, T], T], parts: Iterable[T]) -> T:
    """All parts in their order, combined by an associative `combine` so that none lies deep. At least one is needed."""
    level = list(parts)
    while len(level) > 1:
        left_over = level[len(level) // 2 * 2 :]
        level = [combine(one, other) for one, other in zip(level[::2], level[1::2], strict=False)] + left_over
    return level[0]


def union(parts: Iterable[DataFrame]) -> DataFrame:
    """The rows of all frames, by the names of their columns."""
    return balanced(lambda one, other: one.unionByName(other), parts)


# --- _metadata ----------------------------------------------------------------------------------------
#
# Spark gives the hidden column `_metadata` through every operation but a union. So each part carries it as a column,
# and the union hides it again, as Spark hides one of the two key columns of a join by name.


def with_hidden(rows: DataFrame) -> DataFrame:
    """The rows of a scan with its `_metadata` as a column."""
    return rows.select("*", rows.metadataColumn(METADATA).alias(_CARRIED))


def hidden_column() -> Column:
    """That column, as the last one of a part."""
    from pyspark.sql import functions

    return functions.col(_CARRIED).alias(METADATA, metadata=_HIDDEN)


def without_hidden(rows: DataFrame) -> DataFrame:
    """The union of such parts with its last column hidden; for classic sessions."""
    shown: Any = rows.drop(METADATA)
    classic: Any = rows.sparkSession
    plan = shown._jdf.queryExecution().analyzed()  # noqa: SLF001 - PySpark shows plans in no other way
    jvm = classic._jvm  # noqa: SLF001
    hidden = jvm.java.util.ArrayList()
    hidden.add(plan.child().output().last())
    tag = jvm.org.apache.spark.sql.catalyst.plans.logical.Project.hiddenOutputTag()
    plan.setTagValue(tag, jvm.PythonUtils.toSeq(hidden))
    given: DataFrame = shown
    return given
