"""CREATE TABLE ... SHALLOW CLONE."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

from deltaresolver.expressions.text.spelling import respelt
from deltaresolver.model.schema import StructType
from deltaresolver.spark.names.identifiers import TableName, shown_name
from deltaresolver.spark.names.made_table import made_table
from deltaresolver.spark.reading.read_options import as_moment
from deltaresolver.spark.session import plain_sql, session_time_zone
from deltaresolver.spark.sql.context import SqlContext
from deltaresolver.spark.sql.refusals import unsupported
from deltaresolver.spark.sql.relations import read_travel
from deltaresolver.spark.sql.words import StatementWords
from deltaresolver.table import Table
from deltaresolver.transaction.clone_table import CloneOutcome, clone_table
from deltaresolver.transaction.create.create_mode import CreateMode
from deltaresolver.transaction.create.create_table import NewTable
from deltaresolver.transaction.ddl.read_properties import read_properties
from deltaresolver.transaction.ddl.token_stream import read_all

if TYPE_CHECKING:
    from pyspark.sql import DataFrame


def clone(context: SqlContext, words: StatementWords, name: TableName, mode: CreateMode) -> DataFrame | None:
    """What follows the name: SHALLOW CLONE of a table or of a version of it; one row with delta-spark's metrics."""
    is_shallow = words.takes("SHALLOW")
    words.takes("DEEP")
    words.expect("CLONE")
    source = context.target(words)
    if source is None:
        plain_sql(context.spark, f"TABLE {shown_name(words.read_path())}")  # of no table Spark says so
        return None
    if not is_shallow:
        raise unsupported("A deep CLONE", source, "Write SHALLOW CLONE, or copy the rows: CREATE TABLE ... AS SELECT.")
    travel = read_travel(words)
    properties = _read_properties(context, words) if words.takes("TBLPROPERTIES") else {}
    location = words.read_text() if words.takes("LOCATION") else None
    words.expect_end()
    version, timestamp = context.moment(travel)
    zone = session_time_zone(context.spark)
    moment = None if timestamp is None else as_moment(timestamp, zone)
    snapshot = context.opened(source).snapshot(version, moment)
    made: list[CloneOutcome] = []

    def fill(table: Table, new: NewTable) -> None:
        replaces = new.mode in (CreateMode.REPLACE, CreateMode.CREATE_OR_REPLACE)
        called = None if source.entry is None else shown_name(source.entry.name)
        made.append(clone_table(snapshot, table.starter, replace=replaces, properties=properties, called=called))

    made_table(context.spark, name, NewTable(StructType(), mode=mode), location, fill)
    return context.counted(**made[0].metrics()) if made else context.empty()


def _read_properties(context: SqlContext, words: StatementWords) -> Mapping[str, str]:
    return read_all(respelt(f"({words.read_group()})", context.reading), read_properties)


def mode_of(head: StatementWords) -> CreateMode:
    """What the words before the name say of a table that is there."""
    keys = [word.key for word in head.words]
    if keys[0] == "REPLACE":
        return CreateMode.REPLACE
    if "OR" in keys:
        return CreateMode.CREATE_OR_REPLACE
    return CreateMode.CREATE_IF_NOT_EXISTS if "EXISTS" in keys else CreateMode.CREATE
