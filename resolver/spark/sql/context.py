"""What a statement is carried out with: the session, how it reads SQL, its catalog, and queries over Delta tables."""

from __future__ import annotations

import datetime
import uuid
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import cached_property
from typing import TYPE_CHECKING, Any

from deltaresolver.errors import ReadOptionInvalidError, SqlUnsupportedError, TableNameError
from deltaresolver.expressions.text.reading import SqlReading
from deltaresolver.spark.changes.conditions import Rewritten
from deltaresolver.spark.names.identifiers import TableName, parse_name
from deltaresolver.spark.names.named_table import NamedTable, find_table
from deltaresolver.spark.names.session_catalog import SessionCatalog, catalog_of
from deltaresolver.spark.reading.read import read
from deltaresolver.spark.reading.read_options import ChangeFeed, as_moment
from deltaresolver.spark.session import plain_sql, session_reading, timestamp_type
from deltaresolver.spark.sql.parameters import Arguments
from deltaresolver.spark.sql.relations import CHANGES_BY_PATH, Relation, Travel, relations
from deltaresolver.spark.sql.replaced import replaced_text
from deltaresolver.spark.sql.views.stored import StoredView, ensure_no_travel, find_view, rows_of_view
from deltaresolver.spark.sql.words import StatementWords

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

    from deltaresolver.table import Table

_EPOCH = datetime.datetime(1970, 1, 1, tzinfo=datetime.UTC)


