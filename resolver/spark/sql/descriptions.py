"""DESCRIBE and SHOW: what the log says of a table, in the columns of Spark's own answers."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING

from deltaresolver.errors import TableNameError, UnknownColumnError
from deltaresolver.log.snapshot import Snapshot
from deltaresolver.model.facts.keys import (
    COLUMN_DEFAULT,
    GENERATION_EXPRESSION,
    IDENTITY_ALLOWS_EXPLICIT,
    IDENTITY_START,
    IDENTITY_STEP,
    PHYSICAL_NAME,
)
from deltaresolver.model.schema import StructField, StructType, quote_path
from deltaresolver.resolution.instructions import FEATURE_PREFIX
from deltaresolver.spark.names.identifiers import shown_name
from deltaresolver.spark.names.named_table import NamedTable
from deltaresolver.spark.schema import spark_schema, visible_schema
from deltaresolver.spark.session import plain_sql
from deltaresolver.spark.spark_errors import MISSING_TABLE
from deltaresolver.spark.sql.context import SqlContext
from deltaresolver.spark.sql.refusals import unsupported
from deltaresolver.spark.sql.words import StatementWords
from deltaresolver.spark.tables import DeltaTable
from deltaresolver.transaction.ddl.sql_types import column_type, sql_text

if TYPE_CHECKING:
    from pyspark.sql import DataFrame

Rows = list[tuple[str, str, str | None]]
_OTHERS = ("DATABASE", "SCHEMA", "NAMESPACE", "CATALOG", "FUNCTION", "PROCEDURE", "VIEW")
_QUERY = ("QUERY", "SELECT", "WITH", "VALUES", "FROM", "(")


def describe(context: SqlContext, words: StatementWords, common: str) -> DataFrame | None:
    """DESCRIBE HISTORY, DETAIL, QUERY and TABLE."""
    del common
    words.read("DESCRIBE")
    if words.takes("HISTORY"):
        return _history(context, words)
    if words.takes("DETAIL"):
        named = table_or_path(context, words, "DESCRIBE DETAIL")
        words.expect_end()
        return _detail(context, named)
    if words.sees_any(*_OTHERS):
        return None
    if words.sees_any(*_QUERY):
        return context.query(words.text)
    words.takes("TABLE")
    is_full = words.takes("EXTENDED") or words.takes("FORMATTED")
    table = context.target(words)
    if table is None:
        return None
    if words.sees("AS", "JSON"):
        raise unsupported("DESCRIBE ... AS JSON", table, "Use DESCRIBE DETAIL.")
    if words.sees("PARTITION"):
        raise unsupported("DESCRIBE ... PARTITION", table, "Use DESCRIBE DETAIL, or SHOW PARTITIONS.")
    snapshot = context.opened(table).update()
    if not words.at_end:
        return context.spark.createDataFrame(_column(snapshot, words), "info_name string, info_value string")
    rows = _columns(snapshot)
    if is_full and len(rows) >= len(snapshot.metadata.schema.fields):
        rows += _details(table, snapshot)
    return context.spark.createDataFrame(rows, "col_name string, data_type string, comment string")


def _detail(context: SqlContext, table: NamedTable) -> DataFrame:
    from pyspark.sql import functions

    found = DeltaTable(context.spark, context.opened(table)).detail()
    if table.entry is None:
        return found
    return found.withColumn("name", functions.lit(shown_name(table.entry.name)))


def table_or_path(context: SqlContext, words: StatementWords, what: str, condition: str = MISSING_TABLE) -> NamedTable:
    """The table that comes next by its name or, in quotes, by its path, in a statement that only Delta has.

    Raises `TableNameError` with the condition for another kind of table, and what Spark raises for none.
    """
    if words.sees_text():
        path = words.read_text()
        return NamedTable(("delta", path), path)
    found = context.target(words)
    if found is not None:
        return found
    name = shown_name(words.read_path())
    plain_sql(context.spark, f"TABLE {name}")
    raise TableNameError(
        f"{what} is for Delta tables, and {name} is not a Delta table.",
        fix="Check the name; a table by path is called delta.`path`.",
        details={"name": name},
        delta_condition=condition,
    )


def _history(context: SqlContext, words: StatementWords) -> DataFrame:
    table = table_or_path(context, words, "DESCRIBE HISTORY", "DELTA_ONLY_OPERATION")
    limit = int(words.read_number()) if words.takes("LIMIT") else None
    words.expect_end()
    return DeltaTable(context.spark, context.opened(table)).history(limit)


def _columns(snapshot: Snapshot) -> Rows:
    metadata = snapshot.metadata
    rows = [_row(field) for field in metadata.schema.fields]
    if metadata.partition_columns:
        known = {field.name: field for field in metadata.schema.fields}
        rows += [("# Partition Information", "", ""), ("# col_name", "data_type", "comment")]
        rows += [_row(known[name]) for name in metadata.partition_columns]
    return rows


def _row(field: StructField) -> tuple[str, str, str | None]:
    comment = (field.metadata or {}).get("comment")
    return field.name, _type_of(field), None if comment is None else str(comment)


def _type_of(field: StructField) -> str:
    (own,) = spark_schema(visible_schema(StructType((field,)))).fields
    return own.dataType.simpleString()


def _column(snapshot: Snapshot, words: StatementWords) -> list[tuple[str, str]]:
    name = words.read_path()
    words.expect_end()
    field = next((each for each in snapshot.metadata.schema.fields if each.name.lower() == name[0].lower()), None)
    if field is None or len(name) > 1:
        raise UnknownColumnError(
            f"The table has no column {shown_name(name)} that could be described.",
            fix=f"Use one of: {', '.join(each.name for each in snapshot.metadata.schema.fields)}.",
            details={"unknown": list(name)},
        )
    comment = (field.metadata or {}).get("comment")
    told = (("col_name", field.name), ("data_type", _type_of(field)), ("comment", comment or "NULL"))
    return [(key, str(value)) for key, value in told]


def _details(table: NamedTable, snapshot: Snapshot) -> Rows:
    entry = table.entry
    shown = ", ".join(f"{key}={value}" for key, value in properties(snapshot))
    facts = [
        *_names(table),
        ("Type", "MANAGED" if entry is not None and entry.is_managed else "EXTERNAL"),
        *([("Comment", snapshot.metadata.description)] if snapshot.metadata.description else []),
        ("Location", table.path),
        ("Provider", "delta"),
        ("Table Properties", f"[{shown}]"),
    ]
    return [("", "", ""), ("# Detailed Table Information", "", ""), *((key, value or "", "") for key, value in facts)]


def _names(table: NamedTable) -> list[tuple[str, str]]:
    """As Spark shows them since 4.2 for tables of a catalog; a path has none."""
    if table.entry is None:
        return [("Name", shown_name(table.name))]
    catalog, database, name = table.entry.name
    return [("Catalog", catalog), ("Namespace", database), ("Database", database), ("Table", name)]


# --- SHOW --------------------------------------------------------------------------------------------


def show(context: SqlContext, words: StatementWords, common: str) -> DataFrame | None:
    """SHOW TBLPROPERTIES, COLUMNS, PARTITIONS and CREATE TABLE of Delta tables."""
    del common
    words.expect("SHOW")
    if words.takes("TBLPROPERTIES"):
        return _show_properties(context, words)
    if words.takes("COLUMNS"):
        return _show_columns(context, words)
    if words.takes("PARTITIONS"):
        return _show_partitions(context, words)
    if words.takes("CREATE", "TABLE"):
        table = context.target(words)
        return None if table is None else _show_creation(context, words, table)
    return None


def properties(snapshot: Snapshot) -> Sequence[tuple[str, str]]:
    """The table's properties, with those that delta-spark shows for the protocol."""
    protocol = snapshot.protocol
    found = dict(snapshot.metadata.configuration)
    found["delta.minReaderVersion"] = str(protocol.min_reader_version)
    found["delta.minWriterVersion"] = str(protocol.min_writer_version)
    for name in (*(protocol.reader_features or ()), *(protocol.writer_features or ())):
        found[f"{FEATURE_PREFIX}{name}"] = "supported"
    return sorted(found.items())


