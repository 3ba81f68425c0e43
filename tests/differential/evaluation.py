"""Expressions evaluated by Spark over rows in memory."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import pyarrow as pa

from tests.differential.expected import RefusedError, UnknownOutcomeError
from tests.differential.kinds import metadata_of, spark_type
from tests.differential.program import Column

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession


class Evaluation:
    """Rows of a program as DataFrames, and back."""

    def __init__(self, spark: SparkSession) -> None:
        self.spark = spark

    def frame(self, table: pa.Table, columns: Sequence[Column]) -> DataFrame:
        """The rows as a DataFrame; `columns` are those of the table."""
        from pyspark.sql.types import StructType

        schema = StructType()
        for column in columns:
            schema.add(column.name, spark_type(column.type), metadata=metadata_of(column.type))
        # In one piece: PySpark loses the rows behind an empty chunk, and cannot do with a struct without any.
        pieces = [column.combine_chunks() for column in table.columns]
        return self.spark.createDataFrame(pa.Table.from_arrays(pieces, names=table.column_names), schema)

    def of(self, table: pa.Table, columns: Sequence[Column], expressions: Sequence[str]) -> pa.Table:
        """What expressions come to, row by row. Raises `RefusedError`, `UnknownOutcomeError`."""
        from pyspark.sql import functions

        def evaluated() -> DataFrame:
            frame = self.frame(table, columns)
            return frame.select(*(functions.expr(text).alias(f"v{n}") for n, text in enumerate(expressions)))

        if not expressions:
            return pa.table({})
        return self.collected(evaluated)

    def collected(self, make: object) -> pa.Table:
        """The rows of a DataFrame. Raises as `of`."""
        from pyspark.errors import AnalysisException, PySparkException

        assert callable(make)
        try:
            found = make().toArrow()
        except AnalysisException as error:
            raise RefusedError(str(error)) from error
        except PySparkException as error:
            raise UnknownOutcomeError(str(error)) from error
        assert isinstance(found, pa.Table)
        return found
