"""MERGE INTO."""

from __future__ import annotations

from typing import TYPE_CHECKING

import attrs

from deltaresolver.model.schema import StructType, quote_path
from deltaresolver.spark.changes.merge.builder import DeltaMergeBuilder
from deltaresolver.spark.changes.merge.clauses import ClauseAct, ForRows, MergeClause
from deltaresolver.spark.changes.merge.statement import Merge
from deltaresolver.spark.names.named_table import NamedTable
from deltaresolver.spark.sql.changes import read_alias, read_assignments
from deltaresolver.spark.sql.context import SqlContext
from deltaresolver.spark.sql.defaults import default_of
from deltaresolver.spark.sql.refusals import unsupported, view
from deltaresolver.spark.sql.relations import read_relation
from deltaresolver.spark.sql.words import StatementWords

if TYPE_CHECKING:
    from pyspark.sql import DataFrame


def merge(context: SqlContext, words: StatementWords, common: str) -> DataFrame | None:
    """MERGE [WITH SCHEMA EVOLUTION] INTO ... USING ... ON ... WHEN ..."""
    words.expect("MERGE")
    evolves = words.takes("WITH", "SCHEMA", "EVOLUTION")
    words.expect("INTO")
    table = context.target(words)
    if table is None:
        view(context, words, "MERGE")
        return None
    alias = read_alias(words, table)
    words.expect("USING")
    source = read_source(context, words, common)
    words.expect("ON")
    condition = words.text_to("WHEN")
    opened = context.opened(table)
    schema = opened.metadata.schema
    clauses = []
    while words.takes("WHEN"):
        clauses.append(_read_clause(words, table, schema, alias))
    words.expect_end()
    texts = [condition, *(str(given) for clause in clauses for given in _givens(clause))]
    with context.views(*texts) as found:
        replaced = dict(zip(texts, found, strict=True))
        merging = Merge(context.spark, opened, source, replaced[condition], alias, evolves=evolves)
        kept = tuple(clause.with_givens(lambda given: replaced[str(given)]) for clause in clauses)
        return DeltaMergeBuilder(merging, kept).execute()


def _givens(clause: MergeClause) -> list[object]:
    return [*([] if clause.condition is None else [clause.condition]), *clause.values.values()]


def read_source(context: SqlContext, words: StatementWords, common: str) -> DataFrame:
    """The rows behind USING, under the alias that they have there."""
    first = words.place
    if words.sees("("):
        words.skip_group()
        alias = _read_source_alias(words)
        text = words.written(first, words.place)
    else:
        relation = read_relation(words)
        alias = _read_source_alias(words) or (None if relation.called is not None else relation.name[-1])
        text = words.written(first, words.place)
    rows = context.query(f"{common} SELECT * FROM {text}".strip())  # noqa: S608 - it is the user's own statement
    return rows if alias is None else rows.alias(alias)


def _read_source_alias(words: StatementWords) -> str | None:
    alias = None
    word = words.peek()
    if words.takes("AS") or (word is not None and word.is_name and word.key != "ON"):
        alias = words.read_name()
        if words.sees("("):
            words.skip_group()
    return alias


def _read_clause(words: StatementWords, table: NamedTable, schema: StructType, alias: str | None) -> MergeClause:
    rows = _read_rows(words)
    condition = words.text_to("THEN") if words.takes("AND") else None
    words.expect("THEN")
    clause = MergeClause(rows, ClauseAct.DELETE, condition)
    if rows is not ForRows.NOT_MATCHED and words.takes("DELETE"):
        return clause
    if rows is ForRows.NOT_MATCHED:
        words.expect("INSERT")
        return _read_inserted(words, table, schema, attrs.evolve(clause, act=ClauseAct.INSERT))
    words.expect("UPDATE", "SET")
    clause = attrs.evolve(clause, act=ClauseAct.UPDATE)
    if rows is ForRows.MATCHED and words.takes("*"):
        _ensure_no_exception(words, table)
        return attrs.evolve(clause, takes_all=True)
    return attrs.evolve(clause, values=read_assignments(words, schema, alias, "WHEN"))


def _read_rows(words: StatementWords) -> ForRows:
    if words.takes("MATCHED"):
        return ForRows.MATCHED
    words.expect("NOT", "MATCHED")
    if words.takes("BY", "SOURCE"):
        return ForRows.NOT_MATCHED_BY_SOURCE
    words.takes("BY", "TARGET")
    return ForRows.NOT_MATCHED


def _read_inserted(words: StatementWords, table: NamedTable, schema: StructType, clause: MergeClause) -> MergeClause:
    if words.takes("*"):
        _ensure_no_exception(words, table)
        return attrs.evolve(clause, takes_all=True)
    columns = None
    if words.sees("("):
        words.expect("(")
        columns = [words.read_path()]
        while words.takes(","):
            columns.append(words.read_path())
        words.expect(")")
    words.expect("VALUES", "(")
    values = []
    while True:
        values.append(words.text_to(",", ")"))
        if not words.takes(","):
            break
    words.expect(")")
    names = [(field.name,) for field in schema.fields] if columns is None else columns
    if len(names) != len(values):
        raise words.unreadable(f"{len(names)} columns have {len(values)} values; something else is expected")
    known = {field.name.lower(): field for field in schema.fields}
    found: dict[str, str] = {}
    for name, value in zip(names, values, strict=True):
        field = known.get(name[-1].lower())
        is_default = value.upper() == "DEFAULT" and field is not None
        text = quote_path(name)
        if text in found:
            raise words.unreadable(f"{text} is given twice; something else is expected")
        found[text] = default_of(field) if is_default and field is not None else value
    return attrs.evolve(clause, values=found)


def _ensure_no_exception(words: StatementWords, table: NamedTable) -> None:
    if words.sees("EXCEPT"):
        raise unsupported("EXCEPT behind *", table, "List the columns.")
