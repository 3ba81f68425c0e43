"""Types as DDL writes them, read into the types of Delta's schema."""

from __future__ import annotations

import difflib
from collections.abc import Mapping

import msgspec

from deltaresolver.errors import SchemaRuleError
from deltaresolver.model.facts.keys import LENGTHS
from deltaresolver.model.schema import ArrayType, DataType, MapType, StructField, StructType, quote_path
from deltaresolver.transaction.ddl.places import NAMES as PLACES
from deltaresolver.transaction.ddl.places import shown_name, stored_name
from deltaresolver.transaction.ddl.token_stream import TokenStream

_SIMPLE: Mapping[str, str] = {
    "BIGINT": "long",
    "BINARY": "binary",
    "BOOLEAN": "boolean",
    "BYTE": "byte",
    "DATE": "date",
    "DOUBLE": "double",
    "FLOAT": "float",
    "INT": "integer",
    "INTEGER": "integer",
    "LONG": "long",
    "REAL": "float",
    "SHORT": "short",
    "SMALLINT": "short",
    "STRING": "string",
    "TIMESTAMP": "timestamp",
    "TIMESTAMP_LTZ": "timestamp",
    "TIMESTAMP_NTZ": "timestamp_ntz",
    "TINYINT": "byte",
    "VARIANT": "variant",
    "VOID": "void",
}
_IN_SQL: Mapping[str, str] = {"long": "bigint", "byte": "tinyint", "integer": "int", "short": "smallint"}
_DECIMALS = ("DECIMAL", "DEC", "NUMERIC")
_LENGTHS = {"CHAR": "char", "CHARACTER": "char", "VARCHAR": "varchar"}
_MAX_PRECISION = 38
_ELSEWHERE: Mapping[str, str] = {
    "BLOB": "BINARY",
    "BOOL": "BOOLEAN",
    "BYTEA": "BINARY",
    "BYTES": "BINARY",
    "CLOB": "STRING",
    "DATETIME": "TIMESTAMP",
    "FLOAT32": "FLOAT",
    "FLOAT64": "DOUBLE",
    "FLOAT8": "DOUBLE",
    "INT16": "SMALLINT",
    "INT32": "INT",
    "INT64": "BIGINT",
    "INT8": "TINYINT",
    "JSON": "VARIANT",
    "JSONB": "VARIANT",
    "LIST": "ARRAY",
    "NUMBER": "DECIMAL",
    "NVARCHAR": "STRING",
    "OBJECT": "STRUCT",
    "RECORD": "STRUCT",
    "ROW": "STRUCT",
    "STR": "STRING",
    "TEXT": "STRING",
    "TIMESTAMPTZ": "TIMESTAMP",
    "UUID": "STRING",
    "VARBINARY": "BINARY",
}
"""Types as other systems spell them."""


MAX_DEPTH = 200
"""Levels of a type: twice what Parquet takes, and far fewer than would exhaust the stack."""


def read_type(stream: TokenStream, depth: int = 0) -> DataType:
    """The type that comes next; CHAR and VARCHAR with their lengths. Raises `StatementUnreadableError`.

    `depth` is the number of types that it lies in.
    """
    if depth > MAX_DEPTH:
        raise stream.unreadable(f"a type of at most {MAX_DEPTH} levels is expected")
    if stream.takes("ARRAY"):
        stream.expect("<")
        element = read_type(stream, depth + 1)
        stream.expect(">")
        return ArrayType(element)
    if stream.takes("MAP"):
        stream.expect("<")
        key = read_type(stream, depth + 1)
        stream.expect(",")
        value = read_type(stream, depth + 1)
        stream.expect(">")
        return MapType(key, value)
    if stream.takes("STRUCT"):
        return _read_struct(stream, depth)
    return _read_leaf(stream)


def _read_struct(stream: TokenStream, depth: int) -> StructType:
    if stream.takes("<>"):
        return StructType()
    stream.expect("<")
    fields: list[StructField] = []
    while not stream.takes(">"):
        if fields:
            stream.expect(",")
        name = stream.read_name()
        stream.takes(":")
        data_type = read_type(stream, depth + 1)
        nullable = not stream.takes("NOT", "NULL")
        metadata = {"comment": stream.read_string()} if stream.takes("COMMENT") else {}
        fields.append(StructField(name, data_type, nullable, metadata))
    return StructType(tuple(fields))


