"""Temporary views over Delta tables: Spark keeps the view, and this module the rows that its tables stand for.

Spark reads the text of a temporary view anew at each use. In that text, each Delta table is replaced by a global
temporary view of rows at one version; before each statement those rows are brought to the newest version. So a view
shows what its tables hold when it is used, as with delta-spark, and whatever else Spark does with views goes on.
"""

from __future__ import annotations

import uuid
from collections.abc import Hashable, Iterable, Sequence
from typing import TYPE_CHECKING, Any

import attrs

from deltaresolver.errors import DeltaResolverError, TableNameError
from deltaresolver.expressions.text.spelling import quoted_text
from deltaresolver.spark.names.identifiers import TableName, quoted_name, shown_name
from deltaresolver.spark.names.named_table import NamedTable
from deltaresolver.spark.session import find_setting, is_of_spark, plain_sql
from deltaresolver.spark.sql.relations import CHANGES_BY_PATH, Relation
from deltaresolver.spark.sql.replaced import replaced_text
from deltaresolver.spark.sql.views.stored import StoredView
from deltaresolver.spark.sql.words import StatementWords

if TYPE_CHECKING:
    from pyspark.sql import DataFrame

    from deltaresolver.spark.sql.context import SqlContext

_GLOBAL = "spark.sql.globalTempDatabase"
_PREFIX = "__deltaresolver_rows_"


@attrs.define(slots=True)
class _Rows:
    """A global temporary view of the rows of one Delta table.

    relation    the table as the view names it, whatever database is current
    state       the state of the table that the rows show; None where it is asked for each time
    """

    relation: Relation
    state: Hashable = None


_by_application: dict[str, dict[str, _Rows]] = {}
"""For each running Spark its global views; all sessions of it share them."""
_of_view: dict[tuple[str, str], Sequence[str]] = {}
"""For each session and view the global views that stand for its tables."""


def define(
    context: SqlContext, head: str, view: str, query: StatementWords, found: Sequence[tuple[Relation, Any]]
) -> DataFrame:
    """Have Spark make the view: `head` is all before its query, `found` what the query names of Delta tables."""
    held = _by_application.setdefault(context.catalog.application_id, {})
    database = find_setting(context.spark, _GLOBAL) or "global_temp"
    made: list[str] = []
    names: dict[int, str] = {}
    try:
        for number, (relation, table) in enumerate(found):
            inner = f"{_PREFIX}{uuid.uuid4().hex}"
            held[inner] = _Rows(_fixed(context, relation, table))
            made.append(inner)
            _bring_up(context, inner, held[inner])
            names[number] = quoted_name((database, inner))
        replaced = replaced_text(query, [relation for relation, _ in found], names)
        result = plain_sql(context.spark, f"{head} {replaced}")
    except Exception:
        _remove(context, made)
        raise
    forget(context, view)
    _of_view[context.catalog.session_id, view.lower()] = made
    return result


def refresh(context: SqlContext) -> None:
    """Bring the rows of all temporary views over Delta tables to their newest versions."""
    if not _by_application:
        return
    for inner, rows in list(_by_application.get(context.catalog.application_id, {}).items()):
        try:
            _bring_up(context, inner, rows)
        except Exception as error:
            if not isinstance(error, DeltaResolverError) and not is_of_spark(error):
                raise
            # Its table is gone: Spark does not find what the view needs, and statements without the view go on.
            rows.state = None
            context.spark.catalog.dropGlobalTempView(inner)


def forget(context: SqlContext, view: str) -> None:
    """What stood for the tables of a view that was dropped goes too."""
    _remove(context, _of_view.pop((context.catalog.session_id, view.lower()), ()))


def shows_tables(context: SqlContext, name: TableName) -> bool:
    """Whether this is a temporary view over Delta tables that was made by SQL."""
    if not _of_view:
        return False
    key = context.catalog.session_id, name[-1].lower()
    return key in _of_view and context.catalog.is_temporary(name[-1])


def _bring_up(context: SqlContext, inner: str, rows: _Rows) -> None:
    table = context.meant(rows.relation)
    if table is None:
        name = shown_name(rows.relation.name)
        raise TableNameError(
            f"There is no Delta table {name} any more.", fix="Drop the view that reads it.", details={"name": name}
        )
    state = _state(context, rows.relation, table)
    if state is None or state != rows.state:
        context.rows_of(rows.relation, table).createOrReplaceGlobalTempView(inner)
        rows.state = state


def _state(context: SqlContext, relation: Relation, table: NamedTable | StoredView) -> Hashable:
    """What tells the rows of a table from those of another state of it; None if nothing does."""
    travel = relation.travel
    if not isinstance(table, NamedTable) or relation.tells_changes or (travel and travel.timestamp):
        return None
    newest = table.open(context.spark).update()
    return table.path, newest.metadata.id, newest.table_version if travel is None else travel.version


def _fixed(context: SqlContext, relation: Relation, table: NamedTable | StoredView) -> Relation:
    """The relation with the full name of its table, or its path."""
    if isinstance(table, StoredView):
        return attrs.evolve(relation, name=table.name, called=None)
    if not relation.tells_changes:
        return attrs.evolve(relation, name=table.name if table.entry is None else table.entry.name, called=None)
    words = context.words(relation.called or "")
    words.read_text()
    called = f"{quoted_text(table.path)}{words.rest()}"
    return attrs.evolve(relation, name=(CHANGES_BY_PATH,), called=called)


def _remove(context: SqlContext, made: Iterable[str]) -> None:
    held = _by_application.get(context.catalog.application_id, {})
    for inner in made:
        held.pop(inner, None)
        context.spark.catalog.dropGlobalTempView(inner)
    if not held:
        _by_application.pop(context.catalog.application_id, None)
