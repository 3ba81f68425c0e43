"""saveAsTable: rows written to a table of the catalog, which is made where there is none."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

import attrs

from deltaresolver.errors import TableNameError, WriteOptionError
from deltaresolver.model.operation import Operation
from deltaresolver.model.schema import StructType
from deltaresolver.spark.maintenance.table_detail import clustering_columns
from deltaresolver.spark.names.identifiers import TableName, parse_name, shown_name
from deltaresolver.spark.names.made_table import exists, made_table
from deltaresolver.spark.names.named_table import NamedTable, find_table
from deltaresolver.spark.names.session_catalog import catalog_of
from deltaresolver.spark.settings.session_values import SessionValues
from deltaresolver.spark.sql.context import SqlContext
from deltaresolver.spark.sql.creation import TableAsSelect
from deltaresolver.spark.sql.insert_rows import Insert, write_rows
from deltaresolver.spark.writing.table_write import TableWrite
from deltaresolver.spark.writing.write_options import WriteOptions, parse_write_options
from deltaresolver.table import Table
from deltaresolver.transaction.create.create_mode import CreateMode
from deltaresolver.transaction.create.create_table import NewTable
from deltaresolver.transaction.ddl.token_stream import TokenStream, read_all
from deltaresolver.transaction.operation import table_creation
from deltaresolver.transaction.transaction import OptimisticTransaction

if TYPE_CHECKING:
    from pyspark.sql import DataFrame

EMPTY: Mapping[str, str] = {}


def save_as_table(  # noqa: PLR0913 - one argument a part of DataFrameWriter
    df: DataFrame,
    name: str | TableName,
    *,
    mode: str = "error",
    partition_by: Sequence[str] = (),
    cluster_by: Sequence[str] = (),
    options: Mapping[str, object] = EMPTY,
    properties: Mapping[str, str] = EMPTY,
    location: str | None = None,
    anew: bool = False,
) -> None:
    """Write the rows to the table of that name in the session catalog, by the names of their columns.

    A table that is not there is made, at `location` or as a managed one. `mode` is as in `ds.write`: `overwrite`
    replaces the rows of a table that is there and keeps its properties, and its schema but for `overwriteSchema`. With
    `anew` it makes the table anew, as CREATE OR REPLACE TABLE AS SELECT, unless options name rows to replace. Raises
    `TableNameError`, and as `ds.write`.
    """
    parts = _parts(name)
    asked = parse_write_options(mode, partition_by, options, properties)
    found = find_table(df.sparkSession, parts)
    is_there = found is not None and exists(found.open(df.sparkSession))
    if is_there and asked.mode == "ignore":
        return
    if is_there and asked.mode == "error":
        raise _taken(parts)
    replaces_some = asked.replace_where is not None or asked.overwrite_dynamic
    adds = asked.mode == "append" or replaces_some or asked.merge_schema is True
    if found is not None and is_there and (adds or not anew):
        _write_to(found, df, asked, cluster_by, adds=adds)
    elif asked.mode == "append" and location is not None and found is None:
        _append_at(df, parts, location, asked.partition_by, options)
    else:
        _make(df, parts, asked, cluster_by, location)


def _taken(parts: TableName) -> TableNameError:
    return TableNameError(
        f"The table or view {shown_name(parts)} already exists.",
        fix="Write with mode append or overwrite, or under another name.",
        details={"name": list(parts)},
        delta_condition="TABLE_OR_VIEW_ALREADY_EXISTS",
    )


def _write_to(found: NamedTable, df: DataFrame, asked: WriteOptions, cluster_by: Sequence[str], *, adds: bool) -> None:
    """Write to a table that is there; all its rows are replaced unless the write `adds` to them or replaces some."""
    table = Table(found.path, session=SessionValues(df.sparkSession))
    ensure_clustering(table, cluster_by)
    if adds:
        TableWrite(table, df, asked).run()
        return
    is_managed = found.entry is not None and found.entry.is_managed
    _SavedOverTable(table, df, asked, is_managed=is_managed).run()


def _make(
    df: DataFrame, parts: TableName, asked: WriteOptions, cluster_by: Sequence[str], location: str | None
) -> None:
    def fill(table: Table, new: NewTable) -> None:
        TableAsSelect(table, df, new, asked).run()

    paths = tuple(read_all(column, TokenStream.read_path) for column in cluster_by)
    kind = CreateMode.CREATE_OR_REPLACE if asked.mode == "overwrite" else CreateMode.CREATE
    new = NewTable(StructType(), asked.partition_by, paths, asked.properties, mode=kind)
    made_table(df.sparkSession, parts, new, location, fill)


class _SavedOverTable(TableWrite):
    """Rows that replace those of a named table; in history it is the statement that delta-spark has there."""

    def __init__(self, table: Table, rows: DataFrame, asked: WriteOptions, *, is_managed: bool) -> None:
        super().__init__(table, rows, asked)
        self._is_managed = is_managed

    def _operation(self, transaction: OptimisticTransaction) -> Operation:
        metadata, snapshot = transaction.metadata, transaction.snapshot
        assert snapshot is not None, "the table is there"
        shown = table_creation(
            "CREATE OR REPLACE TABLE AS SELECT",
            partition_by=metadata.partition_columns,
            cluster_by=() if self._asked.overwrite_schema else clustering_columns(snapshot),
            description=metadata.description,
            is_managed=self._is_managed,
            properties=metadata.configuration,
        )
        plain = super()._operation(transaction)
        allowed = {key: value for key, value in plain.parameters.items() if value is True}
        return attrs.evolve(
            shown,
            parameters={**shown.parameters, **allowed, "isV1SaveAsTableOverwrite": True},
            can_change_partition_columns=plain.can_change_partition_columns,
            replaces_table=False,
        )


def ensure_clustering(table: Table, asked: Sequence[str]) -> None:
    """Raises `WriteOptionError` for other clustering columns than the table has."""
    columns = clustering_columns(table.update()) if asked else []
    if [_path(name) for name in asked] != [_path(name) for name in columns]:
        raise WriteOptionError(
            f"The write is clustered by {', '.join(asked)}, but the table by {', '.join(columns) or 'nothing'}.",
            fix="Leave clusterBy out, or change the table with ALTER TABLE ... CLUSTER BY.",
            details={"asked": list(asked), "table": columns},
            delta_class="DeltaAnalysisException",
            delta_condition="DELTA_CLUSTERING_COLUMNS_MISMATCH",
        )


def _path(name: str) -> tuple[str, ...]:
    """A column or field by its names, in lower case: a column `a.b` is another than the field b of a."""
    return tuple(part.lower() for part in read_all(name, TokenStream.read_path))


def insert_into(df: DataFrame, name: str, *, overwrite: bool = False) -> None:
    """Write the rows to the table of that name by the places of their columns, as INSERT does.

    Raises `TableNameError`, `InsertMismatchError`, and as `ds.write`.
    """
    context = SqlContext(df.sparkSession)
    found = context.find(_parts(name))
    if found is None:
        raise TableNameError(
            f"{name} is not a Delta table.", fix="Check the name with SHOW TABLES.", details={"name": name}
        )
    write_rows(context.opened(found), df, Insert(overwrite))


def _append_at(
    df: DataFrame, name: TableName, location: str, partition_by: Sequence[str], options: Mapping[str, object]
) -> None:
    """Append to what is at a location, and give it the name."""
    spark = df.sparkSession
    catalog_of(spark).place_for(name)
    asked = parse_write_options("append", partition_by, options)
    TableWrite(Table(location, session=SessionValues(spark)), df, asked).run()
    catalog_of(spark).create(name, location, is_managed=False)


def _parts(name: str | TableName) -> TableName:
    found = parse_name(name) if isinstance(name, str) else name
    if found is None:
        raise TableNameError(
            f"{name!r} is not the name of a table.",
            fix="Write table or database.table, odd names in backticks.",
            details={"name": str(name)},
        )
    return found
