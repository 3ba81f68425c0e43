"""Statements that Spark would carry out on its catalog or on files alone, where they name a Delta table."""

from __future__ import annotations

from typing import TYPE_CHECKING

from deltaresolver.errors import SqlParameterError, SqlUnsupportedError
from deltaresolver.spark.names.named_table import NamedTable
from deltaresolver.spark.sql.context import SqlContext
from deltaresolver.spark.sql.words import StatementWords

if TYPE_CHECKING:
    from pyspark.sql import DataFrame


def unsupported(what: str, table: NamedTable | str, instead: str) -> SqlUnsupportedError:
    """The error for a statement, or a part of one, about a Delta table."""
    return SqlUnsupportedError(
        f"{what} is not carried out for the Delta table {table}.",
        fix=instead,
        details={"statement": what, "table": str(table)},
    )


def truncate(context: SqlContext, words: StatementWords, common: str) -> DataFrame | None:
    """TRUNCATE TABLE, which deletes the files of a managed table, the log among them."""
    del common
    words.expect("TRUNCATE", "TABLE")
    table = context.target(words)
    if table is None:
        return None
    raise unsupported("TRUNCATE TABLE", table, "DELETE FROM without a condition deletes all rows, and can be undone.")


def catalog_only(context: SqlContext, words: StatementWords, common: str) -> DataFrame | None:
    """ANALYZE, MSCK REPAIR and LOAD DATA, which know nothing of a log."""
    del common
    first = words.read("a statement").key
    words.skip_to("TABLE")
    if not words.takes("TABLE") or words.at_end:
        return None
    table = context.target(words)
    if table is None:
        return None
    raise unsupported(first, table, "Leave it out: the log of a Delta table holds its files and their statistics.")


def create_view(context: SqlContext, words: StatementWords, common: str) -> DataFrame | None:
    """CREATE VIEW over Delta tables: a view outlives the statement, and Spark would not find its tables again."""
    del common
    words.expect("CREATE")
    words.takes("OR", "REPLACE")
    is_temporary = words.takes("TEMPORARY") or words.takes("TEMP")
    if words.sees("GLOBAL") or not words.takes("VIEW"):
        words.skip_to("VIEW")
        if not words.takes("VIEW"):
            return None
    name = words.read_path()
    words.skip_to("AS")
    if not words.takes("AS"):
        return None
    found = context.delta_relations(context.words(words.rest()))
    if not found:
        return None
    raise unsupported(
        "CREATE TEMPORARY VIEW" if is_temporary else "CREATE VIEW",
        found[0][1],
        f"Call ds.sql(spark, query).createOrReplaceTempView({name[-1]!r}): the view keeps the version of each table.",
    )


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
