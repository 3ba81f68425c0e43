"""Views of the session catalog over Delta tables, as Spark and delta-spark keep them: read, made and changed.

The catalog keeps a view's text, the columns that its query gave, and the settings and database it was made with. Spark
itself cannot read the text, since it has no classes of the provider of its tables; this library reads it as a query.
Classic Spark only: SQL, which is all that a Connect client has, makes no such view.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

import attrs

from deltaresolver.errors import SqlUnsupportedError
from deltaresolver.spark.held_settings import session_settings
from deltaresolver.spark.names.entry import CatalogEntry
from deltaresolver.spark.names.identifiers import TableName, quoted_name, shown_name
from deltaresolver.spark.sql.relations import Relation

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

    from deltaresolver.spark.sql.context import SqlContext

_SETTING = "view.sqlConfig."
_COLUMN = "view.query.out.col."
_COLUMNS = "view.query.out.numCols"
_PLACE = "view.catalogAndNamespace.part."


@attrs.frozen(slots=True)
class StoredView:
    """A view of the catalog whose text names Delta tables."""

    entry: CatalogEntry
    text: str

    @property
    def name(self) -> TableName:
        """Catalog, database and view."""
        return self.entry.name

    def __str__(self) -> str:
        return shown_name(self.entry.name)


def find_view(context: SqlContext, name: TableName) -> StoredView | None:
    """The view of that name, if its text names Delta tables; None for anything else."""
    entry = context.catalog.find(name)
    if entry is None or entry.view_text is None:
        return None
    view = StoredView(entry, entry.view_text)
    inner = context.inside(_database(view))
    return view if inner.delta_relations(inner.words(view.text)) else None


def rows_of_view(context: SqlContext, view: StoredView) -> DataFrame:
    """What the view shows now."""
    from pyspark.sql.functions import col

    properties = view.entry.properties
    database = _database(view)
    settings = {key[len(_SETTING) :]: value for key, value in properties.items() if key.startswith(_SETTING)}
    with session_settings(context.spark, settings), _current(context.spark, database):
        rows = context.inside(database).query(view.text)
    fields = context.catalog.view_columns(view.entry)
    count = properties.get(_COLUMNS)
    given = rows.columns[: len(fields)] if count is None else [properties[f"{_COLUMN}{n}"] for n in range(int(count))]
    columns = []
    for name, field in zip(given, fields, strict=True):
        column = col(quoted_name((name,)))
        is_same = rows.select(column).schema[0].dataType == field.dataType
        columns.append((column if is_same else column.cast(field.dataType)).alias(field.name, metadata=field.metadata))
    return rows.select(*columns)


def names_itself(context: SqlContext, found: Sequence[tuple[Relation, Any]], view: TableName) -> bool:
    """Whether a query names this view, itself or through others."""
    for _, table in found:
        if not isinstance(table, StoredView):
            continue
        if tuple(map(str.lower, table.name[-2:])) == tuple(map(str.lower, context.catalog.place_for(view))):
            return True
        inner = context.inside(_database(table))
        if names_itself(context, inner.delta_relations(inner.words(table.text)), view):
            return True
    return False


def _database(view: StoredView) -> str:
    """The database in which the view's text finds names without one."""
    parts: Mapping[str, str] = view.entry.properties
    return parts.get(f"{_PLACE}1", view.entry.database)


@contextmanager
def _current(spark: SparkSession, database: str) -> Iterator[None]:
    before = spark.catalog.currentDatabase()
    if before != database:
        spark.catalog.setCurrentDatabase(database)
    try:
        yield
    finally:
        if before != database:
            spark.catalog.setCurrentDatabase(before)


def ensure_no_travel(view: StoredView, *, travels: bool) -> None:
    """A view has no versions. Raises `SqlUnsupportedError`."""
    if travels:
        raise SqlUnsupportedError(
            f"{view} is a view, and has no versions.",
            fix="Name the version of the tables that the view reads.",
            details={"view": str(view)},
            delta_condition="UNSUPPORTED_FEATURE.TIME_TRAVEL",
        )