class SqlContext:
    """One session while a statement is carried out."""

    def __init__(self, spark: SparkSession, database: str | None = None) -> None:
        self.spark = spark
        self._database = database

    def inside(self, database: str) -> SqlContext:
        """The same for the text of a view, whose names without a database are in this one."""
        return SqlContext(self.spark, database)

    @cached_property
    def timestamp(self) -> str:
        """What the session calls TIMESTAMP, as a type of Delta."""
        return timestamp_type(self.spark)

    @cached_property
    def reading(self) -> SqlReading:
        """How the session reads literals."""
        return session_reading(self.spark)

    @cached_property
    def catalog(self) -> SessionCatalog:
        """The session catalog."""
        return catalog_of(self.spark)

    def words(self, text: str) -> StatementWords:
        """The words of a text, as the session reads it."""
        return StatementWords.of(text, self.reading)

    # --- tables --------------------------------------------------------------------------------

    def find(self, name: TableName) -> NamedTable | None:
        """The Delta table of that name; None for anything else."""
        return find_table(self.spark, self._full(name), self.catalog)

    def view_called(self, name: TableName) -> StoredView | None:
        """The view of that name in the catalog whose text names Delta tables; None for anything else."""
        return find_view(self, self._full(name))

    def _full(self, name: TableName) -> TableName:
        return (self._database, *name) if self._database is not None and len(name) == 1 else name

    def target(self, words: StatementWords) -> NamedTable | None:
        """The Delta table whose name comes next; None for anything else, the words then being where they were."""
        place = words.place
        if words.sees("IDENTIFIER", "("):
            words.expect("IDENTIFIER")
            found = self.find(self.named_by(words.read_group()))
        else:
            found = self.find(words.read_path())
        if found is None:
            words.place = place
        return found

    def named_by(self, inner: str) -> TableName:
        """The name that `IDENTIFIER(...)` stands for. Raises `SqlUnsupportedError`."""
        words = self.words(inner)
        name = None
        if words.sees_text():
            text = words.read_text()
            name = parse_name(text) if words.at_end else None
        if name is None:
            raise SqlUnsupportedError(
                f"IDENTIFIER({inner}) is not followed: only a text names a Delta table.",
                fix="Write the name itself, or give it as a parameter.",
                details={"identifier": inner},
            )
        return name

    def opened(self, table: NamedTable) -> Table:
        """The table, which must be there. Raises `TableNotFoundError`."""
        found = table.open(self.spark)
        found.update()
        return found

    # --- queries -------------------------------------------------------------------------------

    def delta_relations(self, words: StatementWords) -> list[tuple[Relation, NamedTable | StoredView]]:
        """Where a query names Delta tables, and views of the catalog over them."""
        found = []
        for relation in relations(words):
            table = self.meant(relation)
            if table is not None:
                found.append((relation, table))
        return found

    def meant(self, relation: Relation) -> NamedTable | StoredView | None:
        """The Delta table or view over some that is named; None for anything else."""
        if relation.called is None:
            return self.find(relation.name) or self.view_called(relation.name)
        if relation.tells_changes:
            return self._changed_table(relation)
        try:
            return self.find(self.named_by(relation.called)) if len(relation.name) == 1 else None
        except SqlUnsupportedError:
            return None  # Spark evaluates it, and fails where it comes to mean a Delta table

    def _changed_table(self, relation: Relation) -> NamedTable | None:
        words = self.words(relation.called or "")
        text = words.read_text() if words.sees_text() else None
        if text is None:
            return None
        if relation.name[-1].lower() == CHANGES_BY_PATH:
            return self.find(("delta", text))
        name = parse_name(text)
        found = None if name is None else self.find(name)
        if found is None:
            # As Spark says it for any name.
            self.spark.table(text)
        return found

    def query(self, text: str, args: Arguments = None, frames: Mapping[str, Any] | None = None) -> DataFrame:
        """What a query gives, its Delta tables read by this library; `frames` are those that it names in braces."""
        words = self.words(text)
        found = self.delta_relations(words)
        if not found:
            return plain_sql(self.spark, text, args, **(frames or {}))
        rows = {f"deltaresolver_{number}": self.rows_of(*each) for number, each in enumerate(found)}
        names = {number: f"{{{name}}}" for number, name in enumerate(rows)}
        replaced = replaced_text(words, [relation for relation, _ in found], names, escapes=not frames)
        return plain_sql(self.spark, replaced, args, **rows, **(frames or {}))

    @contextmanager
    def views(self, *texts: str) -> Iterator[Sequence[str]]:
        """The texts of expressions with names of views for the Delta tables that their subqueries name.

        The views are there for the block only, under names that nobody else has.
        """
        made: list[str] = []
        try:
            changed = []
            for text in texts:
                words = self.words(text)
                found = self.delta_relations(words)
                names = {}
                for number, each in enumerate(found):
                    name = f"__deltaresolver_{uuid.uuid4().hex}"
                    self.rows_of(*each).createOrReplaceTempView(name)
                    made.append(name)
                    names[number] = name
                replaced = replaced_text(words, [relation for relation, _ in found], names)
                changed.append(Rewritten(replaced, text) if found else text)
            yield changed
        finally:
            for name in made:
                self.spark.catalog.dropTempView(name)

    def rows_of(self, relation: Relation, table: NamedTable | StoredView) -> DataFrame:
        """The rows that a query means by a name."""
        if isinstance(table, StoredView):
            ensure_no_travel(table, travels=relation.travel is not None)
            return rows_of_view(self, table)
        if relation.tells_changes:
            return self._changes(relation, table)
        version, timestamp = self.moment(relation.travel)
        if isinstance(timestamp, str):
            _ensure_readable(timestamp)
        return read(self.spark, table.path, version=version, timestamp=timestamp)

    def _changes(self, relation: Relation, table: NamedTable) -> DataFrame:
        words = self.words(relation.called or "")
        words.read_text()
        bounds: list[str] = []
        while words.takes(","):
            bounds.append(words.text_to(","))
        words.expect_end()
        if not 1 <= len(bounds) <= 2:
            raise words.unreadable("a start, and perhaps an end, are expected")
        start, end = (*map(self._bound, bounds), None)[:2]
        return read(
            self.spark,
            table.path,
            change_feed=ChangeFeed(
                starting_version=start if isinstance(start, int) else None,
                starting_timestamp=start if isinstance(start, str) else None,
                ending_version=end if isinstance(end, int) else None,
                ending_timestamp=end if isinstance(end, str) else None,
            ),
        )

    def _bound(self, text: str) -> int | str:
        value = self.value(text)
        if isinstance(value, datetime.date):
            return self._instant(text)  # Python is given a moment by the clock of its machine
        return value if isinstance(value, int) else str(value)

    def moment(self, travel: Travel | None) -> tuple[int | None, Any]:
        """Version and moment as `ds.read` takes them. Raises `TableNameError` for what is neither."""
        if travel is None:
            return None, None
        if travel.version is not None:
            if not travel.version.isdecimal():
                raise TableNameError(
                    f"VERSION AS OF {travel.version} is not a version of a table.",
                    fix="Give a whole number, 0 or more.",
                    details={"version": travel.version},
                )
            return int(travel.version), None
        words = self.words(travel.timestamp or "")
        text = words.read_text() if words.sees_text() else None
        if text is not None and words.at_end:
            return None, text
        return None, self._instant(travel.timestamp or "")

    def _instant(self, expression: str) -> str:
        """The moment that an expression without columns means, in UTC: by the session's clock some hours come twice."""
        micros = self.value(f"unix_micros(CAST({expression} AS TIMESTAMP_LTZ))")
        try:
            return str(_EPOCH + datetime.timedelta(microseconds=micros))
        except (TypeError, OverflowError):
            return str(micros)  # not a moment: whoever reads it raises

    def value(self, expression: str) -> Any:
        """What Spark makes of an expression without columns."""
        (row,) = plain_sql(self.spark, f"SELECT {expression}", None).collect()
        return row[0]

    def empty(self) -> DataFrame:
        """No rows of no columns."""
        from pyspark.sql.types import StructType

        return self.spark.createDataFrame([], StructType([]))

    def counted(self, **counts: int) -> DataFrame:
        """One row of numbers."""
        schema = ", ".join(f"{name} bigint" for name in counts)
        return self.spark.createDataFrame([tuple(counts.values())], schema)


def _ensure_readable(moment: str) -> None:
    """Raises `ReadOptionInvalidError` for a TIMESTAMP AS OF that is not a timestamp, as Spark's parser does."""
    try:
        as_moment(moment, "UTC")
    except ReadOptionInvalidError as error:
        error.delta_class, error.delta_condition = "AnalysisException", "INVALID_TIME_TRAVEL_TIMESTAMP_EXPR.INPUT"
        raise
