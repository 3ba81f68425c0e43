"""Defaults and generated columns that a statement declares: what could never be written is refused at once."""

from __future__ import annotations

from typing import TYPE_CHECKING

from deltaresolver.errors import SchemaRuleError, TableExpressionRefusedError
from deltaresolver.expressions.allowed import checked_expression
from deltaresolver.model.facts.keys import COLUMN_DEFAULT, GENERATION_EXPRESSION
from deltaresolver.model.schema import StructField, StructType, quote_path
from deltaresolver.spark.schema import spark_schema
from deltaresolver.spark.session import is_of_spark, plain_sql
from deltaresolver.spark.writing.checked_columns import checked_column
from deltaresolver.spark.writing.fitted_columns import spark_type

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

_NEVER = ("DATATYPE_MISMATCH", "CAST_INVALID_INPUT", "CAST_OVERFLOW", "NUMERIC_VALUE_OUT_OF_RANGE")
"""What Spark says of a value that no row of the column can take; anything else the declaration itself judges."""


def ensure_values_fit(spark: SparkSession, schema: StructType) -> None:
    """Raises `SchemaRuleError` for a default or a generated value that cannot be cast to the type of its column."""
    empty: DataFrame | None = None
    for field in schema.fields:
        notes = field.metadata or {}
        if GENERATION_EXPRESSION in notes:
            empty = spark.createDataFrame([], spark_schema(schema)) if empty is None else empty
            _ensure_fits(empty, field, str(notes[GENERATION_EXPRESSION]), [each.name.lower() for each in schema.fields])
        elif COLUMN_DEFAULT in notes:
            ensure_default_fits(spark, field, str(notes[COLUMN_DEFAULT]))


def ensure_default_fits(spark: SparkSession, field: StructField, default: str) -> None:
    """As `ensure_values_fit`, for one default. It is evaluated, which takes no job of Spark."""
    _ensure_fits(plain_sql(spark, "SELECT 1"), field, default, None)


def _ensure_fits(rows: DataFrame, field: StructField, text: str, columns: list[str] | None) -> None:
    is_default = columns is None
    what = f"{'Default of' if is_default else 'Generated'} column {field.name}"
    try:
        value = checked_column(checked_expression(text, what, columns or (), is_constant=is_default))
    except TableExpressionRefusedError:
        return  # which the declaration itself is refused for, unless the session trusts expressions
    try:
        found = rows.select(value.cast(spark_type(field.type)))
        if is_default:
            found.collect()
    except Exception as error:
        if not is_of_spark(error):
            raise
        if not any(condition in str(error) for condition in _NEVER):
            return  # the declaration itself is judged elsewhere, with an error that says more
        raise SchemaRuleError(
            f"{what} is {text}, which cannot be cast to {field.type}, the type of {quote_path((field.name,))}: no row "
            "could be written.",
            fix=f"Write an expression of the type {field.type}, or declare {field.name} with another type.",
            details={"column": field.name, "expression": text, "type": str(field.type)},
            delta_condition="INVALID_DEFAULT_VALUE.DATA_TYPE"
            if is_default
            else "DELTA_GENERATED_COLUMNS_EXPR_TYPE_MISMATCH",
        ) from error
