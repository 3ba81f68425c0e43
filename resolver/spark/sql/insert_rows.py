"""The rows of an INSERT in the columns of its table, each cast as an assignment is, and written as any other rows."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

import attrs

from deltaresolver.errors import InsertMismatchError
from deltaresolver.model.facts.nested_types import with_both_parts
from deltaresolver.model.schema import DataType, StructField, StructType, quote_path, quoted
from deltaresolver.spark.changes.assigned_values import assigned
from deltaresolver.spark.schema import delta_schema
from deltaresolver.spark.writing.fitted_columns import same_shape, spark_type
from deltaresolver.spark.writing.replaced_rows import MODE_BY_SESSION
from deltaresolver.spark.writing.table_change import merges_by_session
from deltaresolver.spark.writing.table_write import TableWrite
from deltaresolver.spark.writing.write_options import WriteOptions
from deltaresolver.table import Table
from deltaresolver.transaction.ddl.data_types import cast_name

if TYPE_CHECKING:
    from pyspark.sql import Column, DataFrame


@attrs.frozen(slots=True)
class Insert:
    """An INSERT as it is written.

    partition    values of partition columns, as written; None for one that the rows have
    columns      the columns that the rows are for, in order; None for all of the table
    """

    overwrites: bool
    evolves: bool = False
    partition: Mapping[str, str | None] = attrs.field(factory=dict)
    columns: tuple[str, ...] | None = None
    by_name: bool = False
    replace_where: str | None = None
    query: str = ""


def write_rows(table: Table, rows: DataFrame, asked: Insert) -> None:
    """Write the rows of the query. Raises `InsertMismatchError`, and as `ds.write`."""
    schema = table.metadata.schema
    merges = asked.evolves or merges_by_session(table.starter.session)
    fitting = (
        _by_name(rows, asked, schema, merges=merges) if asked.by_name else _by_place(rows, asked, schema, merges=merges)
    )
    options = WriteOptions(
        mode="overwrite" if asked.overwrites else "append",
        replace_where=_replaced(table, asked),
        merge_schema=True if asked.evolves else None,
        # An INSERT into columns, or by name, replaces all that an INSERT without them does.
        overwrite_dynamic=None,
    )
    TableWrite(table, fitting, options).run()


def _replaced(table: Table, asked: Insert) -> str | None:
    """The condition of the rows that are replaced; None for what the session says."""
    if asked.replace_where is not None or not asked.overwrites:
        return asked.replace_where
    static = {name: value for name, value in asked.partition.items() if value is not None}
    if not static or table.starter.session.get(MODE_BY_SESSION, "static").lower() == "dynamic":
        return None
    fields = {name: field_of(table.metadata.schema, name) for name in static}
    return " AND ".join(
        f"{quoted(field.name)} <=> CAST({static[name]} AS {cast_name(field.type)})" for name, field in fields.items()
    )


def _by_place(rows: DataFrame, asked: Insert, schema: StructType, *, merges: bool) -> DataFrame:
    """The rows' columns in order for the table's, or for those that are listed."""
    from pyspark.sql import functions

    static = {field_of(schema, name).name: value for name, value in asked.partition.items() if value is not None}
    listed = asked.columns
    wanted = (
        [field for field in schema.fields if field.name not in static]
        if listed is None
        else [field_of(schema, name) for name in listed]
    )
    _ensure_once([field.name for field in wanted] + list(static), asked)
    given = delta_schema(rows.schema).fields
    more = given[len(wanted) :] if merges and listed is None else ()
    if len(given) - len(more) != len(wanted):
        raise _arity(wanted, given)
    placed = rows.toDF(*(f"__deltaresolver_{place}" for place in range(len(given))))
    columns = [
        _value(functions.col(f"__deltaresolver_{place}"), own.type, field, by_place=True)
        for place, (own, field) in enumerate(zip(given, wanted, strict=False))
    ]
    columns += [
        functions.col(f"__deltaresolver_{place}").alias(given[place].name) for place in range(len(wanted), len(given))
    ]
    columns += [
        functions.expr(value or "NULL").cast(spark_type(field_of(schema, name).type)).alias(name)
        for name, value in static.items()
    ]
    return placed.select(*columns)


def _by_name(rows: DataFrame, asked: Insert, schema: StructType, *, merges: bool) -> DataFrame:
    from pyspark.sql import functions

    given = delta_schema(rows.schema).fields
    known = {field.name.lower(): field for field in schema.fields}
    unknown = [field.name for field in given if field.name.lower() not in known]
    if unknown and not merges:
        raise InsertMismatchError(
            f"The rows have {', '.join(unknown)}, which the table does not have.",
            fix="Leave the columns out, or INSERT WITH SCHEMA EVOLUTION.",
            details={"columns": unknown, "known": [field.name for field in schema.fields]},
            delta_condition="INCOMPATIBLE_DATA_FOR_TABLE.EXTRA_COLUMNS",
        )
    static = {field_of(schema, name).name: value for name, value in asked.partition.items() if value is not None}
    _ensure_once([field.name for field in given] + list(static), asked)
    columns = []
    for field in given:
        own = known.get(field.name.lower())
        column = functions.col(quoted(field.name))
        columns.append(column if own is None else _value(column, field.type, own, by_place=False))
    columns += [
        functions.expr(value or "NULL").cast(spark_type(field_of(schema, name).type)).alias(name)
        for name, value in static.items()
    ]
    return rows.select(*columns)


def _value(column: Column, given: DataType, field: StructField, *, by_place: bool) -> Column:
    """The column as the table's takes it. Fields of structs are found by their place, or by name."""
    if by_place:
        renamed = _renamed(given, field.type)
        if not same_shape(renamed, given):
            column, given = column.cast(spark_type(renamed)), renamed
    return assigned(column, given, field.type, (field.name,)).alias(field.name)