def _show_properties(context: SqlContext, words: StatementWords) -> DataFrame | None:
    table = context.target(words)
    if table is None:
        return None
    found: Iterable[tuple[str, str]] = properties(context.opened(table).update())
    if words.takes("("):
        key = words.read_text() if words.sees_text() else ".".join(words.read_path())
        words.expect(")")
        value = dict(found).get(key)
        whole = table.name if table.entry is None else table.entry.name
        missing = f"Table {shown_name(whole)} does not have property: {key}"
        found = [(key, missing if value is None else value)]
    words.expect_end()
    return context.spark.createDataFrame(list(found), "key string, value string")


def _show_columns(context: SqlContext, words: StatementWords) -> DataFrame | None:
    if not (words.takes("FROM") or words.takes("IN")):
        raise words.unreadable("FROM or IN is expected")
    place = words.place
    name = words.read_path()
    if words.takes("FROM") or words.takes("IN"):
        table = context.find((*words.read_path(), name[-1]))
    else:
        words.place = place
        table = context.target(words)
    if table is None:
        return None
    words.expect_end()
    names = [(field.name,) for field in context.opened(table).metadata.schema.fields]
    return context.spark.createDataFrame(names, "col_name string")


def _show_partitions(context: SqlContext, words: StatementWords) -> DataFrame | None:
    table = context.target(words)
    if table is None:
        return None
    if not words.at_end:
        raise unsupported("SHOW PARTITIONS ... PARTITION", table, "Filter the rows of SHOW PARTITIONS.")
    snapshot = context.opened(table).update()
    names = snapshot.metadata.partition_columns
    if not names:
        raise unsupported("SHOW PARTITIONS", table, "The table is not partitioned: leave it out.")
    fields = [field for name in names for field in snapshot.metadata.schema.fields if field.name == name]
    places = [_physical(field) for field in fields]
    found = {tuple(add.partition_values.get(place) or None for place in places) for add in snapshot.add_actions()}
    texts = ", ".join(f"{quote_path((name,))} string" for name in names)
    rows = context.spark.createDataFrame(sorted(found, key=str), texts)
    return rows.select(
        *(rows[quote_path((field.name,))].try_cast(_type_of(field)).alias(field.name) for field in fields)
    ).distinct()


