"""DeltaTable: a table under the names that PySpark users know from delta.tables."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Any

from deltaresolver.errors import ArgumentInvalidError, TableNotFoundError
from deltaresolver.log.history import HistoryEntry
from deltaresolver.spark.reading.read import read
from deltaresolver.spark.table_detail import table_detail
from deltaresolver.spark.writing.arguments import checked_values, ensure_condition, ensure_merge, ensure_text
from deltaresolver.spark.writing.conditions import Given
from deltaresolver.spark.writing.delete import delete_rows
from deltaresolver.spark.writing.merge import Merge
from deltaresolver.spark.writing.merge_builder import DeltaMergeBuilder
from deltaresolver.spark.writing.own_columns import OwnColumns
from deltaresolver.spark.writing.session_values import SessionValues
from deltaresolver.spark.writing.update import update_rows
from deltaresolver.table import Table

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

    from deltaresolver.transaction.alter import AlterOutcome
    from deltaresolver.transaction.committed import Committed


class DeltaTable:
    """A Delta table at a path, with what can be done to it from Spark."""

    def __init__(
        self,
        spark: SparkSession,
        table: Table,
        alias: str | None = None,
        options: Mapping[str, str] | None = None,
        own: OwnColumns | None = None,
    ) -> None:
        self._spark = spark
        self._table = table
        self._alias = alias
        self._options = options
        self._own = OwnColumns() if own is None else own

    @classmethod
    def forPath(
        cls,
        sparkSession: SparkSession | None = None,
        path: str | os.PathLike[str] | None = None,
        hadoopConf: Mapping[str, str] | None = None,
        *,
        options: Mapping[str, str] | None = None,
        spark: SparkSession | None = None,
    ) -> DeltaTable:
        """The table at `path`; `hadoopConf`, or `options`, are for its storage. Raises `TableNotFoundError`.

        `spark` is another name for `sparkSession`.
        """
        session = _given(sparkSession, spark, "sparkSession")
        storage = {**(hadoopConf or {}), **(options or {})} or None
        table = Table(_given(path, None, "path"), storage, session=SessionValues(session))
        table.update()
        return cls(session, table, options=storage)

    @classmethod
    def isDeltaTable(
        cls,
        sparkSession: SparkSession | None = None,
        identifier: str | os.PathLike[str] | None = None,
        options: Mapping[str, str] | None = None,
        *,
        spark: SparkSession | None = None,
        path: str | os.PathLike[str] | None = None,
    ) -> bool:
        """Whether there is a Delta table at the path `identifier`; `spark` and `path` are other names for the two."""
        session, location = _given(sparkSession, spark, "sparkSession"), _given(identifier, path, "identifier")
        try:
            cls.forPath(session, location, options=options)
        except TableNotFoundError:
            return False
        return True

    @property
    def table(self) -> Table:
        """The table without Spark: its protocol and why, its log, its transactions."""
        return self._table

    def alias(self, aliasName: str | None = None, *, name: str | None = None) -> DeltaTable:
        """The table under a name that conditions and values may call it by: `aliasName.column`."""
        alias = _given(aliasName, name, "aliasName")
        ensure_text(alias, "aliasName")
        return DeltaTable(self._spark, self._table, alias, self._options, self._own)

    def toDF(self) -> DataFrame:
        """The rows of the latest version. Its Columns may stand in conditions and values of this DeltaTable."""
        rows = read(self._spark, self._table.log.store.location, storage_options=self._options)
        return self._own.remember(rows if self._alias is None else rows.alias(self._alias))

    def delete(self, condition: Given | None = None) -> Committed | None:
        """Delete the rows for which `condition` is true, all without one. Raises as `deltaresolver.spark.delete`."""
        ensure_condition(condition)
        named = self._own.named(self._spark, condition, self._alias)
        return delete_rows(self._spark, self._table, named, self._alias)

    def update(
        self,
        condition: Given | None = None,
        set: Mapping[str, Given] | None = None,  # noqa: A002 - the name that PySpark users know
    ) -> Committed | None:
        """Give rows for which `condition` is true the values of `set`. Raises as `deltaresolver.spark.update`."""
        values = checked_values(set, "'set'")
        ensure_condition(condition)
        named = self._own.named(self._spark, condition, self._alias)
        values = self._own.named_values(self._spark, values, self._alias)
        return update_rows(self._spark, self._table, values, named, self._alias)

    def merge(self, source: DataFrame, condition: Given) -> DeltaMergeBuilder:
        """Begin a MERGE of the rows of `source`, which match rows of the table for which `condition` is true.

        Raises `ArgumentInvalidError` (a ValueError) without source or condition, and `ArgumentTypeError` (a TypeError).
        """
        ensure_merge(source, condition)
        return DeltaMergeBuilder(Merge(self._spark, self._table, source, condition, self._alias, own=self._own))

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

    def addFeatureSupport(self, featureName: str | None = None, *, feature: str | None = None) -> AlterOutcome:
        """Add support for a table feature by name. Raises `ArgumentInvalidError`, and as `Table.alter`."""
        name = feature if featureName is None else featureName
        ensure_text(name, "featureName")
        return self._table.alter(add_features=[str(name)])


def _given(one: Any, other: Any, name: str) -> Any:
    """An argument that may come under two names."""
    found = other if one is None else one
    if found is None:
        raise ArgumentInvalidError(f"{name} is missing.", fix=f"Give {name}.", details={"argument": name})
    return found
