"""Recorded SQL sequences, followed statement by statement as calls of this library."""

from __future__ import annotations

import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from deltaresolver.errors import StatementUnsupportedError
from deltaresolver.model.catalog import FeatureCatalog
from deltaresolver.model.row_rules import RowCondition
from deltaresolver.table import Table
from deltaresolver.testing.conformance.recorded_rows import delete_all, insert_rows, read_rows
from deltaresolver.transaction.ddl.read_statement import read_statement
from deltaresolver.transaction.ddl.statements import AlterTable, CreateStatement, Statement
from deltaresolver.transaction.ddl.token_stream import TokenStream

Step = Mapping[str, Any]

PLACEHOLDERS = ("{table}", "{source}", "{clone}")
_UNQUOTED = re.compile(r"(?<![`'/])(\{(?:table|source|clone)\})")


class Follower:
    """Follows the statements of one sequence on tables of its own. Raises what our calls raise."""

    def __init__(self, folder: Path, session: Mapping[str, str], catalog: FeatureCatalog | None = None) -> None:
        self._folder = folder
        self._session = dict(session)
        self._catalog = catalog

    def location(self, name: str) -> Path:
        """Where the table is that the recording calls `name`."""
        return self._folder / name.strip("{}")

    def table(self, name: str) -> Table:
        """That table, freshly opened."""
        return Table(self.location(name), session=self._session, catalog=self._catalog)

    def follow(self, sql: str) -> None:
        """Do what a statement does. Raises `StatementUnsupportedError` for one that takes an engine."""
        if sql.startswith("@conf "):
            _, key, value = sql.split(maxsplit=2)
            self._session[key] = value
            return
        quoted = _UNQUOTED.sub(r"`\1`", sql)
        stream = TokenStream(quoted)
        if stream.takes("INSERT", "INTO"):
            table = self._named(stream, sql)
            insert_rows(table, read_rows(stream, table.metadata.schema))
        elif stream.takes("DELETE", "FROM"):
            table = self._named(stream, sql)
            if not stream.at_end:
                raise stream.unsupported("which rows go only an engine tells")
            delete_all(table)
        else:
            self._change(read_statement(quoted), sql)

    def _named(self, stream: TokenStream, sql: str) -> Table:
        name = ".".join(stream.read_path())
        if name not in PLACEHOLDERS:
            raise _elsewhere(sql)
        return self.table(name)

    def _change(self, statement: Statement, sql: str) -> None:
        if statement.table not in PLACEHOLDERS:
            raise _elsewhere(sql)
        table = self.table(statement.table)
        if isinstance(statement, CreateStatement):
            if statement.location is not None or statement.provider is None:
                raise _elsewhere(sql)
        elif not self.location(statement.table).exists():
            # A statement about no table is refused before anything of it is looked at.
            table.update()
        if isinstance(statement, AlterTable):
            table.change(statement.change, row_check=_rows_are_fine)
        else:
            table.carry_out(statement)


def _rows_are_fine(table_version: int, condition: RowCondition) -> None:
    """Files of a followed table have no rows; what the engine found when it was recorded is taken for granted."""


def _elsewhere(sql: str) -> StatementUnsupportedError:
    return StatementUnsupportedError(
        "The statement names a table by its location or leaves its format to Spark, which takes a catalog.",
        fix="Open the table at its location.",
        details={"statement": sql},
    )