def _read_leaf(stream: TokenStream) -> str:
    word = stream.takes_any(*_DECIMALS)
    if word is not None:
        return _read_decimal(stream)
    word = stream.takes_any(*_LENGTHS)
    if word is not None:
        stream.expect("(")
        length = stream.read_integer()
        stream.expect(")")
        return f"{_LENGTHS[word]}({length})"
    word = stream.takes_any(*_SIMPLE)
    if word is not None:
        if word == "STRING" and stream.takes("COLLATE"):
            raise _no_collations(stream.read_name())
        return stream.timestamp if word == "TIMESTAMP" else _SIMPLE[word]
    if stream.takes("INTERVAL"):
        return " ".join(("interval", *(word.lower() for word in _interval_words(stream))))
    if stream.sees("TIME") or any(stream.sees(name) for name in PLACES):
        name = stream.read_name().lower()
        if not stream.sees("("):
            return name
        given = stream.written(stream.read_parenthesized())
        return f"time({given})" if name == "time" else stored_name(name, given)
    raise stream.unreadable(f"a type is expected{_suggestion(stream.next_words(1))}")


def _suggestion(written: str | None) -> str:
    """The type of Spark that a word may stand for: one of another database, or one that is nearly written so."""
    names = ("ARRAY", "INTERVAL", "MAP", "STRUCT", *_DECIMALS, *_LENGTHS, *_SIMPLE, *PLACES)
    near = difflib.get_close_matches(written or "", names, n=1, cutoff=0.7)
    meant = _ELSEWHERE.get(written or "") or next(iter(near), None)
    return f" (did you mean {meant}?)" if meant else ""


def _interval_words(stream: TokenStream) -> list[str]:
    words = [stream.read_name()]
    if stream.takes("TO"):
        words += ["to", stream.read_name()]
    return words


def _read_decimal(stream: TokenStream) -> str:
    precision, scale = 10, 0
    if stream.takes("("):
        precision = stream.read_integer()
        scale = stream.read_integer() if stream.takes(",") else 0
        stream.expect(")")
    if not 0 <= scale <= precision:
        raise stream.unreadable(f"decimal({precision},{scale}) is not a valid type")
    if precision > _MAX_PRECISION:
        raise _too_precise(precision)
    return f"decimal({precision},{scale})"


def _too_precise(precision: int) -> SchemaRuleError:
    return SchemaRuleError(
        f"A decimal has at most {_MAX_PRECISION} digits, not {precision}.",
        fix=f"Declare at most decimal({_MAX_PRECISION},...), or a string.",
        details={"precision": precision},
        delta_condition="DECIMAL_PRECISION_EXCEEDS_MAX_PRECISION",
    )


def _no_collations(name: str) -> SchemaRuleError:
    return SchemaRuleError(
        f"A string with the collation {name} is not a Delta type.",
        fix="Leave COLLATE out.",
        details={"collation": name},
        delta_condition="DELTA_UNSUPPORTED_DATA_TYPES",
    )


def sql_name(data_type: DataType, timestamp: str = "timestamp") -> str:
    """The type as Spark spells it in a catalog: `struct<a:int>`, with `timestamp` for moments of a zone."""
    if isinstance(data_type, StructType):
        fields = (f"{quote_path((field.name,))}:{sql_name(field.type, timestamp)}" for field in data_type.fields)
        return f"struct<{','.join(fields)}>"
    if isinstance(data_type, ArrayType):
        return f"array<{sql_name(data_type.element_type, timestamp)}>"
    if isinstance(data_type, MapType):
        return f"map<{sql_name(data_type.key_type, timestamp)},{sql_name(data_type.value_type, timestamp)}>"
    if isinstance(data_type, str):
        return timestamp if data_type == "timestamp" else _IN_SQL.get(data_type) or shown_name(data_type)
    return sql_name(data_type.sql_type, timestamp)


def cast_name(data_type: DataType) -> str:
    """The type for a cast in a statement: sessions differ in what they call `timestamp`."""
    return sql_name(data_type, "timestamp_ltz")


def with_lengths_noted(field: StructField) -> StructField:
    """The column with strings for CHAR and VARCHAR, and the declared type in its metadata."""
    stored = _without_lengths(field.type)
    metadata = field.metadata or {}
    if stored == field.type:
        outlived = LENGTHS in metadata and metadata[LENGTHS] is None
        kept = {key: value for key, value in metadata.items() if key != LENGTHS}
        return msgspec.structs.replace(field, metadata=kept) if outlived else field
    return msgspec.structs.replace(
        field, type=stored, metadata={**(field.metadata or {}), LENGTHS: sql_name(field.type)}
    )


def _without_lengths(data_type: DataType) -> DataType:
    if isinstance(data_type, StructType):
        return StructType(
            tuple(msgspec.structs.replace(field, type=_without_lengths(field.type)) for field in data_type.fields)
        )
    if isinstance(data_type, ArrayType):
        return msgspec.structs.replace(data_type, element_type=_without_lengths(data_type.element_type))
    if isinstance(data_type, MapType):
        return msgspec.structs.replace(
            data_type, key_type=_without_lengths(data_type.key_type), value_type=_without_lengths(data_type.value_type)
        )
    is_text = isinstance(data_type, str) and data_type.startswith(("char(", "varchar("))
    return "string" if is_text else data_type
