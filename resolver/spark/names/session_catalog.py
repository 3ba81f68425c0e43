"""The session catalog: entries of Delta tables found, made, renamed and dropped."""

from __future__ import annotations

import abc
import posixpath
from typing import TYPE_CHECKING, Any

from deltaresolver.errors import SqlUnsupportedError, TableNameError
from deltaresolver.spark.names.entry import CatalogEntry, local_path
from deltaresolver.spark.names.identifiers import SESSION_CATALOG, TableName, quoted_name, shown_name
from deltaresolver.spark.session import is_connect, plain_sql

if TYPE_CHECKING:
    from collections.abc import Sequence

    from pyspark.sql import DataFrame, SparkSession
    from pyspark.sql.types import StructField


class SessionCatalog(abc.ABC):
    """The catalog `spark_catalog` of one session. Names are those of users: one to three parts."""

    def __init__(self, spark: SparkSession) -> None:
        self._spark = spark

    def find(self, name: TableName) -> CatalogEntry | None:
        """What is called that; None for nothing, for temporary views, and for names in other catalogs."""
        placed = self.placed(name)
        if placed is None or (len(name) == 1 and self.is_temporary(name[0])):
            return None
        return self._find(*placed)

    def placed(self, name: TableName) -> tuple[str, str] | None:
        """Database and table of a name; None where another catalog has it."""
        if len(name) == 1:
            if self._spark.catalog.currentCatalog() != SESSION_CATALOG:
                return None
            return self._spark.catalog.currentDatabase(), name[0]
        if len(name) == 2:
            return None if self._spark.catalog.currentCatalog() != SESSION_CATALOG else (name[0], name[1])
        return (name[1], name[2]) if len(name) == 3 and name[0].lower() == SESSION_CATALOG else None

    def place_for(self, name: TableName) -> tuple[str, str]:
        """As `placed`, for a table that is made. Raises `TableNameError`."""
        found = self.placed(name)
        if found is None:
            raise TableNameError(
                f"{shown_name(name)} is not in the session catalog, and tables are made in no other.",
                fix=f"Write {SESSION_CATALOG}.database.table, or give the table by its path: delta.`path`.",
                details={"name": list(name)},
            )
        return found

    def default_path(self, name: TableName) -> str:
        """Where a table of this name lies that nobody gives a location."""
        database, table = self.place_for(name)
        facts = {row[0]: row[1] for row in _facts(self._spark, database)}
        return posixpath.join(local_path(str(facts["Location"])), table.lower())

    @abc.abstractmethod
    def is_temporary(self, name: str) -> bool:
        """Whether a temporary view of the session has this name."""

    @abc.abstractmethod
    def _find(self, database: str, table: str) -> CatalogEntry | None: ...

    @abc.abstractmethod
    def create(self, name: TableName, path: str, *, is_managed: bool, comment: str | None = None) -> None:
        """Note a Delta table that is there. Raises `TableNameError`, and what Spark raises."""

    @abc.abstractmethod
    def drop(self, entry: CatalogEntry, *, purge: bool = False) -> None:
        """Forget the table; the files of a managed one are deleted."""

    def rename(self, entry: CatalogEntry, name: TableName) -> None:
        """Give the table another name in its database. Raises `TableNameError`."""
        database, table = self.place_for(name if len(name) > 1 else (entry.database, *name))
        if self._find(database, table) is not None:
            raise TableNameError(
                f"The table or view {shown_name((database, table))} already exists.",
                fix="Choose another name, or drop it first.",
                details={"name": [database, table]},
                delta_condition="TABLE_OR_VIEW_ALREADY_EXISTS",
            )
        self._rename(entry, database, table)

    @abc.abstractmethod
    def _rename(self, entry: CatalogEntry, database: str, table: str) -> None: ...

    @abc.abstractmethod
    def relocate(self, entry: CatalogEntry, path: str) -> None:
        """Let the name mean the table at another path."""

    @abc.abstractmethod
    def become_delta(self, entry: CatalogEntry) -> None:
        """Let the name of a table of another kind mean the Delta table that is now in its folder."""

    @property
    @abc.abstractmethod
    def session_id(self) -> str:
        """What tells the session from others that live beside it or before it."""

    @property
    def application_id(self) -> str:
        """What those sessions have in common that see the same global temporary views, as far as is known."""
        return self.session_id

    def view_columns(self, entry: CatalogEntry) -> Sequence[StructField]:
        """The columns of a view of which the text is known."""
        raise NotImplementedError

    def store_view(self, name: TableName, options: str, query: str, rows: DataFrame, *, names_columns: bool) -> None:
        """Note a view over Delta tables: `options` stand between its name and AS, `rows` are what the query gives.

        Raises what Spark raises, and `SqlUnsupportedError` for a client that reaches the catalog by SQL alone.
        """
        raise SqlUnsupportedError(
            f"CREATE VIEW {shown_name(name)} over Delta tables is not carried out on Spark Connect.",
            fix="Create it in a classic session, or make a temporary view.",
            details={"view": list(name), "options": options, "query": query, "columns": rows.columns},
        )


def _facts(spark: SparkSession, database: str) -> list[Any]:
    return plain_sql(spark, f"DESCRIBE DATABASE {quoted_name((database,))}").collect()


def catalog_of(spark: SparkSession) -> SessionCatalog:
    """The session's catalog."""
    from deltaresolver.spark.names.classic_catalog import ClassicCatalog
    from deltaresolver.spark.names.connect_catalog import ConnectCatalog

    return ConnectCatalog(spark) if is_connect(spark) else ClassicCatalog(spark)
