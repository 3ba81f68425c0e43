"""Follow recorded SQL sequences, statement by statement, with calls of this library."""

from __future__ import annotations

import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any, ClassVar

import attrs

from deltaresolver.errors import StatementUnsupportedError
from deltaresolver.model.catalog import FeatureCatalog
from deltaresolver.model.row_rules import RowCondition
from deltaresolver.table import Table
from deltaresolver.testing.conformance.pseudo_statements import grow_older, seconds_of, tables_named
from deltaresolver.testing.conformance.recorded_rows import delete_all, insert_rows, read_rows
from deltaresolver.transaction.ddl.read_statement import read_statement
from deltaresolver.transaction.ddl.statements import AlterTable, CreateStatement, Statement
from deltaresolver.transaction.ddl.token_stream import TokenStream

Step = Mapping[str, Any]

PLACEHOLDERS = ("{table}", "{source}", "{clone}", "{path}")
_BY_PATH = "{path}"
_CREATED_AT_PATH = re.compile(
    r"CREATE\s+(?:OR\s+REPLACE\s+)?TABLE\s+(\{\w+\})[^']*\sLOCATION\s+'\{path\}'", re.IGNORECASE
)
UNQUOTED = re.compile(r"(?<![`'/])(\{(?:table|source|clone)\})")


class Follower:
    """Follows the statements of one sequence on tables of its own. Raises what the library raises.

    is_engine    whether statements run on Spark, which writes conditions into commits in its own form
    """

    is_engine: ClassVar[bool] = False

    def __init__(self, folder: Path, session: Mapping[str, str], catalog: FeatureCatalog | None = None) -> None:
        self._folder = folder
        self._session = dict(session)
        self._catalog = catalog

        self._at_path: set[str] = set()
        self._created_there: set[str] = set()

    def location(self, name: str) -> Path:
        """The folder of the table that the recording calls `name`."""
        return self._folder / (_BY_PATH if name in self._at_path else name).strip("{}")

    def note_location(self, sql: str, tables: Mapping[str, Any]) -> None:
        """Remember a table that a statement created at `{path}`, perhaps of Parquet files that are converted later."""
        created = _CREATED_AT_PATH.match(sql)
        if created is not None:
            self._created_there.add(created[1])
        self._at_path.update(self._created_there.intersection(tables))

    def table(self, name: str) -> Table:
        """The table that the recording calls `name`, opened again."""
        return Table(self.location(name), session=self._session, catalog=self._catalog)

    def takes_engine(self, step: Step) -> bool:
        """Whether the statement needs an engine: the recorded one read rows to check, describe or rewrite them."""
        sql, expected = step["sql"], step["outcome"]
        commits = [commit for state in step["tables"].values() for commit in state.get("commits", ())]
        if sql.startswith("INSERT"):
            is_refused = expected["result"] == "error" and expected.get("condition") != "TABLE_OR_VIEW_NOT_FOUND"
            return (
                is_refused
                or not (commits or expected["result"] == "error")
                or any("metaData" in commit.get("actions", ()) for commit in commits)
            )
        if expected.get("condition") == "DELTA_NEW_CHECK_CONSTRAINT_VIOLATION":
            return True
        return sql.startswith("ALTER") and any("remove" in commit.get("actions", ()) for commit in commits)

    def follow(self, sql: str) -> None:
        """Carry out a statement. Raises `StatementUnsupportedError` for one that needs an engine."""
        if sql.startswith("@conf "):
            _, key, value = sql.split(maxsplit=2)
            self._session[key] = value
            return
        if sql.startswith("@"):
            self._follow_pseudo(sql)
            return
        quoted = UNQUOTED.sub(r"`\1`", sql)
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

    def _follow_pseudo(self, sql: str) -> None:
        kind, _, rest = sql.partition(" ")
        tables = [name for name in tables_named(rest, PLACEHOLDERS) if (self.location(name) / "_delta_log").is_dir()]
        seconds = seconds_of(rest)
        if kind == "@age" and seconds is not None:
            for location in {self.location(name) for name in tables}:
                grow_older(location, seconds)
        elif kind == "@checkpoint":
            for name in tables:
                table = self.table(name)
                table.starter.write_checkpoint(table.snapshot())
        else:
            raise _elsewhere(sql)

    def _named(self, stream: TokenStream, sql: str) -> Table:
        return self.table(_placeholder(".".join(stream.read_path()), sql))

    def _change(self, statement: Statement, sql: str) -> None:
        name = _placeholder(statement.table, sql)
        if isinstance(statement, CreateStatement):
            if statement.provider is None:
                raise _elsewhere(sql)
            if statement.location is not None:
                if statement.location != _BY_PATH or (self.location(_BY_PATH) / "_delta_log").exists():
                    raise _elsewhere(sql)
                statement = attrs.evolve(statement, location=None)
                self._at_path.add(name)
        table = self.table(name)
        if not isinstance(statement, CreateStatement) and not self.location(name).exists():
            # A statement about a missing table is refused before anything else of it is checked.
            table.update()
        if isinstance(statement, AlterTable):
            table.change(statement.change, row_check=_rows_are_fine)
        else:
            table.carry_out(statement)


def _rows_are_fine(table_version: int, condition: RowCondition) -> None:
    """Accept all rows: files of a followed table have none, and the recorded engine has checked them."""


def _placeholder(name: str, sql: str) -> str:
    """The table that a statement names, by itself or by its path. Raises `StatementUnsupportedError`."""
    found = name.removeprefix("delta.") if name == f"delta.{_BY_PATH}" else name
    if found not in PLACEHOLDERS:
        raise _elsewhere(sql)
    return found


def _elsewhere(sql: str) -> StatementUnsupportedError:
    return StatementUnsupportedError(
        "The statement names a table by its location or leaves its format to Spark, which needs a catalog.",
        fix="Open the table at its location.",
        details={"statement": sql},
    )
