"""Statistics bound every value of a file, however many row groups it has."""

from __future__ import annotations

import decimal
import io
import json
from collections.abc import Sequence
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import given
from hypothesis import strategies as st

from deltaresolver.spark.writing.statistics.file_statistics import IndexedColumn, StatisticsShape, file_statistics


def statistics(kind: str, arrow: pa.DataType, values: Sequence[object], **options: Any) -> dict[str, Any]:
    """Those of a file with these values, two in a row group."""
    sink = io.BytesIO()
    pq.write_table(pa.table({"c": pa.array(values, arrow)}), sink, row_group_size=2, **options)
    shape = StatisticsShape((IndexedColumn(("c",), kind),))
    found: dict[str, Any] = json.loads(file_statistics(pq.read_metadata(sink), shape), parse_float=decimal.Decimal)
    return found


@pytest.mark.parametrize("as_integer", [True, False])
@given(precision=st.sampled_from([5, 12, 38]), unscaled=st.lists(st.integers(-99_999, 99_999), min_size=1, max_size=9))
def test_decimals_order_as_numbers(as_integer: bool, precision: int, unscaled: list[int]) -> None:
    values = [decimal.Decimal(each).scaleb(-2) for each in unscaled]
    options = {"store_decimal_as_integer": as_integer}
    found = statistics(f"decimal({precision},2)", pa.decimal128(precision, 2), values, **options)
    assert (found["minValues"]["c"], found["maxValues"]["c"]) == (min(values), max(values))


@given(st.lists(st.none() | st.integers(-(2**63), 2**63 - 1), min_size=1, max_size=9))
def test_nulls_bound_nothing(values: list[int | None]) -> None:
    found = statistics("long", pa.int64(), values)
    known = [each for each in values if each is not None]
    assert found["nullCount"] == {"c": len(values) - len(known)}
    assert found["minValues"] == ({"c": min(known)} if known else {})
    assert found["maxValues"] == ({"c": max(known)} if known else {})


def test_bytes_that_are_not_text_bound_nothing() -> None:
    found = statistics("string", pa.binary(), [b"a", b"b", b"\xff"])
    assert (found["minValues"], found["maxValues"], found["nullCount"]) == ({"c": "a"}, {}, {"c": 0})


def test_a_table_that_indexes_no_column_gets_no_bounds() -> None:
    sink = io.BytesIO()
    pq.write_table(pa.table({"c": [1]}), sink)
    assert file_statistics(pq.read_metadata(sink), StatisticsShape(())) == '{"numRecords":1}'
    flags = StatisticsShape((IndexedColumn(("c",), "boolean"),), with_tight_bounds=True)
    assert json.loads(file_statistics(pq.read_metadata(sink), flags)) == {
        "numRecords": 1,
        "nullCount": {"c": 0},
        "tightBounds": True,
    }
