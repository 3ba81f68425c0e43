"""DeltaTable: a table under the names that PySpark users know from delta.tables."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING

from deltaresolver.errors import TableNotFoundError
from deltaresolver.log.history import HistoryEntry
from deltaresolver.spark.active_block import ensure_no_block
from deltaresolver.spark.reading.read import read
from deltaresolver.spark.table_detail import table_detail
from deltaresolver.spark.writing.conditions import Given
from deltaresolver.spark.writing.delete import delete_rows
from deltaresolver.spark.writing.merge import Merge
from deltaresolver.spark.writing.merge_builder import DeltaMergeBuilder
from deltaresolver.spark.writing.session_values import SessionValues
from deltaresolver.spark.writing.update import update_rows
from deltaresolver.table import Table

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

    from deltaresolver.transaction.alter import AlterOutcome
    from deltaresolver.transaction.committed import Committed

NOTHING: Mapping[str, Given] = {}


class DeltaTable:
    """A Delta table at a path, with what can be done to it from Spark."""

    def __init__(
        self,
        spark: SparkSession,
        table: Table,
        alias: str | None = None,
        options: Mapping[str, str] | None = None,
    ) -> None:
        self._spark = spark
        self._table = table
        self._alias = alias
        self._options = options

    @classmethod
    def forPath(
        cls, spark: SparkSession, path: str | os.PathLike[str], options: Mapping[str, str] | None = None
    ) -> DeltaTable:
        """The table at `path`; `options` are for its storage. Raises `TableNotFoundError`."""
        table = Table(path, options, session=SessionValues(spark))
        table.update()
        return cls(spark, table, options=options)

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

    def alias(self, name: str) -> DeltaTable:
        """The table under a name that conditions and values may call it by: `name.column`."""
        return DeltaTable(self._spark, self._table, name, self._options)

    def toDF(self) -> DataFrame:
        """The rows of the latest version."""
        rows = read(self._spark, self._table.log.store.location, storage_options=self._options)
        return rows if self._alias is None else rows.alias(self._alias)

    def delete(self, condition: Given | None = None) -> Committed | None:
        """Delete the rows for which `condition` is true, all without one. Raises as `deltaresolver.spark.delete`."""
        return delete_rows(self._spark, self._table, condition, self._alias)

    def update(
        self,
        condition: Given | None = None,
        set: Mapping[str, Given] = NOTHING,  # noqa: A002 - the name that PySpark users know
    ) -> Committed | None:
        """Give rows for which `condition` is true the values of `set`. Raises as `deltaresolver.spark.update`."""
        return update_rows(self._spark, self._table, set, condition, self._alias)

    def merge(self, source: DataFrame, condition: Given) -> DeltaMergeBuilder:
        """Begin a MERGE of the rows of `source`, which match rows of the table for which `condition` is true."""
        return DeltaMergeBuilder(Merge(self._spark, self._table, source, condition, self._alias))

    def history(self, limit: int | None = None) -> list[HistoryEntry]:
        """The last `limit` commits, newest first."""
        return self._table.history(limit)

    def detail(self) -> DataFrame:
        """DESCRIBE DETAIL: one row about the latest version, in the columns delta-spark gives."""
        return table_detail(self._spark, self._table.update(), self._table.catalog)

    def setProperties(self, properties: Mapping[str, str]) -> AlterOutcome:
        """ALTER TABLE SET TBLPROPERTIES. Raises as `Table.alter`."""
        ensure_no_block(self._table, "setProperties")
        return self._table.alter(properties)

    def unsetProperties(self, keys: Iterable[str]) -> AlterOutcome:
        """ALTER TABLE UNSET TBLPROPERTIES. Raises as `Table.alter`."""
        ensure_no_block(self._table, "unsetProperties")
        return self._table.alter(unset=keys)

    def addFeatureSupport(self, feature: str) -> AlterOutcome:
        """Add support for a table feature by name. Raises as `Table.alter`."""
        ensure_no_block(self._table, "addFeatureSupport")
        return self._table.alter(add_features=[feature])
