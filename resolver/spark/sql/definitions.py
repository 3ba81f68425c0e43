"""CREATE, REPLACE, ALTER, COMMENT ON and DROP TABLE."""

from __future__ import annotations

from typing import TYPE_CHECKING

from deltaresolver.errors import TableNameError
from deltaresolver.expressions.text.spelling import respelt
from deltaresolver.planning.rewriting_files.drop import drop_with_rewriting
from deltaresolver.spark.declared_values import ensure_default_fits
from deltaresolver.spark.maintenance.file_rewriting import SparkRewriter
from deltaresolver.spark.names.identifiers import TableName, path_of, shown_name
from deltaresolver.spark.names.named_table import NamedTable
from deltaresolver.spark.row_checks import row_check
from deltaresolver.spark.sql.altering.identity_sync import sync_identity
from deltaresolver.spark.sql.altering.properties import alter_properties
from deltaresolver.spark.sql.clones import clone, mode_of
from deltaresolver.spark.sql.context import SqlContext
from deltaresolver.spark.sql.creation import Creation, carry_out
from deltaresolver.spark.sql.refusals import unsupported
from deltaresolver.spark.sql.words import StatementWords
from deltaresolver.table import Table
from deltaresolver.transaction.alter.change_column import ChangeColumns
from deltaresolver.transaction.ddl.read_statement import read_statement
from deltaresolver.transaction.ddl.statements import (
    AlterProperties,
    AlterTable,
    CreateStatement,
    DropFeatureStatement,
    Statement,
)

if TYPE_CHECKING:
    from pyspark.sql import DataFrame

_QUERY = ("SELECT", "WITH", "VALUES", "FROM", "TABLE", "(")
_DEFAULT_PROVIDER = "spark.sql.sources.default"


def create(context: SqlContext, words: StatementWords, common: str) -> DataFrame | None:
    """CREATE [OR REPLACE] TABLE and REPLACE TABLE: with columns, AS a query, LIKE a table. None for other providers."""
    first = words.place
    words.skip_to("TABLE")
    words.expect("TABLE")
    words.takes("IF", "NOT", "EXISTS")
    at = words.place
    name = _read_name(context, words)
    behind = words.place
    if words.takes("LIKE"):
        return _create_like(context, words, name, words.written(first, at))
    if words.sees("SHALLOW") or words.sees("DEEP") or words.sees("CLONE"):
        return clone(context, words, name, mode_of(context.words(words.written(first, at))))
    if not _is_ours(context, words, name):
        # A table of another kind may be made of rows of Delta tables.
        words.place = 0
        return context.query(words.text) if context.delta_relations(words) else None
    words.place = behind
    query = _query_behind(words)
    end = words.place
    head = f"{words.written(first, at)} {shown_name(name)} {words.written(behind, end)}"
    statement = read_statement(respelt(head, context.reading), context.timestamp)
    assert isinstance(statement, CreateStatement)
    if query is not None:
        query = f"{common} {query}".strip()
    carry_out(context, Creation(name, statement, query))
    return context.empty()


def _read_name(context: SqlContext, words: StatementWords) -> TableName:
    if words.takes("IDENTIFIER"):
        return context.named_by(words.read_group())
    return words.read_path()


def _is_ours(context: SqlContext, words: StatementWords, name: TableName) -> bool:
    """Whether the table is to be Delta's, by its provider or the session's; the words end up behind."""
    if path_of(name) is not None:
        return True
    words.skip_to("USING", "AS", *_QUERY[:3], "STORED", "ROW")
    if words.takes("USING"):
        return words.read_path()[-1].lower() in ("delta", "deltaresolver")
    if words.sees("STORED") or words.sees("ROW"):
        return False
    return (context.spark.conf.get(_DEFAULT_PROVIDER, "parquet") or "").lower() in ("delta", "deltaresolver")


def _query_behind(words: StatementWords) -> str | None:
    """The query of a CREATE TABLE AS SELECT; the words end up where what comes before it ends."""
    place = words.place
    if words.sees("("):
        words.skip_group()
    words.skip_to("AS", "SELECT", "WITH", "VALUES")
    if words.at_end:
        return None
    end = words.place
    words.takes("AS")
    query = words.rest()
    words.place = place
    words.place = end
    return query


def _create_like(context: SqlContext, words: StatementWords, name: TableName, head: str) -> DataFrame | None:
    source = words.read_path()
    clauses = words.rest()
    like = context.find(source)
    tail = context.words(clauses)
    asked = (
        _is_ours(context, tail, name)
        if tail.words and "USING" in {word.key for word in tail.words}
        else like is not None
    )
    if not asked:
        return None
    if like is None:
        raise unsupported("CREATE TABLE LIKE a table of another kind", shown_name(name), "Declare the columns.")
    metadata = context.opened(like).metadata
    statement = read_statement(respelt(f"{head} {shown_name(name)} {clauses}", context.reading))
    assert isinstance(statement, CreateStatement)
    carry_out(context, Creation(name, statement, like=metadata))
    return context.empty()


