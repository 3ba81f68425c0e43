"""DeltaTable: a table under the names that PySpark users know from delta.tables."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING

from deltaresolver.errors import TableNotFoundError
from deltaresolver.log.history import HistoryEntry
from deltaresolver.spark.reading.read import read
from deltaresolver.spark.table_detail import table_detail
from deltaresolver.spark.writing.delete import delete
from deltaresolver.spark.writing.session_values import SessionValues
from deltaresolver.table import Table

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

    from deltaresolver.transaction.alter import AlterOutcome
    from deltaresolver.transaction.committed import Committed


class DeltaTable:
    """A Delta table at a path, with what can be done to it from Spark."""

    def __init__(self, spark: SparkSession, table: Table) -> None:
        self._spark = spark
        self._table = table

    @classmethod
    def forPath(
        cls, spark: SparkSession, path: str | os.PathLike[str], options: Mapping[str, str] | None = None
    ) -> DeltaTable:
        """The table at `path`; `options` are for its storage. Raises `TableNotFoundError`."""
        table = Table(path, options, session=SessionValues(spark))
        table.update()
        return cls(spark, table)

    @classmethod
    def isDeltaTable(
        cls, spark: SparkSession, path: str | os.PathLike[str], options: Mapping[str, str] | None = None
    ) -> bool:
        """Whether there is a Delta table at `path`."""
        try:
            cls.forPath(spark, path, options)
        except TableNotFoundError:
            return False
        return True

    @property
    def table(self) -> Table:
        """The table without Spark: its protocol and why, its log, its transactions."""
        return self._table

    def toDF(self) -> DataFrame:
        """The rows of the latest version."""
        return read(self._spark, self._table.log.store.location)

    def delete(self, condition: str | None = None) -> Committed | None:
        """Delete the rows for which `condition` is true, all without one. Raises as `deltaresolver.spark.delete`."""
        return delete(self._spark, self._table.log.store.location, condition)

    def history(self, limit: int | None = None) -> list[HistoryEntry]:
        """The last `limit` commits, newest first."""
        return self._table.history(limit)

    def detail(self) -> DataFrame:
        """DESCRIBE DETAIL: one row about the latest version, in the columns delta-spark gives."""
        return table_detail(self._spark, self._table.update(), self._table.catalog)

    def setProperties(self, properties: Mapping[str, str]) -> AlterOutcome:
        """ALTER TABLE SET TBLPROPERTIES. Raises as `Table.alter`."""
        return self._table.alter(properties)

    def unsetProperties(self, keys: Iterable[str]) -> AlterOutcome:
        """ALTER TABLE UNSET TBLPROPERTIES. Raises as `Table.alter`."""
        return self._table.alter(unset=keys)

    def addFeatureSupport(self, feature: str) -> AlterOutcome:
        """Add support for a table feature by name. Raises as `Table.alter`."""
        return self._table.alter(add_features=[feature])
