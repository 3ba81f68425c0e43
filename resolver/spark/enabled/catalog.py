"""`spark.catalog` of an enabled session: what Spark asks the classes of a provider for, where Delta has none."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from deltaresolver.model.metadata import Metadata
from deltaresolver.model.schema import StructType
from deltaresolver.spark.names.entry import CatalogEntry
from deltaresolver.spark.names.identifiers import SESSION_CATALOG, parse_name, path_of
from deltaresolver.spark.names.session_catalog import catalog_of
from deltaresolver.spark.schema import spark_schema
from deltaresolver.spark.settings.session_values import SessionValues
from deltaresolver.spark.spark_errors import told_as_spark
from deltaresolver.spark.sql.run import statement
from deltaresolver.spark.tables import DeltaTable
from deltaresolver.table import Table as Handle

if TYPE_CHECKING:
    from pyspark.sql.catalog import Column, Table


class EnabledCatalog:
    """The calls that name a table; Spark answers those about other tables."""

    _session: Any

    def tableExists(self, tableName: str, dbName: str | None = None) -> bool:
        """As PySpark's."""
        if self._entry(tableName, dbName) is not None:
            return True
        path = path_of(parse_name(tableName) or ())
        if path is not None and dbName is None:
            return DeltaTable.isDeltaTable(self._session, path)
        return bool(super().tableExists(*_given(tableName, dbName)))  # type: ignore[misc]

    def getTable(self, tableName: str) -> Table:
        """As PySpark's."""
        from pyspark.sql.catalog import Table as Shown

        entry = self._entry(tableName)
        if entry is None:
            plain: Shown = super().getTable(tableName)  # type: ignore[misc]
            return plain
        comment = entry.comment or self._metadata(entry).description
        return Shown(entry.table, SESSION_CATALOG, [entry.database], comment, _kind(entry), isTemporary=False)

    def listTables(self, dbName: str | None = None, pattern: str | None = None) -> Sequence[Table]:
        """As PySpark's."""
        return [self._told(each) for each in super().listTables(dbName, pattern)]  # type: ignore[misc]

    def listColumns(self, tableName: str, dbName: str | None = None) -> Sequence[Column]:
        """As PySpark's."""
        from pyspark.sql.catalog import Column as Shown

        entry = self._entry(tableName, dbName)
        if entry is None:
            plain: Sequence[Shown] = super().listColumns(*_given(tableName, dbName))  # type: ignore[misc]
            return plain
        metadata = self._metadata(entry)
        partitions = {name.lower() for name in metadata.partition_columns}
        return [
            Shown(
                field.name,
                field.metadata.get("comment") if field.metadata else None,
                spark_schema(StructType((field,)))[0].dataType.simpleString(),
                field.nullable,
                isPartition=field.name.lower() in partitions,
                isBucket=False,
                isCluster=False,
            )
            for field in metadata.schema.fields
        ]

    def refreshTable(self, tableName: str) -> None:
        """As PySpark's: each read of a Delta table looks at its log anyhow."""
        if self._entry(tableName) is None:
            super().refreshTable(tableName)  # type: ignore[misc]

    def dropTable(self, tableName: str, ifExists: bool = False, purge: bool = False) -> None:
        """As PySpark's, since Spark 4.2."""
        if self._entry(tableName) is None:
            super().dropTable(tableName, ifExists, purge)  # type: ignore[misc]
            return
        with told_as_spark():
            statement(self._session, f"DROP TABLE {tableName}{' PURGE' if purge else ''}", None, {})

    def _entry(self, table: str, database: str | None = None) -> CatalogEntry | None:
        name = parse_name(table)
        if name is None or path_of(name) is not None:
            return None
        found = catalog_of(self._session).find(name if database is None else (database, table))
        return found if found is not None and found.is_delta else None

    def _metadata(self, entry: CatalogEntry) -> Metadata:
        with told_as_spark():
            return Handle(entry.path, session=SessionValues(self._session)).update().metadata

    def _told(self, shown: Table) -> Table:
        """Spark knows nothing but the name of a table whose provider it lacks."""
        if shown.tableType is not None or shown.isTemporary or shown.database is None:
            return shown
        entry = catalog_of(self._session).find((shown.database, shown.name))
        if entry is None or not entry.is_delta:
            return shown
        return shown._replace(description=entry.comment, tableType=_kind(entry))


def _given(table: str, database: str | None) -> Sequence[str]:
    return (table,) if database is None else (table, database)


def _kind(entry: CatalogEntry) -> str:
    return "MANAGED" if entry.is_managed else "EXTERNAL"
