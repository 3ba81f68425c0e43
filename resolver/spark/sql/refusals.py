"""Statements that Spark would carry out on its catalog or on files alone, where they name a Delta table."""

from __future__ import annotations

from typing import TYPE_CHECKING

from deltaresolver.errors import SqlParameterError, SqlUnsupportedError
from deltaresolver.spark.names.identifiers import shown_name
from deltaresolver.spark.names.named_table import NamedTable
from deltaresolver.spark.sql.context import SqlContext
from deltaresolver.spark.sql.views.temporary import shows_tables
from deltaresolver.spark.sql.words import StatementWords

if TYPE_CHECKING:
    from pyspark.sql import DataFrame


def unsupported(what: str, table: NamedTable | str, instead: str, condition: str | None = None) -> SqlUnsupportedError:
    """The error for a statement, or a part of one, about a Delta table; with the condition that delta-spark's has."""
    return SqlUnsupportedError(
        f"{what} is not carried out for the Delta table {table}.",
        fix=instead,
        details={"statement": what, "table": str(table)},
        delta_condition=condition,
    )


def view(context: SqlContext, words: StatementWords, what: str) -> None:
    """A view over Delta tables is next, where only a table can be changed: Spark has no words for it.

    Raises `SqlUnsupportedError`; for anything else nothing happens.
    """
    word = words.peek()
    if word is None or not word.is_name:
        return
    place, name = words.place, words.read_path()
    words.place = place
    if context.view_called(name) is None and not shows_tables(context, name):
        return
    raise SqlUnsupportedError(
        f"{what} is not carried out for {shown_name(name)}, which is a view.",
        fix="Name the table that the view reads.",
        details={"statement": what, "view": list(name)},
        delta_class="AnalysisException",
        delta_condition="EXPECT_TABLE_NOT_VIEW.NO_ALTERNATIVE",
    )


def catalog_only(context: SqlContext, words: StatementWords, common: str) -> DataFrame | None:
    """ANALYZE, MSCK REPAIR and LOAD DATA, which know nothing of a log."""
    del common
    first = words.read("a statement").key
    words.skip_to("TABLE")
    if not words.takes("TABLE") or words.at_end:
        return None
    table = context.target(words)
    if table is None or words.sees("COMPUTE", "DELTA"):  # which Spark's grammar does not have
        return None
    instead = "Leave it out: the log of a Delta table holds its files and their statistics."
    raise unsupported(first, table, instead, "NOT_SUPPORTED_COMMAND_FOR_V2_TABLE")


def with_frames(context: SqlContext, words: StatementWords) -> None:
    """A statement with DataFrames in braces: only queries take them where Delta tables are."""
    words.place = 0
    while not words.at_end:
        if not words.sees("IDENTIFIER", "(") and (word := words.peek()) is not None and word.is_name:
            table = context.find(words.read_path())
            if table is not None:
                raise SqlParameterError(
                    f"DataFrames in braces are taken by queries only, not by a statement on {table}.",
                    fix="Register the DataFrame as a temporary view, and name that.",
                    details={"table": str(table)},
                )
        else:
            words.place += 1
