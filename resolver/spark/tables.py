"""DeltaTable: a table under the names that PySpark users know from delta.tables."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping
from functools import partial
from typing import TYPE_CHECKING, Any

from deltaresolver.errors import (
    ArgumentInvalidError,
    LocationInvalidError,
    MaintenanceUnsupportedError,
    TableNotFoundError,
)
from deltaresolver.spark.block.active import ensure_no_block
from deltaresolver.spark.changes.arguments import checked_values, ensure_condition, ensure_merge, ensure_text
from deltaresolver.spark.changes.conditions import Given
from deltaresolver.spark.changes.delete import delete_rows
from deltaresolver.spark.changes.last_commit import LastCommit
from deltaresolver.spark.changes.merge.builder import DeltaMergeBuilder
from deltaresolver.spark.changes.merge.statement import Merge
from deltaresolver.spark.changes.own_columns import OwnColumns
from deltaresolver.spark.changes.update import update_rows
from deltaresolver.spark.maintenance.convert.convert import convert_to_delta
from deltaresolver.spark.maintenance.optimize_builder import DeltaOptimizeBuilder
from deltaresolver.spark.maintenance.table_builder import DeltaTableBuilder, IdentityGenerator
from deltaresolver.spark.maintenance.table_upkeep import TableUpkeep
from deltaresolver.spark.names.named_table import location_of, table_called
from deltaresolver.spark.reading.read import read
from deltaresolver.spark.settings.session_values import SessionValues
from deltaresolver.spark.spark_errors import told_as_spark
from deltaresolver.table import Table
from deltaresolver.transaction.create.create_mode import CreateMode

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession
    from pyspark.sql.types import StructType

    from deltaresolver.transaction.alter.alter_table import AlterOutcome


__all__ = ["DeltaMergeBuilder", "DeltaOptimizeBuilder", "DeltaTable", "DeltaTableBuilder", "IdentityGenerator"]


class DeltaTable(TableUpkeep):
    """A Delta table at a path, with what can be done to it from Spark."""

    def __init__(
        self,
        spark: SparkSession,
        table: Table,
        alias: str | None = None,
        storage_options: Mapping[str, str] | None = None,
        own: OwnColumns | None = None,
        last: LastCommit | None = None,
    ) -> None:
        self._spark = spark
        self._table = table
        self._alias = alias
        self._storage_options = storage_options
        self._own = OwnColumns() if own is None else own
        self._last = LastCommit() if last is None else last

    @classmethod
    def forPath(
        cls,
        sparkSession: SparkSession | None = None,
        path: str | os.PathLike[str] | None = None,
        hadoopConf: Mapping[str, str] | None = None,
        *,
        storage_options: Mapping[str, str] | None = None,
        spark: SparkSession | None = None,
        trust_expressions: bool = False,
    ) -> DeltaTable:
        """The table at `path`; `hadoopConf`, or `storage_options`, are for its storage. Raises `TableNotFoundError`.

        `spark` is another name for `sparkSession`. With `trust_expressions` whatever the table keeps in constraints,
        defaults and generated columns may call anything when this handle changes rows.
        """
        session = _given(sparkSession, spark, "sparkSession")
        storage = {**(hadoopConf or {}), **(storage_options or {})} or None
        # Anew for every statement: settings may change while the handle lives.
        values = partial(SessionValues, session, trust_expressions=trust_expressions)
        table = Table(_given(path, None, "path"), storage, session=values)
        with told_as_spark():
            table.update()
        return cls(session, table, storage_options=storage)

    @classmethod
    def isDeltaTable(
        cls,
        sparkSession: SparkSession | None = None,
        identifier: str | os.PathLike[str] | None = None,
        storage_options: Mapping[str, str] | None = None,
        *,
        spark: SparkSession | None = None,
        path: str | os.PathLike[str] | None = None,
    ) -> bool:
        """Whether there is a Delta table at the path `identifier`; `spark` and `path` are other names for the two.

        `identifier` may be the name of a table in the session catalog.
        """
        session, location = _given(sparkSession, spark, "sparkSession"), _given(identifier, path, "identifier")
        location = location_of(session, location)
        try:
            cls.forPath(session, location, storage_options=storage_options)
        except TableNotFoundError:
            return False
        except LocationInvalidError as error:
            if error.details.get("table") is None:
                raise
            # Inside a table, as delta-spark answers; `forPath` says which.
        return True

    @classmethod
    def forName(cls, sparkSession: SparkSession, tableOrViewName: str) -> DeltaTable:
        """The table of that name in the session catalog, or delta.`path`. Raises `TableNameError`, and as `forPath`."""
        ensure_text(tableOrViewName, "tableOrViewName")
        with told_as_spark():
            return cls.forPath(sparkSession, table_called(sparkSession, tableOrViewName).path)

    @classmethod
    @told_as_spark()
    def convertToDelta(
        cls, sparkSession: SparkSession, identifier: str, partitionSchema: str | StructType | None = None
    ) -> DeltaTable:
        """Turn the Parquet files of parquet.`path` into a table where they are. Raises as `ds.convert_to_delta`."""
        ensure_text(identifier, "identifier")
        table = convert_to_delta(sparkSession, identifier, partitionSchema).table
        table.update()
        return cls(sparkSession, table)

    @classmethod
    def create(cls, sparkSession: SparkSession | None = None) -> DeltaTableBuilder:
        """Begin the declaration of a table that must not be there yet."""
        return cls._builder(sparkSession, CreateMode.CREATE)

    @classmethod
    def createIfNotExists(cls, sparkSession: SparkSession | None = None) -> DeltaTableBuilder:
        """Begin the declaration of a table that stays as it is where there is one."""
        return cls._builder(sparkSession, CreateMode.CREATE_IF_NOT_EXISTS)

    @classmethod
    def replace(cls, sparkSession: SparkSession | None = None) -> DeltaTableBuilder:
        """Begin the declaration of a table in place of one that must be there."""
        return cls._builder(sparkSession, CreateMode.REPLACE)

    @classmethod
    def createOrReplace(cls, sparkSession: SparkSession | None = None) -> DeltaTableBuilder:
        """Begin the declaration of a table in place of the one that may be there."""
        return cls._builder(sparkSession, CreateMode.CREATE_OR_REPLACE)

    @classmethod
    def _builder(cls, spark: SparkSession | None, mode: CreateMode) -> DeltaTableBuilder:
        from pyspark.sql import SparkSession

        session = _given(spark, SparkSession.getActiveSession() if spark is None else None, "sparkSession")
        return DeltaTableBuilder(session, mode, lambda table: cls(session, table))

    @property
    def table(self) -> Table:
        """The table without Spark: its protocol and why, its log, its transactions."""
        return self._table

    def alias(self, aliasName: str | None = None, *, name: str | None = None) -> DeltaTable:
        """The table under a name that conditions and values may call it by: `aliasName.column`."""
        alias = _given(aliasName, name, "aliasName")
        ensure_text(alias, "aliasName")
        return DeltaTable(self._spark, self._table, alias, self._storage_options, self._own, self._last)

    @told_as_spark()
    def toDF(self) -> DataFrame:
        """The rows of the latest version. Its Columns may stand in conditions and values of this DeltaTable."""
        rows = read(self._spark, self._table.log.store.location, storage_options=self._storage_options)
        return self._own.remember(rows if self._alias is None else rows.alias(self._alias))

    @told_as_spark()
    def delete(self, condition: Given | None = None) -> None:
        """Delete the rows for which `condition` is true, all without one; the commit is `last_commit`.

        Raises as `deltaresolver.spark.delete`.
        """
        ensure_condition(condition)
        named = self._own.named(self._spark, condition, self._alias)
        self._last.committed = delete_rows(self._spark, self._table, named, self._alias)

    @told_as_spark()
    def update(
        self,
        condition: Given | None = None,
        set: Mapping[str, Given] | None = None,  # noqa: A002 - the name that PySpark users know
    ) -> None:
        """Give rows for which `condition` is true the values of `set`; the commit is `last_commit`.

        Raises as `deltaresolver.spark.update`.
        """
        values = checked_values(set, "'set'")
        ensure_condition(condition)
        named = self._own.named(self._spark, condition, self._alias)
        values = self._own.named_values(self._spark, values, self._alias)
        self._last.committed = update_rows(self._spark, self._table, values, named, self._alias)

    def merge(self, source: DataFrame, condition: Given) -> DeltaMergeBuilder:
        """Begin a MERGE of the rows of `source`, which match rows of the table for which `condition` is true.

        Raises `ArgumentInvalidError` (a ValueError) without source or condition, and `ArgumentTypeError` (a TypeError).
        """
        ensure_merge(source, condition)
        merge = Merge(self._spark, self._table, source, condition, self._alias, own=self._own)
        return DeltaMergeBuilder(merge, last=self._last)

    @told_as_spark()
    def setProperties(self, properties: Mapping[str, str]) -> AlterOutcome:
        """ALTER TABLE SET TBLPROPERTIES. Raises as `Table.alter`."""
        ensure_no_block(self._table, "setProperties")
        return self._table.alter(properties)

    @told_as_spark()
    def unsetProperties(self, keys: Iterable[str]) -> AlterOutcome:
        """ALTER TABLE UNSET TBLPROPERTIES. Raises as `Table.alter`."""
        ensure_no_block(self._table, "unsetProperties")
        return self._table.alter(unset=keys)


def _unsupported(problem: str, instead: str) -> MaintenanceUnsupportedError:
    return MaintenanceUnsupportedError(problem, fix=instead)


def _given(one: Any, other: Any, name: str) -> Any:
    """An argument that may come under two names."""
    found = other if one is None else one
    if found is None:
        raise ArgumentInvalidError(f"{name} is missing.", fix=f"Give {name}.", details={"argument": name})
    return found
