"""Tables made of rows: CREATE TABLE AS SELECT, and what saveAsTable does to a new name."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import attrs

from deltaresolver.errors import SqlUnsupportedError
from deltaresolver.model.actions import Action
from deltaresolver.model.facts.keys import MAX_COLUMN_ID
from deltaresolver.model.metadata import Metadata
from deltaresolver.model.operation import Operation
from deltaresolver.model.schema import StructType
from deltaresolver.spark.names.identifiers import TableName, shown_name
from deltaresolver.spark.names.made_table import made_table
from deltaresolver.spark.sql.context import SqlContext
from deltaresolver.spark.writing.table_change import table_schema
from deltaresolver.spark.writing.table_write import TableWrite
from deltaresolver.spark.writing.write_options import WriteOptions
from deltaresolver.table import Table
from deltaresolver.transaction.create.create_mode import CreateMode
from deltaresolver.transaction.create.create_table import NewTable, stage_creation
from deltaresolver.transaction.ddl.statements import CreateStatement

if TYPE_CHECKING:
    from pyspark.sql import DataFrame

    from deltaresolver.transaction.transaction import OptimisticTransaction

_AS_SELECT = {
    CreateMode.CREATE: "CREATE TABLE AS SELECT",
    CreateMode.CREATE_IF_NOT_EXISTS: "CREATE TABLE AS SELECT",
    CreateMode.REPLACE: "REPLACE TABLE AS SELECT",
    CreateMode.CREATE_OR_REPLACE: "CREATE OR REPLACE TABLE AS SELECT",
}


@attrs.frozen(slots=True)
class Creation:
    """A table to make, as a statement has it."""

    name: TableName
    statement: CreateStatement
    query: str | None = None
    like: Metadata | None = None


class TableAsSelect(TableWrite):
    """Rows that make their table, in one commit."""

    def __init__(self, table: Table, rows: DataFrame, new: NewTable, asked: WriteOptions | None = None) -> None:
        replaces = new.mode in (CreateMode.REPLACE, CreateMode.CREATE_OR_REPLACE)
        # Rows of all partitions go, whatever the session has for overwriting them.
        mode = "overwrite" if replaces else "error"
        super().__init__(table, rows, attrs.evolve(asked or WriteOptions(), mode=mode, overwrite_dynamic=False))
        self._new = new
        self._staged: tuple[Operation, Sequence[Action]] | None = None

    def _stage(self, transaction: OptimisticTransaction, given: StructType) -> Metadata:
        new = attrs.evolve(self._new, schema=table_schema(given))
        self._staged = stage_creation(self._table.starter, transaction, new, _AS_SELECT[new.mode])
        return transaction.metadata

    def _more_actions(self, transaction: OptimisticTransaction) -> Sequence[Action]:
        return () if self._staged is None else self._staged[1]

    def _operation(self, transaction: OptimisticTransaction) -> Operation:
        assert self._staged is not None, "what is written was staged"
        return self._staged[0]


def carry_out(context: SqlContext, creation: Creation) -> None:
    """Make the table and its name. Raises `TableNameError`, and as `Table.create` and `ds.write`."""
    new = _declared(creation)
    query = creation.query

    def fill(table: Table, complete: NewTable) -> None:
        assert query is not None
        TableAsSelect(table, context.query(query), complete).run()

    made_table(context.spark, creation.name, new, creation.statement.location, None if query is None else fill)


def _declared(creation: Creation) -> NewTable:
    new = creation.statement.new
    like = creation.like
    if like is not None:
        has = {key: value for key, value in like.configuration.items() if not _belongs_to_table(key)}
        return attrs.evolve(
            new,
            schema=like.schema,
            partition_columns=like.partition_columns,
            properties={**has, **new.properties},
            description=like.description if new.description is None else new.description,
        )
    if creation.query is not None and isinstance(new.schema, StructType) and new.schema.fields:
        raise SqlUnsupportedError(
            f"{shown_name(creation.name)} is made of a query, and columns are declared for it too.",
            fix="Leave the columns out; CAST what the query gives.",
            details={"name": list(creation.name)},
        )
    return new


def _belongs_to_table(key: str) -> bool:
    """Properties that are counted or made for one table alone."""
    return key.startswith((MAX_COLUMN_ID, "delta.rowTracking.materialized"))
