"""The session catalog of classic Spark, through its own class in the JVM.

SQL cannot note a table of a provider whose classes Spark does not have; the catalog can. Tables are noted as
delta-spark notes them, with the provider `delta` and without columns or properties, so that its sessions find them.
"""

from __future__ import annotations

import json
import uuid
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from deltaresolver.errors import TableNameError
from deltaresolver.spark.names.entry import CatalogEntry
from deltaresolver.spark.names.identifiers import TableName, quoted_name
from deltaresolver.spark.names.session_catalog import SessionCatalog
from deltaresolver.spark.session import plain_sql

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession
    from pyspark.sql.types import StructField

PROVIDER = "delta"
_CLASSES = "org.apache.spark.sql.catalyst.catalog."


class ClassicCatalog(SessionCatalog):
    """Calls `SessionCatalog` of the JVM."""

    def __init__(self, spark: SparkSession) -> None:
        super().__init__(spark)
        session: Any = spark
        self._jvm, self._session = session._jvm, session._jsparkSession
        self._catalog = self._session.sessionState().catalog()

    def is_temporary(self, name: str) -> bool:
        """Whether a temporary view of the session has this name."""
        return bool(self._catalog.getTempView(name).isDefined())

    @property
    def session_id(self) -> str:
        """What tells the session from others that live beside it or before it."""
        return str(self._session.sessionUUID())

    @property
    def application_id(self) -> str:
        """What those sessions have in common that see the same global temporary views."""
        return str(self._spark.sparkContext.applicationId)

    def _find(self, database: str, table: str) -> CatalogEntry | None:
        identifier = self._identifier(database, table)
        if not self._catalog.databaseExists(database) or not self._catalog.tableExists(identifier):
            return None
        found = self._catalog.getTableMetadata(identifier)
        location = found.storage().locationUri()
        kind = found.tableType().name()
        provider, comment = found.provider(), found.comment()
        held = found.properties()
        keys = self._jvm.scala.jdk.javaapi.CollectionConverters.asJava(held)
        return CatalogEntry(
            database,
            str(found.identifier().table()),
            str(provider.get()) if provider.isDefined() else None,
            self._path(location.get()) if location.isDefined() else None,
            is_managed=kind == "MANAGED",
            is_view=kind.endswith("VIEW"),
            properties={str(key): str(keys[key]) for key in keys},
            comment=str(comment.get()) if comment.isDefined() else None,
            view_text=str(found.viewText().get()) if kind == "VIEW" else None,
        )

    def default_path(self, name: TableName) -> str:
        """Where a table of this name lies that nobody gives a location."""
        return self._path(self._catalog.defaultTablePath(self._identifier(*self.place_for(name))))

    def create(self, name: TableName, path: str, *, is_managed: bool, comment: str | None = None) -> None:
        """Note a Delta table that is there. Raises `TableNameError`, and what Spark raises."""
        database, table = self.place_for(name)
        if not self._catalog.databaseExists(database):
            raise TableNameError(
                f"There is no database {database} for the table {table}.",
                fix=f"CREATE DATABASE {database}, or choose another.",
                details={"database": database, "table": table},
                delta_condition="SCHEMA_NOT_FOUND",
            )
        kinds = self._kind("CatalogTableType")
        kind = kinds.MANAGED() if is_managed else kinds.EXTERNAL()
        empty = self._kind("CatalogStorageFormat").empty()
        storage = self._made("CatalogStorageFormat", [self._some(self._uri(path))], empty)
        some = self._some(comment) if comment is not None else self._jvm.scala.Option.empty()
        schema = self._jvm.org.apache.spark.sql.types.StructType()
        given = [self._identifier(database, table), kind, storage, schema, self._some(PROVIDER)]
        defined = self._made("CatalogTable", given)
        if comment is not None:
            defined = self._with(defined, {"comment": some})
        self._catalog.createTable(defined, False, False)

    def drop(self, entry: CatalogEntry, *, purge: bool = False) -> None:
        """Forget the table; the files of a managed one are deleted."""
        self._catalog.dropTable(self._identifier(entry.database, entry.table), False, purge)

    def _rename(self, entry: CatalogEntry, database: str, table: str) -> None:
        old, new = self._identifier(entry.database, entry.table), self._identifier(database, table)
        self._catalog.renameTable(old, new)

    def relocate(self, entry: CatalogEntry, path: str) -> None:
        """Let the name mean the table at another path."""
        found = self._catalog.getTableMetadata(self._identifier(entry.database, entry.table))
        storage = self._made("CatalogStorageFormat", [self._some(self._uri(path))], found.storage())
        given = [found.identifier(), found.tableType(), storage]
        self._catalog.alterTable(self._made("CatalogTable", given, found))

    def become_delta(self, entry: CatalogEntry) -> None:
        """As delta-spark notes a table that it converts: columns and partitions are the log's."""
        identifier = self._identifier(entry.database, entry.table)
        empty, jvm = self._kind("CatalogStorageFormat").empty(), self._jvm
        found = self._catalog.getTableMetadata(identifier)
        changed = {
            "storage": self._made("CatalogStorageFormat", [found.storage().locationUri()], empty),
            "schema": jvm.org.apache.spark.sql.types.StructType(),
            "provider": self._some(PROVIDER),
            "partitionColumnNames": self._no_names(),
            "bucketSpec": jvm.scala.Option.empty(),
            "stats": jvm.scala.Option.empty(),
            "tracksPartitionsInCatalog": False,
        }
        self._catalog.alterTable(self._with(found, changed))
        self._catalog.refreshTable(identifier)

    def view_columns(self, entry: CatalogEntry) -> Sequence[StructField]:
        """The columns of a view of which the text is known."""
        from pyspark.sql.types import StructType

        found = self._catalog.getTableMetadata(self._identifier(entry.database, entry.table))
        return StructType.fromJson(json.loads(found.schema().json())).fields

    def store_view(self, name: TableName, options: str, query: str, rows: DataFrame, *, names_columns: bool) -> None:
        """Note a view over Delta tables. Raises what Spark raises.

        Spark makes a twin of it, whose query is made of constants, and so checks and notes all but the text.
        """
        database, view = self.place_for(name)
        twin = (database, f"__deltaresolver_{uuid.uuid4().hex}")
        given: Any = rows
        schema = given._jdf.schema()
        shown = ", ".join(
            f"CAST(NULL AS {each.dataType().sql()}) AS {quoted_name((each.name(),))}" for each in schema.fields()
        )
        plain_sql(self._spark, f"CREATE VIEW {quoted_name(twin)} {options} AS SELECT {shown}")
        try:
            changed = {
                "identifier": self._identifier(database, view),
                "viewText": self._some(query),
                "viewOriginalText": self._some(query),
            }
            if not names_columns:
                changed["schema"] = schema
            defined = self._with(self._catalog.getTableMetadata(self._identifier(*twin)), changed)
            if self._find(database, view) is None:
                self._catalog.createTable(defined, False, False)
            else:
                self._catalog.alterTable(defined)
        finally:
            plain_sql(self._spark, f"DROP VIEW IF EXISTS {quoted_name(twin)}")

    def _no_names(self) -> Any:
        """An empty Seq."""
        convert = self._jvm.scala.jdk.javaapi.CollectionConverters
        return convert.asScala(self._jvm.java.util.ArrayList()).toSeq()

    def _identifier(self, database: str, table: str) -> Any:
        return self._jvm.org.apache.spark.sql.catalyst.TableIdentifier(table, self._some(database))

    def _some(self, value: object) -> Any:
        return self._jvm.scala.Option.apply(value)

    def _uri(self, path: str) -> Any:
        return self._kind("CatalogUtils").stringToURI(path)

    def _path(self, uri: Any) -> str:
        text = str(self._kind("CatalogUtils").URIToString(uri))
        return "/" + text[5:].lstrip("/") if text.startswith("file:") else text

    def _kind(self, name: str) -> Any:
        found = self._jvm
        for part in (_CLASSES + name).split("."):
            found = getattr(found, part)
        return found

    def _made(self, name: str, first: list[Any], like: Any = None) -> Any:
        """A value of a case class: its first fields as given, others as in `like`, or as they are by default.

        Releases of Spark differ in how many fields there are.
        """
        fields = self._jvm.java.lang.Class.forName(_CLASSES + name).getConstructors()[0].getParameterCount()
        kind = self._kind(name)
        places = range(len(first) + 1, fields + 1)
        if like is not None:
            return like.copy(*first, *(getattr(like, f"copy$default${place}")() for place in places))
        return kind.apply(*first, *(getattr(kind, f"apply$default${place}")() for place in places))

    def _with(self, table: Any, changed: Mapping[str, Any]) -> Any:
        """A `CatalogTable` with other values of some fields."""
        # Not the fields of the class, among which lazy values come first.
        names = [str(table.productElementName(place)) for place in range(table.productArity())]
        values = [
            changed[name] if name in changed else getattr(table, f"copy$default${place}")()
            for place, name in enumerate(names, 1)
        ]
        return table.copy(*values)
