"""Whether the rows of a table satisfy a condition: what adding a CHECK constraint asks first."""

from __future__ import annotations

import os
from collections.abc import Mapping
from typing import TYPE_CHECKING

from deltaresolver.errors import ConstraintRefusedError
from deltaresolver.expressions.allowed import checked_expression
from deltaresolver.expressions.allowed_functions import TRUST
from deltaresolver.model.row_rules import RowCondition
from deltaresolver.spark.every_row import every_file
from deltaresolver.spark.reading.read import read
from deltaresolver.spark.session import find_setting
from deltaresolver.spark.writing.checked_columns import checked_column
from deltaresolver.transaction.alter.change_table import RowCheck

if TYPE_CHECKING:
    from pyspark.sql import SparkSession


def row_check(
    spark: SparkSession,
    path: str | os.PathLike[str],
    *,
    storage_options: Mapping[str, str] | None = None,
    trust_expressions: bool = False,
) -> RowCheck:
    """The `row_check` for `Table.add_constraint` on the table at `path`; one Spark job looks at all rows.

    The check raises `ConstraintRefusedError` if a row breaks the condition, `TableExpressionRefusedError` for one that
    no writer would evaluate later, unless `trust_expressions`, and as `deltaresolver.spark.read`.
    """

    def check(table_version: int, condition: RowCondition) -> None:
        from pyspark.sql import functions

        rows = read(spark, path, version=table_version, storage_options=storage_options)
        trusts = trust_expressions or (find_setting(spark, TRUST) or "").lower() == "true"
        names = [name.lower() for name in rows.columns]
        holds = checked_expression(condition.sql, f"Constraint {condition.name}", names, is_trusted=trusts)
        with every_file(spark):
            broken = rows.where(~functions.coalesce(checked_column(holds), functions.lit(False))).count()
        if broken:
            raise ConstraintRefusedError(
                f"The constraint {condition.name} ({condition.sql}) cannot be added: {broken} rows break it.",
                fix="Correct or delete those rows first.",
                details={"constraint": condition.name, "condition": condition.sql, "rows": broken},
                delta_condition="DELTA_NEW_CHECK_CONSTRAINT_VIOLATION",
            )

    return check
