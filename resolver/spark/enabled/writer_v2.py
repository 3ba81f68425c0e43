"""`frame.writeTo` in an enabled session."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from deltaresolver.errors import SqlUnsupportedError, TableNameError
from deltaresolver.spark.changes.own_columns import sql_of
from deltaresolver.spark.enabled.noting_writer import NotingWriter, as_path
from deltaresolver.spark.names.identifiers import parse_name, shown_name
from deltaresolver.spark.names.session_catalog import catalog_of
from deltaresolver.spark.session import is_connect
from deltaresolver.spark.spark_errors import told_as_spark
from deltaresolver.spark.sql.saved_tables import save_as_table
from deltaresolver.spark.writing.write import write

if TYPE_CHECKING:
    from pyspark.sql import Column, SparkSession


class EnabledWriterV2(NotingWriter):
    """Methods of DataFrameWriterV2."""

    def using(self, provider: str) -> Any:
        """As PySpark's."""
        self._noted.source = provider
        return super().using(provider)  # type: ignore[misc]

    def tableProperty(self, property: str, value: str) -> Any:  # noqa: A002 - PySpark's name
        """As PySpark's."""
        self._noted.properties[property] = value
        return super().tableProperty(property, value)  # type: ignore[misc]

    def partitionedBy(self, col: Any, *cols: Any) -> Any:
        """As PySpark's."""
        self._noted.partition_by = tuple(_column_name(self._noted.spark, each) for each in (col, *cols))
        return super().partitionedBy(col, *cols)  # type: ignore[misc]

    def create(self) -> None:
        """As PySpark's; Delta tables by this library."""
        if not self._made("error"):
            super().create()  # type: ignore[misc]

    def replace(self) -> None:
        """As PySpark's; Delta tables by this library."""
        if not self._made("overwrite", must_exist=True):
            super().replace()  # type: ignore[misc]

    def createOrReplace(self) -> None:
        """As PySpark's; Delta tables by this library."""
        if not self._made("overwrite"):
            super().createOrReplace()  # type: ignore[misc]

    def append(self) -> None:
        """As PySpark's; Delta tables by this library."""
        if not self._written("append"):
            super().append()  # type: ignore[misc]

    def overwrite(self, condition: Column) -> None:
        """As PySpark's; Delta tables by this library."""
        if not self._written("overwrite", condition):
            super().overwrite(condition)  # type: ignore[misc]

    def overwritePartitions(self) -> None:
        """As PySpark's; Delta tables by this library."""
        if not self._written("overwrite", dynamic=True):
            super().overwritePartitions()  # type: ignore[misc]

    def _made(self, mode: str, *, must_exist: bool = False) -> bool:
        noted = self._noted
        with told_as_spark():
            parts, _ = self._found(noted.table or "")
            if not noted.is_delta:
                return False
            if must_exist and catalog_of(noted.spark).find(parts) is None:
                raise TableNameError(
                    f"The table {shown_name(parts)} cannot be found, so it cannot be replaced.",
                    fix="Use create() or createOrReplace().",
                    details={"name": list(parts)},
                    delta_condition="TABLE_OR_VIEW_NOT_FOUND",
                )
            location = noted.properties.pop("location", None)
            given, _ = self._options()
            save_as_table(
                noted.frame,
                parts,
                mode=mode,
                partition_by=noted.partition_by,
                cluster_by=noted.cluster_by,
                options=given,
                properties=noted.properties,
                location=location,
                anew=True,
            )
        return True

    def _written(self, mode: str, condition: Any = None, *, dynamic: bool = False) -> bool:
        noted = self._noted
        with told_as_spark():
            _, found = self._found(noted.table or "")
            if found is None:
                return False
            options, storage = self._options()
            where = None if condition is None else _text_of(noted.spark, condition)
            more = {} if where in (None, "true") else {"replaceWhere": where}
            more |= {"partitionOverwriteMode": "dynamic" if dynamic else "static"} if mode == "overwrite" else {}
            write(noted.frame, as_path(found.path), mode=mode, options={**options, **more}, storage_options=storage)
        return True


def _column_name(spark: SparkSession, column: Any) -> str:
    text = _text_of(spark, column)
    parts = parse_name(text)
    if parts is None or len(parts) != 1:
        raise SqlUnsupportedError(
            f"A Delta table is partitioned by columns, and not by {text}.",
            fix="Give a column, and make one where it takes an expression.",
            details={"column": text},
        )
    return parts[0]


def _text_of(spark: SparkSession, column: Any) -> str:
    """The SQL of a Column. Raises `SqlUnsupportedError` where only Spark has it."""
    found = None if is_connect(spark) else sql_of(spark, column)
    if found is not None:
        return found.replace("${", "\\u0024{")  # a value, not a setting that is meant
    shown = str(column).removeprefix("Column<'").removesuffix("'>")
    if parse_name(shown) is not None:
        return shown
    raise SqlUnsupportedError(
        f"The condition {shown} cannot be taken out of a Column on Spark Connect.",
        fix='Use write.mode("overwrite").option("replaceWhere", text).',
        details={"column": shown},
    )
