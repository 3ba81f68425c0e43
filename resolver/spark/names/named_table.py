"""From a name or path to the table that is meant."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

import attrs

from deltaresolver.errors import CatalogDisagreesError, StatementUnreadableError, TableNameError, TableNotFoundError
from deltaresolver.spark.names.connect_catalog import PROVIDER as BY_SQL
from deltaresolver.spark.names.entry import CatalogEntry
from deltaresolver.spark.names.identifiers import TableName, catalog_name, parse_name, path_of, shown_name
from deltaresolver.spark.names.session_catalog import SessionCatalog, catalog_of
from deltaresolver.spark.settings.session_values import SessionValues
from deltaresolver.table import Table

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

_OWN = "deltaresolver."


@attrs.frozen(slots=True)
class NamedTable:
    """A Delta table that a statement names: where it is, and its entry in the catalog where it has one."""

    name: TableName
    path: str
    entry: CatalogEntry | None = None

    @property
    def alias(self) -> str | None:
        """What columns may be qualified by where the statement gives no alias."""
        return None if self.entry is None else self.name[-1]

    def __str__(self) -> str:
        return shown_name(self.name)

    def open(self, spark: SparkSession) -> Table:
        """The handle of the table, whether or not it is there."""
        return Table(self.path, session=SessionValues(spark))


def find_table(spark: SparkSession, name: TableName, catalog: SessionCatalog | None = None) -> NamedTable | None:
    """The Delta table of a name, by path or in the catalog; None for anything else. Raises `CatalogDisagreesError`."""
    path = path_of(name)
    if path is not None:
        return NamedTable(name, path)
    entry = (catalog or catalog_of(spark)).find(name)
    if entry is None or not entry.is_delta:
        return None
    _ensure_agreed(entry, SessionValues(spark))
    return NamedTable(name, entry.path, entry)


def table_called(spark: SparkSession, text: str) -> NamedTable:
    """The Delta table of a name that a user wrote. Raises `TableNameError`, `StatementUnreadableError`."""
    name = parse_name(text)
    if name is None:
        raise StatementUnreadableError(
            f"{text!r} cannot be read as the name of a table.",
            fix="Put parts that are not plain words in backticks; a table by path is called delta.`path`.",
            details={"name": text},
        )
    found = find_table(spark, name)
    if found is None:
        raise TableNameError(
            f"{text} is not a Delta table.",
            fix="Check the name with SHOW TABLES; a table by path is called delta.`path`.",
            details={"name": text},
        )
    return found


def location_of(spark: SparkSession, given: str | os.PathLike[str]) -> str | os.PathLike[str]:
    """The path that a path or name means. A name that the catalog does not have stays as it is: it may be a folder."""
    name = catalog_name(given)
    if name is None:
        by_path = path_of(parse_name(given) or ()) if isinstance(given, str) and "`" in given else None
        return given if by_path is None else by_path
    found = find_table(spark, name)
    return given if found is None else found.path


def _ensure_agreed(entry: CatalogEntry, session: SessionValues) -> None:
    """Plain Spark alters such entries, and creates them, without a look at the log."""
    if entry.provider != BY_SQL:
        return
    told = {key: value for key, value in entry.properties.items() if key.startswith("delta.")}
    try:
        has = Table(entry.path, session=session).update().metadata.configuration if told else {}
    except TableNotFoundError:
        has = {}
    wrong = {key: value for key, value in told.items() if has.get(key) != value}
    if wrong:
        shown = ", ".join(f"{key} = {value}" for key, value in wrong.items())
        raise CatalogDisagreesError(
            f"The catalog says of {shown_name(entry.name)} that {shown}, and the log of {entry.path} does not.",
            fix="Plain spark.sql changed only the catalog: run ALTER TABLE there to UNSET the properties, then the "
            "statement that was meant with ds.sql.",
            details={"name": list(entry.name), "path": entry.path, "properties": wrong},
        )