def _physical(field: StructField) -> str:
    return str((field.metadata or {}).get(PHYSICAL_NAME, field.name))


def _show_creation(context: SqlContext, words: StatementWords, table: NamedTable) -> DataFrame:
    words.takes("AS", "SERDE")
    words.expect_end()
    snapshot = context.opened(table).update()
    metadata = snapshot.metadata
    columns = ",\n".join(f"  {_declaration(field)}" for field in metadata.schema.fields)
    name = shown_name(table.name if table.entry is None else table.entry.name)
    parts = [f"CREATE TABLE {name} (\n{columns})", "USING delta"]
    if metadata.partition_columns:
        parts.append(f"PARTITIONED BY ({', '.join(shown_name((each,)) for each in metadata.partition_columns)})")
    if metadata.description:
        parts.append(f"COMMENT {sql_text(metadata.description)}")
    if table.entry is None or not table.entry.is_managed:
        parts.append(f"LOCATION {sql_text(table.path)}")
    shown = ",\n".join(f"  {sql_text(key)} = {sql_text(value)}" for key, value in properties(snapshot))
    parts.append(f"TBLPROPERTIES (\n{shown})")
    return context.spark.createDataFrame([("\n".join(parts) + "\n",)], "createtab_stmt string")


def _declaration(field: StructField) -> str:
    notes = field.metadata or {}
    parts = [shown_name((field.name,)), column_type(field)]
    if not field.nullable:
        parts.append("NOT NULL")
    if GENERATION_EXPRESSION in notes:
        parts.append(f"GENERATED ALWAYS AS ({notes[GENERATION_EXPRESSION]})")
    if IDENTITY_STEP in notes:
        way = "BY DEFAULT" if notes.get(IDENTITY_ALLOWS_EXPLICIT) else "ALWAYS"
        start, step = notes.get(IDENTITY_START), notes[IDENTITY_STEP]
        parts.append(f"GENERATED {way} AS IDENTITY (START WITH {start} INCREMENT BY {step})")
    if COLUMN_DEFAULT in notes:
        parts.append(f"DEFAULT {notes[COLUMN_DEFAULT]}")
    if "comment" in notes:
        parts.append(f"COMMENT {sql_text(str(notes['comment']))}")
    return " ".join(parts)
