"""Views over Delta tables where they are named outside of SQL."""

from __future__ import annotations

from typing import TYPE_CHECKING

from deltaresolver.spark.names.identifiers import parse_name
from deltaresolver.spark.sql.context import SqlContext
from deltaresolver.spark.sql.views.stored import rows_of_view
from deltaresolver.spark.sql.views.temporary import refresh

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession


def view_rows(spark: SparkSession, text: str) -> DataFrame | None:
    """What a view of the catalog over Delta tables shows now; None for any other name.

    Spark reads temporary views itself, after this.
    """
    context = SqlContext(spark)
    refresh(context)
    name = parse_name(text)
    view = None if name is None else context.view_called(name)
    return None if view is None else rows_of_view(context, view)
