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

_TYPES_DIFFER = "DELTA_GENERATED_COLUMNS_EXPR_TYPE_MISMATCH"
_NEVER = ("DATATYPE_MISMATCH", "CAST_INVALID_INPUT", "CAST_OVERFLOW", "NUMERIC_VALUE_OUT_OF_RANGE")
"""What Spark says of a value that no row of the column can take; anything else the declaration itself judges."""


def ensure_values_fit(spark: SparkSession, schema: StructType) -> None:
    """Raises `SchemaRuleError` for a default that cannot be cast to its column's type.

    And for an expression of a generated column that has another type: a writer may not be able to compare the two.
    """
    empty: DataFrame | None = None
    for field in schema.fields:
        notes = field.metadata or {}
        if GENERATION_EXPRESSION in notes:
            empty = spark.createDataFrame([], spark_schema(schema)) if empty is None else empty
            _ensure_generates(empty, field, str(notes[GENERATION_EXPRESSION]))
        elif COLUMN_DEFAULT in notes:
            ensure_default_fits(spark, field, str(notes[COLUMN_DEFAULT]))


def ensure_default_fits(spark: SparkSession, field: StructField, default: str) -> None:
    """As `ensure_values_fit`, for one default. It is evaluated, which takes no job of Spark."""
    what = f"Default of column {field.name}"
    try:
        value = checked_column(checked_expression(default, what, (), is_constant=True))
        plain_sql(spark, "SELECT 1").select(value.cast(spark_type(field.type))).collect()
    except Exception as error:
        if _is_judged_elsewhere(error):
            return
        told = f"cannot be cast to {field.type}, the type of {quote_path((field.name,))}: no row could be written"
        raise _unfit(field, what, default, told, "INVALID_DEFAULT_VALUE.DATA_TYPE") from error


def _ensure_generates(empty: DataFrame, field: StructField, text: str) -> None:
    what = f"Generated column {field.name}"
    try:
        value = checked_column(checked_expression(text, what, [name.lower() for name in empty.columns]))
        found = empty.select(value).schema[0].dataType.simpleString()
    except Exception as error:
        if _is_judged_elsewhere(error):
            return
        raise _unfit(field, what, text, "cannot be evaluated: no row could be written", _TYPES_DIFFER) from error
    declared = spark_type(field.type).simpleString()
    if found != declared:
        told = f"is of the type {found}, but {quote_path((field.name,))} is {declared}"
        raise _unfit(field, what, text, told, _TYPES_DIFFER)


def _is_judged_elsewhere(error: Exception) -> bool:
    """Whether the declaration itself is refused for it, with an error that says more.

    Raises the error again if it is not Spark's.
    """
    if isinstance(error, TableExpressionRefusedError):
        return True  # unless the session trusts expressions
    if not is_of_spark(error):
        raise error
    return not any(condition in str(error) for condition in _NEVER)


def _unfit(field: StructField, what: str, text: str, told: str, condition: str) -> SchemaRuleError:
    declared = spark_type(field.type).simpleString()
    return SchemaRuleError(
        f"{what} is {text}, which {told}.",
        fix=f"Write an expression of the type {declared}, or declare {field.name} with another type.",
        details={"column": field.name, "expression": text, "type": str(field.type)},
        delta_condition=condition,
    )
