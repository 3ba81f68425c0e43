"""The columns of a new table as text."""

from __future__ import annotations

from deltaresolver.model.schema import StructType
from deltaresolver.transaction.ddl.column_definitions import ColumnDefinition, read_definition, read_list
from deltaresolver.transaction.ddl.data_types import with_lengths_noted
from deltaresolver.transaction.ddl.token_stream import TokenStream


def read_columns(text: str, timestamp: str = "timestamp") -> StructType:
    """The columns in `text`, as between the parentheses of CREATE TABLE; `timestamp` is what TIMESTAMP means.

    Raises `StatementUnreadableError`.
    """
    stream = TokenStream(f"({text})", timestamp)
    columns = read_listed_columns(stream)
    stream.expect_end()
    return StructType(tuple(with_lengths_noted(column.field) for column in columns))


def read_listed_columns(stream: TokenStream) -> tuple[ColumnDefinition, ...]:
    """The columns in parentheses. Raises `StatementUnreadableError`, `StatementUnsupportedError`."""
    columns = read_list(stream, _read_column)
    if any(len(column.path) > 1 or column.position is not None for column in columns):
        raise stream.unreadable("a new table has its columns in order, each with a name of one part")
    return columns


def _read_column(stream: TokenStream) -> ColumnDefinition:
    if stream.sees("CONSTRAINT") or stream.sees("CHECK", "("):
        raise stream.unsupported("a constraint is added with ALTER TABLE ADD CONSTRAINT after the table is there")
    return read_definition(stream)
