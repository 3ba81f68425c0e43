"""The grammar of CREATE TABLE and REPLACE TABLE."""

from __future__ import annotations

import attrs

from deltaresolver.errors import StatementUnsupportedError
from deltaresolver.model.schema import FieldPath, StructType
from deltaresolver.transaction.create.create_mode import CreateMode
from deltaresolver.transaction.create.create_table import NewTable
from deltaresolver.transaction.create.table_columns import read_listed_columns
from deltaresolver.transaction.ddl.column_definitions import ColumnDefinition, read_definition, read_list
from deltaresolver.transaction.ddl.data_types import with_lengths_noted
from deltaresolver.transaction.ddl.read_properties import read_properties
from deltaresolver.transaction.ddl.statements import CreateStatement
from deltaresolver.transaction.ddl.token_stream import TokenStream


def read_create(stream: TokenStream) -> CreateStatement:
    """CREATE [OR REPLACE] TABLE or REPLACE TABLE. Raises `StatementUnreadableError`, `StatementUnsupportedError`."""
    mode = _read_mode(stream)
    table = ".".join(stream.read_path())
    clauses = _Clauses(read_listed_columns(stream) if stream.sees("(") else ())
    while not stream.at_end:
        clauses = _read_clause(stream, clauses)
    columns = (*clauses.columns, *clauses.partition_definitions)
    new = NewTable(
        StructType(tuple(with_lengths_noted(column.field) for column in columns)),
        partition_columns=clauses.partition_by,
        cluster_by=clauses.cluster_by,
        properties={**clauses.options, **clauses.properties},
        description=clauses.comment,
        mode=mode,
        may_be_empty=True,
    )
    return CreateStatement(table, new, clauses.provider, clauses.location)


@attrs.frozen(slots=True)
class _Clauses:
    """The clauses read so far."""

    columns: tuple[ColumnDefinition, ...] = ()
    provider: str | None = None
    partition_by: tuple[str, ...] = ()
    partition_definitions: tuple[ColumnDefinition, ...] = ()
    cluster_by: tuple[FieldPath, ...] = ()
    properties: dict[str, str] = attrs.field(factory=dict)
    options: dict[str, str] = attrs.field(factory=dict)
    comment: str | None = None
    location: str | None = None


def _read_mode(stream: TokenStream) -> CreateMode:
    if stream.takes("CREATE", "OR", "REPLACE", "TABLE"):
        return CreateMode.CREATE_OR_REPLACE
    if stream.takes("REPLACE", "TABLE"):
        return CreateMode.REPLACE
    stream.expect("CREATE")
    stream.takes("EXTERNAL")
    stream.expect("TABLE")
    return CreateMode.CREATE_IF_NOT_EXISTS if stream.takes("IF", "NOT", "EXISTS") else CreateMode.CREATE


def _read_clause(stream: TokenStream, clauses: _Clauses) -> _Clauses:
    if stream.takes("USING"):
        provider = ".".join(stream.read_path()).lower()
        if provider not in ("delta", "deltaresolver"):
            raise stream.unsupported(f"only Delta tables are made here, not {provider}")
        return attrs.evolve(clauses, provider=provider)
    if stream.takes("PARTITIONED", "BY"):
        return _read_partitioning(stream, clauses)
    if stream.takes("CLUSTER", "BY"):
        columns = () if stream.takes("NONE") else read_list(stream, TokenStream.read_path)
        return attrs.evolve(clauses, cluster_by=columns)
    if stream.takes("TBLPROPERTIES"):
        return attrs.evolve(clauses, properties=read_properties(stream))
    if stream.takes("OPTIONS"):
        options = read_properties(stream)
        return attrs.evolve(clauses, options={**options, **{f"option.{key}": text for key, text in options.items()}})
    if stream.takes("COMMENT"):
        return attrs.evolve(clauses, comment=stream.read_string())
    if stream.takes("LOCATION"):
        return attrs.evolve(clauses, location=stream.read_string())
    if any(map(stream.sees, ("AS", "SELECT", "WITH", "CLUSTERED", "SHALLOW", "DEEP", "LIKE"))):
        raise _elsewhere(stream)
    raise stream.unreadable("USING, PARTITIONED BY, CLUSTER BY, TBLPROPERTIES, COMMENT or LOCATION is expected")


def _elsewhere(stream: TokenStream) -> StatementUnsupportedError:
    if stream.sees("CLUSTERED"):
        fix = "Leave out CLUSTERED BY, or use CLUSTER BY without a number of buckets."
        return stream.unsupported("Delta tables have no buckets", fix, "DELTA_OPERATION_NOT_ALLOWED_DETAIL")
    return stream.unsupported("what follows the columns takes an engine, or is not for Delta tables")


def _read_partitioning(stream: TokenStream, clauses: _Clauses) -> _Clauses:
    """Names of columns, or columns of their own that come after the others."""

    def read_one(inner: TokenStream) -> tuple[str, ColumnDefinition | None]:
        if inner.sees_another_name:
            definition = read_definition(inner)
            return definition.path[-1], definition
        path = inner.read_path()
        if len(path) > 1 or inner.sees("("):
            raise inner.unsupported("Delta tables are partitioned by columns, not by expressions")
        return path[0], None

    found = read_list(stream, read_one)
    return attrs.evolve(
        clauses,
        partition_by=tuple(name for name, _ in found),
        partition_definitions=tuple(definition for _, definition in found if definition is not None),
    )
