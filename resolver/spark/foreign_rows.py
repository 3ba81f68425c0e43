"""Rows of pandas, polars and Arrow as a DataFrame of Spark."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from deltaresolver.errors import ArgumentInvalidError, ArgumentTypeError

if TYPE_CHECKING:
    import pyarrow as pa
    from pyspark.sql import DataFrame, SparkSession


def spark_rows(rows: Any, spark: SparkSession | None = None) -> DataFrame:
    """The rows as Spark has them. Raises `ArgumentTypeError`, `ArgumentInvalidError` without a session."""
    from pyspark.sql import DataFrame

    if isinstance(rows, DataFrame):
        return rows
    is_pandas = type(rows).__module__.partition(".")[0] == "pandas"
    if not is_pandas and not hasattr(rows, "__arrow_c_stream__"):
        raise ArgumentTypeError(
            f"Rows to write must be a DataFrame of Spark, pandas or polars, or a Table of Arrow, found {type(rows)}",
            fix="Give one of these, for instance spark.createDataFrame(rows).",
            details={"type": type(rows).__name__},
        )
    session = spark if spark is not None else _active()
    return session.createDataFrame(rows if is_pandas else _plain(rows))


def _active() -> SparkSession:
    from pyspark.sql import SparkSession

    found = SparkSession.getActiveSession()
    if found is None:
        raise ArgumentInvalidError(
            "Rows that are not a Spark DataFrame need a Spark session to be written, and none is active.",
            fix="Give the session: ds.write(rows, path, spark=spark).",
            details={"argument": "spark"},
        )
    return found


def _plain(rows: Any) -> pa.Table:
    """The rows as a Table whose types Spark knows: it does not know views and dictionaries."""
    import pyarrow as pa

    table = rows if isinstance(rows, pa.Table) else pa.table(rows)
    plain = table.cast(pa.schema([field.with_type(_plain_type(field.type)) for field in table.schema]))
    # Spark loses the rows behind an empty batch, and PySpark fails on a struct that has no batch at all.
    filled = [batch for batch in plain.to_batches() if batch.num_rows]
    return pa.Table.from_batches(filled, plain.schema) if filled else plain.schema.empty_table()


def _plain_type(kind: Any) -> Any:
    import pyarrow as pa

    if pa.types.is_dictionary(kind):
        return _plain_type(kind.value_type)
    if pa.types.is_struct(kind):
        return pa.struct([field.with_type(_plain_type(field.type)) for field in kind])
    if pa.types.is_list(kind) or pa.types.is_large_list(kind):
        return pa.list_(kind.value_field.with_type(_plain_type(kind.value_type)))
    named = {"string_view": pa.string(), "large_string": pa.string(), "binary_view": pa.binary()}
    named["large_binary"] = pa.binary()
    return named.get(str(kind), kind)