# --- ALTER, COMMENT ON, DROP -------------------------------------------------------------------------


def alter(context: SqlContext, words: StatementWords, common: str) -> DataFrame | None:
    """ALTER TABLE in all forms."""
    del common
    words.expect("ALTER", "TABLE")
    table = context.target(words)
    if table is None:
        return None
    if words.takes("RENAME", "TO"):
        return _rename(context, words, table)
    if words.takes("SET", "LOCATION"):
        return _relocate(context, words, table)
    if words.sees("ADD", "PARTITION") or words.sees("DROP", "PARTITION"):
        what = f"ALTER TABLE ... {words.read('a change').key} PARTITION"
        condition = "INVALID_PARTITION_OPERATION.PARTITION_MANAGEMENT_IS_UNSUPPORTED"
        raise unsupported(what, table, "Write rows of the partition, or delete them.", condition)
    opened = context.opened(table)
    synced = _synced_column(words)
    if synced is not None:
        sync_identity(context.spark, opened, synced)
        return context.empty()
    text = respelt(f"ALTER TABLE t {words.rest()}", context.reading)
    statement = read_statement(text, context.timestamp)
    if isinstance(statement, DropFeatureStatement):
        rewriter = SparkRewriter(context.spark)
        drop_with_rewriting(opened, statement.feature, rewriter, truncate_history=statement.truncate_history)
    elif isinstance(statement, AlterProperties):
        alter_properties(context.spark, opened, statement)
    else:
        _ensure_default_fits(context, opened, statement)
        opened.carry_out(statement, row_check=row_check(context.spark, table.path))
    return context.empty()


def _ensure_default_fits(context: SqlContext, table: Table, statement: Statement) -> None:
    change = statement.change if isinstance(statement, AlterTable) else None
    if not isinstance(change, ChangeColumns):
        return
    defaults = {each.path[0].lower(): each.default for each in change.changes if each.default and len(each.path) == 1}
    for field in table.update().metadata.schema.fields if defaults else ():
        default = defaults.get(field.name.lower())
        if default is not None:
            ensure_default_fits(context.spark, field, default)


def _synced_column(words: StatementWords) -> TableName | None:
    """The column of ALTER COLUMN ... SYNC IDENTITY; for anything else the words stay where they are."""
    place = words.place
    if words.takes("ALTER") or words.takes("CHANGE"):
        words.takes("COLUMN")
        path = words.read_path()
        if words.takes("SYNC", "IDENTITY"):
            words.expect_end()
            return path
    words.place = place
    return None


def comment(context: SqlContext, words: StatementWords, common: str) -> DataFrame | None:
    """COMMENT ON TABLE."""
    del common
    words.expect("COMMENT", "ON", "TABLE")
    table = context.target(words)
    if table is None:
        return None
    context.opened(table).sql(respelt(f"COMMENT ON TABLE t {words.rest()}", context.reading))
    return context.empty()


def _rename(context: SqlContext, words: StatementWords, table: NamedTable) -> DataFrame:
    if table.entry is None:
        raise unsupported("ALTER TABLE RENAME TO", table, "A table by path has no name: move its folder.")
    name = words.read_path()
    words.expect_end()
    context.catalog.rename(table.entry, name)
    return context.empty()


def _relocate(context: SqlContext, words: StatementWords, table: NamedTable) -> DataFrame:
    path = words.read_text()
    words.expect_end()
    if table.entry is None:
        raise unsupported("ALTER TABLE SET LOCATION", table, "A table by path has no name: use the other path.")
    other = context.opened(NamedTable(("delta", path), path))
    have, wanted = (each.metadata.schema for each in (other, context.opened(table)))
    if [(field.name.lower(), field.type) for field in have.fields] != [
        (field.name.lower(), field.type) for field in wanted.fields
    ]:
        raise TableNameError(
            f"{table} cannot be given the location {path}: the table there has other columns.",
            fix="Drop the name and create it at the other location.",
            details={"name": list(table.name), "path": path},
            delta_condition="DELTA_SET_LOCATION_SCHEMA_MISMATCH",
        )
    context.catalog.relocate(table.entry, path)
    return context.empty()


def drop(context: SqlContext, words: StatementWords, common: str) -> DataFrame | None:
    """DROP TABLE: the name goes, and the files of a managed table."""
    del common
    words.expect("DROP", "TABLE")
    words.takes("IF", "EXISTS")
    table = context.target(words)
    if table is None:
        return None
    purge = words.takes("PURGE")
    words.expect_end()
    if table.entry is None:
        raise unsupported(
            "DROP TABLE", table, "A table by path has no name to drop: DELETE FROM it, or delete its folder."
        )
    context.catalog.drop(table.entry, purge=purge)
    return context.empty()
