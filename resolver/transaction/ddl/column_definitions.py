"""Columns as DDL declares them: CREATE TABLE, ADD COLUMNS and REPLACE COLUMNS."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import attrs

from deltaresolver.model.facts.columns import counting_from, generated_as
from deltaresolver.model.facts.keys import COLUMN_DEFAULT
from deltaresolver.model.schema import FieldPath, StructField
from deltaresolver.transaction.ddl.data_types import read_type
from deltaresolver.transaction.ddl.token_stream import Read, TokenStream

_AFTER_EXPRESSION = (",", ")", "COMMENT", "GENERATED", "FIRST", "AFTER", "DEFAULT", "NOT NULL")


_CONSTRAINTS = ("CHECK", "CONSTRAINT", "PRIMARY", "UNIQUE", "REFERENCES", "FOREIGN")


@attrs.frozen(slots=True)
class Position:
    """Where a column goes among its neighbours."""

    after: str | None = None
    """The neighbour it follows; None to go first."""


@attrs.frozen(slots=True)
class ColumnDefinition:
    """A column as declared: its field has the last name of the path, and types such as CHAR(5) in it."""

    path: FieldPath
    field: StructField
    position: Position | None = None


def read_list(stream: TokenStream, read_one: Callable[[TokenStream], Read]) -> tuple[Read, ...]:
    """What `read_one` reads, in parentheses, with commas between."""
    stream.expect("(")
    found = [read_one(stream)]
    while stream.takes(","):
        found.append(read_one(stream))
    stream.expect(")")
    return tuple(found)


def read_definition(stream: TokenStream) -> ColumnDefinition:
    """One column: path, type, then NOT NULL, DEFAULT, GENERATED, COMMENT and a position in any order."""
    path = stream.read_path()
    data_type = read_type(stream)
    nullable, metadata, position = True, dict[str, Any](), None
    while not (stream.at_end or stream.sees(",") or stream.sees(")")):
        if stream.takes("NOT", "NULL"):
            nullable = False
        elif stream.takes("COMMENT"):
            metadata["comment"] = stream.read_string()
        elif stream.takes("DEFAULT"):
            metadata[COLUMN_DEFAULT] = read_default(stream)
        elif stream.takes("GENERATED"):
            metadata |= _read_generation(stream)
        elif stream.sees("FIRST") or stream.sees("AFTER"):
            position = read_position(stream)
        elif any(map(stream.sees, _CONSTRAINTS)):
            raise stream.unsupported("of constraints a column declares only NOT NULL; CHECK is added to the table")
        else:
            raise stream.unreadable("NOT NULL, DEFAULT, GENERATED, COMMENT, FIRST or AFTER is expected")
    return ColumnDefinition(path, StructField(path[-1], data_type, nullable, metadata), position)


def read_position(stream: TokenStream) -> Position | None:
    """FIRST or AFTER a name; None if neither comes next."""
    if stream.takes("FIRST"):
        return Position()
    return Position(stream.read_name()) if stream.takes("AFTER") else None


def read_default(stream: TokenStream) -> str:
    """The expression of a default, as it is written."""
    return stream.written(stream.read_until(*_AFTER_EXPRESSION))


def _read_generation(stream: TokenStream) -> dict[str, Any]:
    """Field metadata of a generated column, or of an identity column."""
    by_default = stream.takes("BY", "DEFAULT")
    if not by_default:
        stream.expect("ALWAYS")
    stream.expect("AS")
    if not by_default and not stream.sees("IDENTITY"):
        return generated_as(stream.written(stream.read_parenthesized()))
    stream.expect("IDENTITY")
    start, step = _read_counting(stream)
    return counting_from(start, step, allows_explicit=by_default)


def _read_counting(stream: TokenStream) -> tuple[int, int]:
    start: int | None = None
    step: int | None = None
    if stream.takes("("):
        while not stream.takes(")"):
            if start is None and stream.takes("START", "WITH"):
                start = stream.read_integer()
            elif step is None and stream.takes("INCREMENT", "BY"):
                step = stream.read_integer()
            else:
                raise stream.unreadable("START WITH and INCREMENT BY, each once, are expected")
            stream.takes(",")
    return 1 if start is None else start, 1 if step is None else step
