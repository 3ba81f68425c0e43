"""INSERT: the grammar, and what it asks for."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

import attrs

from deltaresolver.spark.names.named_table import NamedTable
from deltaresolver.spark.sql.context import SqlContext
from deltaresolver.spark.sql.defaults import with_defaults
from deltaresolver.spark.sql.insert_rows import Insert, write_rows
from deltaresolver.spark.sql.refusals import unsupported
from deltaresolver.spark.sql.words import StatementWords

if TYPE_CHECKING:
    from pyspark.sql import DataFrame


def insert(context: SqlContext, words: StatementWords, common: str) -> DataFrame | None:
    """INSERT INTO and INSERT OVERWRITE in all forms."""
    words.expect("INSERT")
    evolves = words.takes("WITH", "SCHEMA", "EVOLUTION")
    overwrites = words.takes("OVERWRITE")
    if overwrites and (words.sees("DIRECTORY") or words.sees("LOCAL")):
        return context.query(words.text)
    if not overwrites:
        words.expect("INTO")
    if not words.sees("TABLE", "."):
        words.takes("TABLE")
    table = context.target(words)
    if table is None:
        return _elsewhere(context, words)
    asked = _read(words, table, Insert(overwrites, evolves))
    asked = attrs.evolve(asked, query=f"{common} {asked.query}".strip())
    opened = context.opened(table)
    rows = context.query(with_defaults(context.words(asked.query), opened, asked))
    write_rows(opened, rows, asked)
    return context.empty()


def _elsewhere(context: SqlContext, words: StatementWords) -> DataFrame | None:
    """An INSERT into another kind of table, whose query may read Delta tables."""
    return context.query(words.text) if context.delta_relations(words) else None


def _read(words: StatementWords, table: NamedTable, asked: Insert) -> Insert:
    if words.sees("WITH", "("):
        raise unsupported(
            "INSERT with options", table, "Set them as properties of the table or settings of the session."
        )
    if words.takes("PARTITION"):
        asked = attrs.evolve(asked, partition=_read_partition(words))
    if words.sees("IF", "NOT", "EXISTS"):
        raise unsupported("INSERT ... IF NOT EXISTS", table, "Use INSERT INTO ... REPLACE WHERE, or MERGE.")
    if words.takes("REPLACE", "WHERE"):
        condition = words.text_to("SELECT", "VALUES", "WITH", "TABLE")
        asked = attrs.evolve(asked, overwrites=True, replace_where=condition)
    elif words.sees("REPLACE"):
        raise unsupported("INSERT INTO ... REPLACE", table, "Use REPLACE WHERE with a condition.")
    if words.takes("BY", "NAME"):
        asked = attrs.evolve(asked, by_name=True)
    elif words.sees("(") and _lists_columns(words):
        asked = attrs.evolve(asked, columns=_read_columns(words))
    return attrs.evolve(asked, query=words.rest())


def _read_partition(words: StatementWords) -> Mapping[str, str | None]:
    words.expect("(")
    found: dict[str, str | None] = {}
    while True:
        name = words.read_name()
        found[name] = words.text_to(",", ")") if words.takes("=") else None
        if not words.takes(","):
            break
    words.expect(")")
    return found


def _lists_columns(words: StatementWords) -> bool:
    """Whether the parentheses that follow hold names, and not a query."""
    ahead = StatementWords(words.text, words.words, words.reading)
    ahead.place = words.place
    ahead.expect("(")
    if ahead.sees_any("SELECT", "WITH", "VALUES", "FROM", "TABLE", "("):
        following = ahead.peek(1)
        return following is not None and following.key in (",", ")")
    return True


def _read_columns(words: StatementWords) -> tuple[str, ...]:
    words.expect("(")
    names = [words.read_name()]
    while words.takes(","):
        names.append(words.read_name())
    words.expect(")")
    return tuple(names)
