"""Recorded INSERT of values and DELETE of all rows, done with files without rows, in the partitions of the values."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from deltaresolver.expressions.stored_column import find_column
from deltaresolver.log.snapshot import milliseconds_now
from deltaresolver.model.actions import AddFile
from deltaresolver.model.schema import StructType
from deltaresolver.table import Table
from deltaresolver.transaction.commit.removed_files import removals
from deltaresolver.transaction.ddl.column_definitions import read_list
from deltaresolver.transaction.ddl.token_stream import TokenStream
from deltaresolver.transaction.operation import with_predicate, write

Row = dict[str, str | None]


def read_rows(stream: TokenStream, schema: StructType) -> list[Row]:
    """The rows of VALUES by lower-case column name. Raises `StatementUnsupportedError` where an engine is needed."""
    names = [field.name for field in schema.fields]
    if stream.sees("("):
        names = list(read_list(stream, TokenStream.read_name))
    if not stream.takes("VALUES"):
        raise stream.unsupported("rows of a query only an engine has")
    rows: list[Row] = []
    while not rows or stream.takes(","):
        texts = read_list(stream, _read_value)
        if len(texts) != len(schema.fields):
            raise stream.unsupported("columns that are left out only an engine fills in")
        rows.append({name.lower(): text for name, text in zip(names, texts, strict=True)})
    stream.expect_end()
    return rows


def _read_value(stream: TokenStream) -> str | None:
    tokens = stream.read_until(",", ")")
    text = stream.written(tokens)
    return None if text.upper() == "NULL" else text.strip("'")


def insert_rows(table: Table, rows: Sequence[Row]) -> None:
    """Commit names of files that are never opened, one for each partition."""
    transaction = table.start_transaction()
    metadata = transaction.metadata
    stored = {name.lower(): find_column(metadata, (name,)).physical_path[0] for name in metadata.partition_columns}
    partitions = Counter(tuple(row[name] for name in stored) for row in rows)
    files = [
        AddFile(
            f"part-{transaction.read_version}-{number}.parquet",
            dict(zip(stored.values(), partition, strict=True)),
            100,
            1,
            data_change=True,
            stats=f'{{"numRecords":{count},"tightBounds":true}}',
        )
        for number, (partition, count) in enumerate(partitions.items())
    ]
    transaction.commit(files, write())


def delete_all(table: Table) -> None:
    """Commit the removal of every file, if there is any."""
    transaction = table.start_transaction()
    files = transaction.filter_files()
    if files:
        transaction.commit(removals(files, milliseconds_now()), with_predicate("DELETE", ["true"]))