def _renamed(given: DataType, wanted: DataType) -> DataType:
    """The given type with the names of the wanted fields at the same places."""
    if isinstance(given, StructType) and isinstance(wanted, StructType) and len(given.fields) == len(wanted.fields):
        return StructType(
            tuple(
                StructField(own.name, _renamed(field.type, own.type), field.nullable)
                for field, own in zip(given.fields, wanted.fields, strict=True)
            )
        )
    inside = with_both_parts(given, wanted, lambda _, one, other: _renamed(one, other))
    return given if inside is None else inside


def field_of(schema: StructType, name: str) -> StructField:
    """The column of that name in any case. Raises `InsertMismatchError`."""
    found = next((field for field in schema.fields if field.name.lower() == name.lower()), None)
    if found is None:
        raise InsertMismatchError(
            f"The INSERT names the column {quote_path((name,))}, which the table does not have.",
            fix=f"Use some of: {', '.join(field.name for field in schema.fields)}.",
            details={"column": name, "known": [field.name for field in schema.fields]},
            delta_condition="UNRESOLVED_COLUMN.WITH_SUGGESTION",
        )
    return found


def _ensure_once(names: Sequence[str], asked: Insert) -> None:
    lowered = [name.lower() for name in names]
    twice = sorted({name for name in names if lowered.count(name.lower()) > 1})
    if twice:
        raise InsertMismatchError(
            f"The INSERT gives {', '.join(twice)} more than once.",
            fix="Give each column one value.",
            details={"columns": twice, "listed": list(asked.columns or ())},
            delta_condition="DELTA_DUPLICATE_COLUMNS_ON_INSERT",
        )


def _arity(wanted: Sequence[StructField], given: Sequence[StructField]) -> InsertMismatchError:
    names = ", ".join(field.name for field in wanted)
    return InsertMismatchError(
        f"The INSERT has {len(given)} columns, and {len(wanted)} are to be filled: {names}.",
        fix="Give a value for each column, or list the columns that get one behind the table's name.",
        details={"given": [field.name for field in given], "wanted": [field.name for field in wanted]},
    )
