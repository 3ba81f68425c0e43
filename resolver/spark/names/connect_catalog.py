"""The session catalog of Spark Connect, through SQL: a client reaches nothing else of it.

SQL notes only tables whose provider Spark has, so these have the provider of `ds.register`. Spark calls a table managed
only where it has no location, so a property takes that over.
"""

from __future__ import annotations

import re
import shutil
from pathlib import Path
from typing import Any

from deltaresolver.expressions.text.spelling import quoted_text
from deltaresolver.spark.names.entry import CatalogEntry, local_path
from deltaresolver.spark.names.identifiers import TableName, quoted_name
from deltaresolver.spark.names.session_catalog import SessionCatalog
from deltaresolver.spark.session import plain_sql
from deltaresolver.spark.source.register import register

PROVIDER = "deltaresolver"
MANAGED = "deltaresolver.managed"
_NOT_PLAIN = re.compile(r"[^A-Za-z0-9_]")


class ConnectCatalog(SessionCatalog):
    """Asks in SQL."""

    def is_temporary(self, name: str) -> bool:
        """Whether a temporary view of the session has this name."""
        found = plain_sql(self._spark, f"SHOW VIEWS LIKE '{_pattern(name)}'").collect()
        return any(row["isTemporary"] and row["viewName"].lower() == name.lower() for row in found)

    @property
    def session_id(self) -> str:
        """What tells the session from others that live beside it or before it."""
        session: Any = self._spark
        return str(session.session_id)

    def _find(self, database: str, table: str) -> CatalogEntry | None:
        databases = plain_sql(self._spark, f"SHOW DATABASES LIKE '{_pattern(database)}'").collect()
        if not any(row[0].strip("`").lower() == database.lower() for row in databases):
            return None
        asked = f"SHOW TABLE EXTENDED IN {quoted_name((database,))} LIKE '{_pattern(table)}'"
        for row in plain_sql(self._spark, asked).collect():
            if not row["isTemporary"] and row["tableName"].lower() == table.lower():
                return entry_told(database, row["tableName"], row["information"])
        return None

    def create(self, name: TableName, path: str, *, is_managed: bool, comment: str | None = None) -> None:
        """Note a Delta table that is there. Raises `TableNameError`, and what Spark raises."""
        database, table = self.place_for(name)
        register(self._spark)
        said = "" if comment is None else f" COMMENT {quoted_text(comment)}"
        managed = f" TBLPROPERTIES ('{MANAGED}' = 'true')" if is_managed else ""
        name_text, place = quoted_name((database, table)), quoted_text(path)
        plain_sql(self._spark, f"CREATE TABLE {name_text} USING {PROVIDER}{said} LOCATION {place}{managed}")

    def drop(self, entry: CatalogEntry, *, purge: bool = False) -> None:
        """Forget the table; the files of a managed one are deleted, if they lie in the folder of their database.

        That a table is managed stands in a property, which anybody may set, and so may its location: any other folder
        stays, and so does one that a link leads to.
        """
        folder = Path(entry.path)
        home = Path(self.default_path((entry.database, entry.table))).parent
        goes = entry.is_managed and folder.parent == home and _is_table(folder)
        plain_sql(self._spark, f"DROP TABLE {entry.quoted}{' PURGE' if purge else ''}")
        if goes:
            shutil.rmtree(folder, ignore_errors=True)

    def _rename(self, entry: CatalogEntry, database: str, table: str) -> None:
        """Its files stay, also those of a managed table."""
        plain_sql(self._spark, f"ALTER TABLE {entry.quoted} RENAME TO {quoted_name((database, table))}")

    def relocate(self, entry: CatalogEntry, path: str) -> None:
        """Let the name mean the table at another path. Raises what Spark raises."""
        plain_sql(self._spark, f"ALTER TABLE {entry.quoted} SET LOCATION {quoted_text(path)}")

    def become_delta(self, entry: CatalogEntry) -> None:
        """The name of an external table goes and comes again; its files stay. Raises what Spark raises."""
        if entry.is_managed:  # not an assert, which python -O leaves out: the files are at stake
            raise AssertionError("dropping a managed table would delete its files")
        plain_sql(self._spark, f"DROP TABLE {entry.quoted}")
        self.create((entry.database, entry.table), entry.path, is_managed=False, comment=entry.comment)


def entry_told(database: str, table: str, information: str) -> CatalogEntry:
    """The entry in what Spark tells about a table, a line a fact and the columns last."""
    facts: dict[str, str] = {}
    for line in information.partition("\nSchema: ")[0].splitlines():
        name, _, value = line.partition(": ")
        facts.setdefault(name, value)
    kind = facts.get("Type", "").upper()
    location = facts.get("Location")
    properties = _properties(facts.get("Table Properties", ""))
    return CatalogEntry(
        database,
        table,
        facts.get("Provider"),
        None if location is None else local_path(location),
        is_managed=properties.get(MANAGED) == "true",
        is_view=kind.endswith("VIEW"),
        properties=properties,
        comment=facts.get("Comment"),
    )


def _properties(text: str) -> dict[str, str]:
    pairs = (each.partition("=") for each in text.strip("[]").split(", "))
    return {key: value for key, found, value in pairs if found}


def _is_table(folder: Path) -> bool:
    return not folder.is_symlink() and (folder / "_delta_log").is_dir()


def _pattern(name: str) -> str:
    """A pattern of SHOW that the name matches, and little else: what is not plain matches any character."""
    return _NOT_PLAIN.sub(".", name)
