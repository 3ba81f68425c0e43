"""What Spark makes of conditions and values, found out before a statement reads a row: errors are Spark's own.

A condition must give the same answer whenever it is evaluated, as delta-spark demands too. Spark itself refuses any
other as the condition of a join, on Connect as well, where a client knows nothing of plans.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

from deltaresolver.spark.changes.conditions import Given, as_column, shown
from deltaresolver.spark.reading.file_facts import PREFIX
from deltaresolver.spark.writing.row_violations import condition_of

if TYPE_CHECKING:
    from pyspark.sql import Column, DataFrame

_REFUSED = "INVALID_NON_DETERMINISTIC_EXPRESSIONS"
_HIDDEN = "_metadata"
"""What Spark knows of the file that a row comes from; rows that are not read from files have none."""


def ensure_condition(rows: DataFrame, condition: Given) -> None:
    """Raises Spark's `AnalysisException` for a condition that these rows do not have, or that may change its answer."""
    if _HIDDEN in shown(condition).lower():
        return
    holds = as_column(condition)
    _analyse(rows.where(holds))
    _ensure_repeatable(rows, holds)


def _ensure_repeatable(rows: DataFrame, holds: Column) -> None:
    from pyspark.errors import AnalysisException
    from pyspark.sql import functions

    other = rows.sparkSession.range(1).select(functions.lit(0).alias(f"{PREFIX}other"))
    try:
        _analyse(rows.join(other, holds, "left_semi"))
    except AnalysisException as error:
        # What only a join may not have, such as some subqueries, is not a fault of the condition.
        if condition_of(error) == _REFUSED:
            raise _explained(error) from None


def joined(rows: DataFrame, others: DataFrame, condition: Given) -> DataFrame:
    """The pairs of rows for which a condition holds. Raises as `ensure_condition`."""
    from pyspark.errors import AnalysisException

    try:
        pairs = rows.join(others, as_column(condition))
        _analyse(pairs)
    except AnalysisException as error:
        raise _explained(error) from None
    return pairs


def ensure_values(rows: DataFrame, values: Iterable[Given], *, repeatable: bool = False) -> None:
    """Raises Spark's `AnalysisException` for values that cannot be computed from these rows.

    With `repeatable` also for such as `rand()`: delta-spark takes them in a MERGE and refuses them in an UPDATE.
    """
    given = [as_column(value) for value in values if _HIDDEN not in shown(value).lower()]
    if given:
        _analyse(rows.select("*", *given))
    for value in given if repeatable else ():
        _ensure_repeatable(rows, value.isNull())


def _analyse(rows: DataFrame) -> None:
    """Let Connect's server look at the plan; classic Spark has done so already."""
    _ = rows.schema


def _explained(error: Exception) -> Exception:
    if condition_of(error) == _REFUSED:
        error.add_note(
            "Conditions, and the values of an UPDATE, must be the same whenever they are evaluated. Compute the value "
            "once, into a column or a literal, and use that."
        )
    return error
