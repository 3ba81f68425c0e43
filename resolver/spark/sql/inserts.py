"""INSERT: the rows of a query brought into the columns of a table, and written as any other rows."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

import attrs

from deltaresolver.errors import InsertMismatchError
from deltaresolver.model.facts.keys import COLUMN_DEFAULT
from deltaresolver.model.facts.names import quoted
from deltaresolver.model.schema import ArrayType, DataType, MapType, StructField, StructType, quote_path
from deltaresolver.spark.changes.assigned_values import assigned
from deltaresolver.spark.names.named_table import NamedTable
from deltaresolver.spark.schema import delta_schema
from deltaresolver.spark.sql.context import SqlContext
from deltaresolver.spark.sql.refusals import unsupported
from deltaresolver.spark.sql.words import Words
from deltaresolver.spark.writing.fitted_columns import same_shape, spark_type
from deltaresolver.spark.writing.replaced_rows import MODE_BY_SESSION
from deltaresolver.spark.writing.table_change import merges_by_session
from deltaresolver.spark.writing.table_write import TableWrite
from deltaresolver.spark.writing.write_options import WriteOptions
from deltaresolver.table import Table

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


def insert(context: SqlContext, words: Words, common: str) -> DataFrame | None:
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


def _elsewhere(context: SqlContext, words: Words) -> DataFrame | None:
    """An INSERT into another kind of table, whose query may read Delta tables."""
    return context.query(words.text) if context.delta_relations(words) else None


def _read(words: Words, table: NamedTable, asked: Insert) -> Insert:
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


def _read_partition(words: Words) -> Mapping[str, str | None]:
    words.expect("(")
    found: dict[str, str | None] = {}
    while True:
        name = words.read_name()
        found[name] = words.text_to(",", ")") if words.takes("=") else None
        if not words.takes(","):
            break
    words.expect(")")
    return found


def _lists_columns(words: Words) -> bool:
    """Whether the parentheses that follow hold names, and not a query."""
    ahead = Words(words.text, words.words, words.reading)
    ahead.place = words.place
    ahead.expect("(")
    if ahead.sees_any("SELECT", "WITH", "VALUES", "FROM", "TABLE", "("):
        following = ahead.peek(1)
        return following is not None and following.key in (",", ")")
    return True


def _read_columns(words: Words) -> tuple[str, ...]:
    words.expect("(")
    names = [words.read_name()]
    while words.takes(","):
        names.append(words.read_name())
    words.expect(")")
    return tuple(names)


# --- rows --------------------------------------------------------------------------------------------


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
    fields = {name: _field(table.metadata.schema, name) for name in static}
    return " AND ".join(
        f"{quoted(field.name)} <=> CAST({static[name]} AS {spark_type(field.type).simpleString()})"
        for name, field in fields.items()
    )


def _by_place(rows: DataFrame, asked: Insert, schema: StructType, *, merges: bool) -> DataFrame:
    """The rows' columns in order for the table's, or for those that are listed."""
    from pyspark.sql import functions

    static = {_field(schema, name).name: value for name, value in asked.partition.items() if value is not None}
    listed = asked.columns
    wanted = (
        [field for field in schema.fields if field.name not in static]
        if listed is None
        else [_field(schema, name) for name in listed]
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
        functions.expr(value or "NULL").cast(spark_type(_field(schema, name).type)).alias(name)
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
    static = {_field(schema, name).name: value for name, value in asked.partition.items() if value is not None}
    _ensure_once([field.name for field in given] + list(static), asked)
    columns = []
    for field in given:
        own = known.get(field.name.lower())
        column = functions.col(quoted(field.name))
        columns.append(column if own is None else _value(column, field.type, own, by_place=False))
    columns += [
        functions.expr(value or "NULL").cast(spark_type(_field(schema, name).type)).alias(name)
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
    if isinstance(given, ArrayType) and isinstance(wanted, ArrayType):
        return ArrayType(_renamed(given.element_type, wanted.element_type), given.contains_null)
    if isinstance(given, MapType) and isinstance(wanted, MapType):
        key = _renamed(given.key_type, wanted.key_type)
        return MapType(key, _renamed(given.value_type, wanted.value_type), given.value_contains_null)
    return given


def _field(schema: StructType, name: str) -> StructField:
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


# --- DEFAULT -----------------------------------------------------------------------------------------


def with_defaults(words: Words, table: Table, asked: Insert) -> str:
    """The query with what DEFAULT stands for in a list of VALUES."""
    if not words.sees("VALUES"):
        return words.text
    schema = table.metadata.schema
    static = {name.lower() for name, value in asked.partition.items() if value is not None}
    fields = (
        [field for field in schema.fields if field.name.lower() not in static]
        if asked.columns is None
        else [_field(schema, name) for name in asked.columns]
    )
    pieces: list[str] = []
    at, depth, column = 0, 0, 0
    for place, word in enumerate(words.words):
        depth += (word.key == "(") - (word.key == ")")
        if word.key == "(" and depth == 1:
            column = 0
        elif word.key == "," and depth == 1:
            column += 1
        elif word.key == "DEFAULT" and depth == 1 and _stands_alone(words, place) and column < len(fields):
            pieces += [words.text[at : word.start], default_of(fields[column])]
            at = word.end
    return "".join([*pieces, words.text[at:]])


def _stands_alone(words: Words, place: int) -> bool:
    following = words.words[place + 1].key if place + 1 < len(words.words) else ""
    return words.words[place - 1].key in ("(", ",") and following in (")", ",")


def default_of(field: StructField) -> str:
    """The default of a column, or NULL, as an expression of its type."""
    text = str((field.metadata or {}).get(COLUMN_DEFAULT, "NULL"))
    return f"CAST(({text}) AS {spark_type(field.type).simpleString()})"
