"""What is remembered of a schema is what the file itself holds, whatever other files were read before it."""

from __future__ import annotations

import io
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from deltaresolver.log.columnar.schemas.known_schemas import SmallParquetFile, leaf_paths, top_names
from deltaresolver.log.columnar.schemas.parquet_footer import footer_start, schema_end
from tests.nasty import COLUMN_NAMES

NAMES = st.sampled_from([name for name in COLUMN_NAMES if name and "\0" not in name])
LEAVES = st.sampled_from([pa.int64(), pa.string(), pa.bool_(), pa.timestamp("us", "UTC"), pa.decimal128(20, 3)])


def structs(inside: st.SearchStrategy[Any]) -> st.SearchStrategy[Any]:
    named = st.lists(st.tuples(NAMES, inside), min_size=1, max_size=4, unique_by=lambda each: each[0])
    return st.one_of(named.map(pa.struct), inside.map(pa.list_), inside.map(lambda kind: pa.map_(pa.string(), kind)))


KINDS = st.recursive(LEAVES, structs, max_leaves=6)
SCHEMAS = st.lists(st.tuples(NAMES, KINDS), min_size=1, max_size=4, unique_by=lambda each: each[0]).map(pa.schema)


def written(schema: pa.Schema, rows: int = 0, *, store_schema: bool = False) -> bytes:
    target = io.BytesIO()
    columns = [pa.nulls(rows, field.type) for field in schema]
    pq.write_table(pa.table(columns, schema=schema), target, store_schema=store_schema)
    return target.getvalue()


def assert_as_pyarrow_has_it(content: bytes) -> None:
    plain = pq.ParquetFile(pa.BufferReader(content))
    paths = [plain.metadata.schema.column(index).path for index in range(plain.metadata.num_columns)]
    file = SmallParquetFile(content)
    assert list(leaf_paths(file)) == paths == list(leaf_paths(plain))
    assert list(top_names(file)) == plain.schema_arrow.names == list(top_names(plain))
    for name in plain.schema_arrow.names:
        assert file.read(columns=[name]).equals(plain.read(columns=[name]))


@settings(max_examples=60, deadline=None)
@given(st.lists(SCHEMAS, min_size=1, max_size=4), st.booleans())
def test_names_are_those_of_the_file(schemas: list[pa.Schema], store_schema: bool) -> None:
    for rows in (0, 3):
        for schema in schemas:
            assert_as_pyarrow_has_it(written(schema, rows, store_schema=store_schema))


@settings(max_examples=60, deadline=None)
@given(SCHEMAS)
def test_the_end_of_every_schema_is_found_and_is_where_files_begin_to_differ(schema: pa.Schema) -> None:
    spelt = []
    for rows in (1, 2):
        content = written(schema, rows)
        start = footer_start(content)
        assert start is not None
        end = schema_end(content, start)
        assert end is not None
        # Next is the number of rows: field 3, a number of 64 bits.
        assert content[end : end + 2] == bytes([0x16, rows << 1])
        spelt.append(content[start:end])
    assert spelt[0] == spelt[1]


def test_groups_of_other_names_are_another_schema() -> None:
    """Their leaves are alike."""
    for name in ("add", "remove", "add"):
        content = written(pa.schema([(name, pa.struct([("path", pa.string())]))]))
        assert list(leaf_paths(SmallParquetFile(content))) == [f"{name}.path"]


def test_two_fields_of_one_name_are_refused_each_time() -> None:
    kind = pa.struct([pa.field("x", pa.int64()), pa.field("x", pa.int64())])
    content = written(pa.schema([("add", kind)]))
    for _ in range(2):
        with pytest.raises(pa.ArrowInvalid, match=r"two fields have the name add\.x"):
            SmallParquetFile(content)


@settings(max_examples=200, deadline=None)
@given(st.data())
def test_a_footer_of_any_bytes_ends_the_search(data: st.DataObject) -> None:
    content = bytearray(written(pa.schema([("a", pa.int64()), ("b", pa.struct([("c", pa.string())]))])))
    start = footer_start(bytes(content))
    assert start is not None
    for _ in range(data.draw(st.integers(1, 6))):
        content[data.draw(st.integers(start, len(content) - 9))] = data.draw(st.integers(0, 255))
    found = schema_end(bytes(content), start)
    assert found is None or found > start


@pytest.mark.parametrize(
    "footer", [b"", b"\x15", b"\x19\xfc" + b"\xff" * 9, b"\x1c" * 5000, b"\x19\xf9" + b"\x99" * 5000]
)
def test_a_footer_that_cannot_be_followed_is_unusual(footer: bytes) -> None:
    assert schema_end(footer, 0) is None


@pytest.mark.parametrize("file", [b"", b"PAR1", b"PAR1" + b"\xff\xff\xff\x7f" + b"PAR1", b"PAR1\0\0\0\0PARE"])
def test_what_is_not_a_parquet_file_has_no_footer(file: bytes) -> None:
    assert footer_start(file) is None
