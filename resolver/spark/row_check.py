"""Whether the rows of a table satisfy a condition: what adding a CHECK constraint asks first."""

from __future__ import annotations

import os
from collections.abc import Mapping
from typing import TYPE_CHECKING

from deltaresolver.errors import ConstraintRefusedError
from deltaresolver.model.row_rules import RowCondition
from deltaresolver.spark.reading.read import read
from deltaresolver.transaction.alter.change_table import RowCheck

if TYPE_CHECKING:
    from pyspark.sql import SparkSession


def row_check(
    spark: SparkSession, path: str | os.PathLike[str], *, storage_options: Mapping[str, str] | None = None
) -> RowCheck:
    """The `row_check` for `Table.add_constraint` on the table at `path`; one Spark job looks at all rows.

    It raises `ConstraintRefusedError` if a row breaks the condition, and as `deltaresolver.spark.read`.
    """

    def check(table_version: int, condition: RowCondition) -> None:
        from pyspark.sql import functions

        rows = read(spark, path, version=table_version, storage_options=storage_options)
        broken = rows.where(~functions.coalesce(functions.expr(condition.sql), functions.lit(False))).count()
        if broken:
            raise ConstraintRefusedError(
                f"The constraint {condition.name} ({condition.sql}) cannot be added: {broken} rows break it.",
                fix="Correct or delete those rows first.",
                details={"constraint": condition.name, "condition": condition.sql, "rows": broken},
                delta_condition="DELTA_NEW_CHECK_CONSTRAINT_VIOLATION",
            )

    return check
