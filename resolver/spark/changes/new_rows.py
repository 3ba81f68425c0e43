"""Rows as UPDATE and MERGE leave them: what clauses assign, what the table fills in, and what stays as it was."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

import attrs

from deltaresolver.model.row_rules import ColumnExpression, ColumnSource, RowCondition
from deltaresolver.model.schema import DataType, FieldPath, StructField, StructType, quoted
from deltaresolver.spark.changes.assigned_values import assigned
from deltaresolver.spark.changes.assignments import Assignment
from deltaresolver.spark.changes.conditions import as_column
from deltaresolver.spark.reading.file_facts import PREFIX
from deltaresolver.spark.schema import delta_schema
from deltaresolver.spark.writing.checked_columns import checked_column
from deltaresolver.spark.writing.fitted_columns import fitted, spark_type
from deltaresolver.spark.writing.identity_values import MAX_PARTITIONS, identity_value
from deltaresolver.spark.writing.row_plan import PlannedRows, TableRules, checked, generated_condition

if TYPE_CHECKING:
    from pyspark.sql import Column, DataFrame

CLAUSE = f"{PREFIX}clause"
"""The number of the clause that a row is made by; null for one that stays as it is."""


@attrs.frozen(slots=True, eq=False)
class Making:
    """How one clause makes rows: from what is assigned, and else from the row as it was or, inserting, from defaults.

    `fills` lets assigned structs lack fields; with `keeps_fields` these stay as they were.
    """

    assignments: tuple[Assignment, ...]
    inserts: bool = False
    fills: bool = False
    keeps_fields: bool = False


@attrs.frozen(slots=True)
class _Value:
    """A value that a clause assigns, by the column that holds it."""

    path: FieldPath
    column: str
    type: DataType


@attrs.frozen(slots=True, eq=False)
class CompleteRows:
    """Rows with all columns of the table under its names, and what is known of them.

    conditions   what values that were given for generated columns must satisfy
    counted      identity columns whose values were made
    carried      further columns
    """

    frame: DataFrame
    conditions: tuple[RowCondition, ...]
    counted: tuple[str, ...]
    carried: tuple[str, ...]


@attrs.frozen(slots=True, eq=False)
class NewRows:
    """Makes rows of a table out of frames that have `CLAUSE`.

    makings   by the number of their clause
    before    the columns that hold rows as they were, with their types, by the table's names
    kept      columns that go along into data files under other names
    """

    rules: TableRules
    makings: Mapping[int, Making]
    before: Mapping[str, StructField]
    kept: Mapping[str, str] = attrs.field(factory=dict)

    def of(self, frame: DataFrame) -> PlannedRows:
        """The rows as files hold them. Raises `ValueNotAssignableError`, and what Spark raises."""
        return self.checked(self.complete(frame))

    def checked(self, rows: CompleteRows, *, keeps_clause: bool = False) -> PlannedRows:
        """Complete rows as files hold them, and with `keeps_clause` the clause of each, to count rows by it."""
        clause = (CLAUSE,) if keeps_clause else ()
        frame = rows.frame.drop(*(name for name in (CLAUSE, *rows.carried) if name not in clause))
        more = (*self.kept.values(), *clause)
        return checked(frame, self.rules, rows.conditions, more=more, counted=rows.counted)

    def complete(self, frame: DataFrame, carried: Sequence[str] = ()) -> CompleteRows:
        """The rows under the table's names, with `CLAUSE`, and columns `carried` along. Raises as `of`."""
        from pyspark.sql import functions

        valued, values = self._valued(frame)
        sources = {each.column.lower(): each for each in self.rules.expressions}
        columns: list[Column] = []
        computed: dict[str, Column] = {}
        conditions: list[RowCondition] = []
        counted: list[str] = []
        for field in self.rules.metadata.schema.fields:
            source = sources.get(field.name.lower())
            columns.append(self._column(field, source, values).alias(field.name))
            if source is None or source.source is ColumnSource.DEFAULT:
                continue
            if source.source is ColumnSource.IDENTITY:
                counted += [field.name] if self._is_numbered(field) else []
                continue
            if self._is_given(field):
                conditions.append(generated_condition(field, source))
            computed[field.name] = self._generated(field, source)
        if counted:
            valued = valued.coalesce(MAX_PARTITIONS)
        more = [functions.col(quoted(column)).alias(name) for column, name in self.kept.items()]
        frame = valued.select(*columns, *more, CLAUSE, *carried)
        if computed:
            frame = frame.withColumns(computed)
        return CompleteRows(frame, tuple(conditions), tuple(counted), tuple(carried))

    def _valued(self, frame: DataFrame) -> tuple[DataFrame, dict[int, list[_Value]]]:
        """The frame with the value of every assignment, evaluated for rows of its clause only."""
        from pyspark.sql import functions

        columns: list[Column] = []
        places: list[tuple[int, FieldPath]] = []
        for number, making in self.makings.items():
            for each in making.assignments:
                value = functions.when(functions.col(CLAUSE) == number, as_column(each.value))
                columns.append(value.alias(f"{PREFIX}value_{len(places)}"))
                places.append((number, each.path))
        valued = frame.select("*", *columns)
        types = delta_schema(valued.select(*(f"{PREFIX}value_{place}" for place in range(len(places)))).schema)
        values: dict[int, list[_Value]] = {number: [] for number in self.makings}
        for (number, path), field in zip(places, types.fields, strict=True):
            values[number].append(_Value(path, field.name, field.type))
        return valued, values

    def _column(
        self, field: StructField, source: ColumnExpression | None, values: Mapping[int, Sequence[_Value]]
    ) -> Column:
        """The field after the clause of each row, generated values left out."""
        from pyspark.sql import functions

        before = self.before_column(field)
        chain: Column | None = None
        for number, making in self.makings.items():
            own = [each for each in values[number] if each.path[0] == field.name]
            if own:
                column = _changed(field, (), before, own, making)
            elif making.inserts:
                column = _filled_in(field, source)
            else:
                continue
            is_here = functions.col(CLAUSE) == number
            chain = functions.when(is_here, column) if chain is None else chain.when(is_here, column)
        return before if chain is None else chain.otherwise(before)

    def before_column(self, field: StructField) -> Column:
        """The column in rows as they were, brought to its type; null where the table did not have it."""
        from pyspark.sql import functions

        old = self.before.get(field.name)
        if old is None:
            return functions.lit(None).cast(spark_type(field.type))
        return fitted(functions.col(quoted(old.name)), old.type, field.type)

    def _generated(self, field: StructField, source: ColumnExpression) -> Column:
        """Computed again wherever a clause changed the row and gave no value."""
        from pyspark.sql import functions

        as_it_is = functions.col(CLAUSE).isNull()
        given = [number for number, making in self.makings.items() if _assigns(making, field)]
        if given:
            as_it_is = as_it_is | functions.col(CLAUSE).isin(given)
        new = checked_column(source.sql).cast(spark_type(field.type))
        return functions.when(as_it_is, functions.col(quoted(field.name))).otherwise(new)

    def _is_given(self, field: StructField) -> bool:
        return any(_assigns(making, field) for making in self.makings.values())

    def _is_numbered(self, field: StructField) -> bool:
        return any(making.inserts and not _assigns(making, field) for making in self.makings.values())


