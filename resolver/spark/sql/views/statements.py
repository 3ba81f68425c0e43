"""CREATE VIEW, ALTER VIEW and DROP VIEW, as far as Delta tables are concerned; anything else of them is Spark's."""

from __future__ import annotations

from typing import TYPE_CHECKING

from deltaresolver.errors import SqlUnsupportedError
from deltaresolver.expressions.text.spelling import quoted_text
from deltaresolver.spark.names.identifiers import TableName, quoted_name, shown_name
from deltaresolver.spark.session import plain_sql
from deltaresolver.spark.sql.context import SqlContext
from deltaresolver.spark.sql.relations import relations
from deltaresolver.spark.sql.views.stored import names_itself
from deltaresolver.spark.sql.views.temporary import define, forget
from deltaresolver.spark.sql.words import StatementWords

if TYPE_CHECKING:
    from pyspark.sql import DataFrame

_PROVIDERS = ("delta", "deltaresolver")


def create_view(context: SqlContext, words: StatementWords, common: str) -> DataFrame | None:
    """CREATE [OR REPLACE] [[GLOBAL] TEMPORARY] VIEW over Delta tables; None for any other."""
    del common
    words.expect("CREATE")
    replaces = words.takes("OR", "REPLACE")
    words.takes("GLOBAL")
    is_temporary = words.takes("TEMPORARY") or words.takes("TEMP")
    if not words.takes("VIEW"):
        return None
    spares = words.takes("IF", "NOT", "EXISTS")
    name = words.read_path()
    behind = words.place
    columns = words.read_group() if words.sees("(") else ""
    words.skip_to("AS", "USING")
    if is_temporary and words.takes("USING"):
        return _of_provider(context, words.written(0, behind), name[-1], words)
    end = words.place
    if not words.takes("AS"):
        return None
    query = context.words(words.rest())
    found = context.delta_relations(query)
    if not found:
        return None
    if is_temporary:
        return define(context, words.written(0, end) + " AS", name[-1], query, found)
    return _store(context, name, words.written(behind, end), query, bool(columns), replaces=replaces, spares=spares)


def alter_view(context: SqlContext, words: StatementWords, common: str) -> DataFrame | None:
    """ALTER VIEW ... AS; the view keeps its comment and properties."""
    del common
    words.expect("ALTER", "VIEW")
    name = words.read_path()
    end = words.place
    if not words.takes("AS"):
        return None
    query = context.words(words.rest())
    found = context.delta_relations(query)
    if not found:
        return None
    if len(name) == 1 and context.catalog.is_temporary(name[0]):
        return define(context, words.written(0, end) + " AS", name[-1], query, found)
    entry = context.catalog.find(name)
    if entry is None or entry.view_text is None:
        return None
    own = {key: value for key, value in entry.properties.items() if not key.startswith("view.")}
    pairs = ", ".join(f"{quoted_text(key)} = {quoted_text(value)}" for key, value in own.items())
    comment = "" if entry.comment is None else f"COMMENT {quoted_text(entry.comment)} "
    options = comment + (f"TBLPROPERTIES ({pairs})" if pairs else "")
    return _store(context, name, options, query, names_columns=False, replaces=True, spares=False)


def drop_view(context: SqlContext, words: StatementWords, common: str) -> DataFrame | None:
    """DROP VIEW is Spark's; what stood for the tables of a temporary view goes with it."""
    del common
    words.expect("DROP", "VIEW")
    words.takes("IF", "EXISTS")
    name = words.read_path()
    result = plain_sql(context.spark, words.text)
    if len(name) == 1:
        forget(context, name[0])
    return result


def _store(  # noqa: PLR0913 - what a statement says of a view
    context: SqlContext,
    name: TableName,
    options: str,
    query: StatementWords,
    names_columns: bool,
    *,
    replaces: bool,
    spares: bool,
) -> DataFrame | None:
    there = context.catalog.find(context.catalog.place_for(name))
    if there is not None and spares:
        return context.empty()
    if there is not None and (not replaces or not there.is_view):
        # As Spark says that something of the name is there.
        return plain_sql(context.spark, f"CREATE VIEW {quoted_name(name)} AS SELECT 1")
    for relation in relations(query):
        if relation.called is None and len(relation.name) == 1 and context.catalog.is_temporary(relation.name[0]):
            # As Spark says that such a view would outlive another.
            return plain_sql(
                context.spark, f"CREATE OR REPLACE VIEW {quoted_name(name)} AS TABLE {quoted_name(relation.name)}"
            )
    if names_itself(context, context.delta_relations(query), name):
        raise SqlUnsupportedError(
            f"The view {shown_name(name)} would be made of itself.",
            fix="Name the tables that it reads.",
            details={"view": list(name)},
            delta_condition="RECURSIVE_VIEW",
        )
    rows = context.query(query.text)
    context.catalog.store_view(name, options, query.text, rows, names_columns=names_columns)
    return context.empty()


def _of_provider(context: SqlContext, head: str, view: str, words: StatementWords) -> DataFrame | None:
    """CREATE TEMPORARY VIEW ... USING delta OPTIONS (path '...'); other providers and options are Spark's."""
    if words.read_path() != ("delta",) or not words.takes("OPTIONS"):
        return None
    inner = context.words(words.read_group())
    options: dict[str, str] = {}
    while not inner.at_end:
        key = inner.read_text() if inner.sees_text() else ".".join(inner.read_path())
        inner.takes("=")
        options[key.lower()] = inner.read_text() if inner.sees_text() else inner.read_number()
        inner.takes(",")
    path, version = options.pop("path", None), options.pop("versionasof", None)
    if path is None or options:
        return None
    travel = "" if version is None else f" VERSION AS OF {quoted_text(version)}"
    query = context.words(f"FROM {quoted_name(('delta', path))}{travel} SELECT *")
    return define(context, f"{head} AS", view, query, context.delta_relations(query))
