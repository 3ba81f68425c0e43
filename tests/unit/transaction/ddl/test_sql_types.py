"""Types written as SQL read back as the same types."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as some

from deltaresolver.model.schema import StructField, StructType, parse_schema
from deltaresolver.transaction.ddl.data_types import read_type
from deltaresolver.transaction.ddl.sql_types import column_type, sql_type
from deltaresolver.transaction.ddl.token_stream import read_all
from tests import nasty

PRIMITIVES = (
    "long", "integer", "short", "byte", "string", "double", "float", "boolean", "binary", "date", "timestamp",
    "timestamp_ntz", "decimal(10,2)", "variant", "void",
)  # fmt: skip


def _struct(fields: list[tuple[str, Any]]) -> Any:
    named = {name.lower(): (name, kind) for name, kind in fields}
    made = [{"name": name, "type": kind, "nullable": True, "metadata": {}} for name, kind in named.values()]
    return {"type": "struct", "fields": made}


NAMES = some.sampled_from(nasty.COLUMN_NAMES + nasty.MAPPED_ONLY_NAMES)
TYPES: some.SearchStrategy[Any] = some.recursive(
    some.sampled_from(PRIMITIVES),
    lambda inner: some.one_of(
        some.builds(lambda kind: {"type": "array", "elementType": kind, "containsNull": True}, inner),
        some.builds(
            lambda key, value: {"type": "map", "keyType": key, "valueType": value, "valueContainsNull": True},
            some.sampled_from(PRIMITIVES[:5]),
            inner,
        ),
        some.lists(some.tuples(NAMES, inner), min_size=1, max_size=3).map(_struct),
    ),
    max_leaves=6,
)


@given(TYPES)
def test_a_written_type_reads_back_as_itself(kind: Any) -> None:
    schema = parse_schema(json.dumps(_struct([("c", kind)])))
    written = sql_type(schema.fields[0].type)
    again = read_all(written, read_type)
    assert sql_type(again) == written
    assert again == schema.fields[0].type


@pytest.mark.parametrize(
    ("field", "told"),
    [
        (StructField("s", StructType((StructField("a", "long"), StructField("b.c", "string")))),
         "STRUCT<a: BIGINT, `b.c`: STRING>"),
        (StructField("s", StructType((StructField("A", "long", nullable=False, metadata={"comment": "it's"}),))),
         r"STRUCT<A: BIGINT NOT NULL COMMENT 'it\'s'>"),
        (StructField("c", "string", metadata={"__CHAR_VARCHAR_TYPE_STRING": "varchar(9)"}), "VARCHAR(9)"),
        (StructField("c", "string collate UTF8_LCASE"), "STRING COLLATE UTF8_LCASE"),
    ],
)  # fmt: skip
def test_columns_are_written_as_they_are_declared(field: StructField, told: str) -> None:
    assert column_type(field) == told