def _assigns(making: Making, field: StructField) -> bool:
    return any(each.path[0] == field.name for each in making.assignments)


def _filled_in(field: StructField, source: ColumnExpression | None) -> Column:
    """What an inserted row has where nothing is assigned."""
    from pyspark.sql import functions

    kind = spark_type(field.type)
    if source is not None and source.source is ColumnSource.IDENTITY:
        return identity_value(field)
    if source is not None and source.source is ColumnSource.DEFAULT:
        return checked_column(source.sql).cast(kind)
    return functions.lit(None).cast(kind)


def _changed(field: StructField, above: FieldPath, before: Column, own: Sequence[_Value], making: Making) -> Column:
    """The field with what is assigned to it or inside it."""
    from pyspark.sql import functions

    path = (*above, field.name)
    here = next((each for each in own if each.path == path), None)
    if here is not None:
        value = functions.col(here.column)
        old = before if making.keeps_fields else None
        return assigned(value, here.type, field.type, path, fills=making.fills, before=old)
    assert isinstance(field.type, StructType), "assignments below a field have found it to be a struct"
    parts = []
    for inner in field.type.fields:
        below = [each for each in own if each.path[: len(path) + 1] == (*path, inner.name)]
        old = before.getField(inner.name)
        part = _changed(inner, path, old, below, making) if below else old
        parts.append(part.cast(spark_type(inner.type)).alias(inner.name))
    return functions.struct(*parts)
