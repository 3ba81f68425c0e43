"""`frame.mergeInto` in an enabled session: PySpark's writer, carried out by this library."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING

import attrs

from deltaresolver.errors import SqlUnsupportedError
from deltaresolver.spark.changes.merge.builder import DeltaMergeBuilder
from deltaresolver.spark.changes.merge.statement import Merge
from deltaresolver.spark.names.identifiers import parse_name
from deltaresolver.spark.names.named_table import find_table
from deltaresolver.spark.spark_errors import told_as_spark

if TYPE_CHECKING:
    from pyspark.sql import Column, DataFrame


def merge_writer(frame: DataFrame, table: str, condition: Column) -> MergeWriter | None:
    """The writer for a Delta table of this name; None for anything else. Raises `CatalogDisagreesError`."""
    spark = frame.sparkSession
    with told_as_spark():
        parts = parse_name(table)
        found = None if parts is None else find_table(spark, parts)
        if found is None:
            return None
        return MergeWriter(DeltaMergeBuilder(Merge(spark, found.open(spark), frame, condition, found.alias)))


@attrs.define(slots=True, eq=False)
class MergeWriter:
    """As PySpark's MergeIntoWriter, which its methods change and return."""

    _builder: DeltaMergeBuilder

    def whenMatched(self, condition: Column | None = None) -> _WhenMatched:
        """What becomes of rows of the table that match."""
        return _WhenMatched(self, condition)

    def whenNotMatched(self, condition: Column | None = None) -> _WhenNotMatched:
        """What becomes of rows of the source that match none."""
        return _WhenNotMatched(self, condition)

    def whenNotMatchedBySource(self, condition: Column | None = None) -> _WhenNotMatchedBySource:
        """What becomes of rows of the table that none of the source matches."""
        return _WhenNotMatchedBySource(self, condition)

    def withSchemaEvolution(self) -> MergeWriter:
        """Add columns of the source that the table lacks."""
        return self._changed(lambda builder: builder.withSchemaEvolution())

    def merge(self) -> None:
        """Carry it out. Raises as `DeltaMergeBuilder.execute`."""
        with told_as_spark():
            self._builder.execute()

    def _changed(self, change: Callable[[DeltaMergeBuilder], DeltaMergeBuilder]) -> MergeWriter:
        with told_as_spark():
            self._builder = change(self._builder)
        return self


@attrs.frozen(slots=True, eq=False)
class _Clause:
    _writer: MergeWriter
    _condition: Column | None

    def _added(self, add: Callable[[DeltaMergeBuilder], DeltaMergeBuilder]) -> MergeWriter:
        return self._writer._changed(add)  # noqa: SLF001 - the two are one class in PySpark


class _WhenMatched(_Clause):
    def updateAll(self) -> MergeWriter:
        return self._added(lambda builder: builder.whenMatchedUpdateAll(self._condition))

    def update(self, assignments: Mapping[str, Column]) -> MergeWriter:
        return self._added(lambda builder: builder.whenMatchedUpdate(self._condition, assignments))

    def delete(self) -> MergeWriter:
        return self._added(lambda builder: builder.whenMatchedDelete(self._condition))


class _WhenNotMatched(_Clause):
    def insertAll(self) -> MergeWriter:
        return self._added(lambda builder: builder.whenNotMatchedInsertAll(self._condition))

    def insert(self, assignments: Mapping[str, Column]) -> MergeWriter:
        return self._added(lambda builder: builder.whenNotMatchedInsert(self._condition, assignments))


class _WhenNotMatchedBySource(_Clause):
    def updateAll(self) -> MergeWriter:
        raise SqlUnsupportedError(
            "updateAll() cannot be used for rows that no source row matches: there are no values to take.",
            fix="Give the values with update().",
            delta_class="AnalysisException",
        )

    def update(self, assignments: Mapping[str, Column]) -> MergeWriter:
        return self._added(lambda builder: builder.whenNotMatchedBySourceUpdate(self._condition, assignments))

    def delete(self) -> MergeWriter:
        return self._added(lambda builder: builder.whenNotMatchedBySourceDelete(self._condition))
