"""Rows that other libraries hold are written whole, in however many pieces they hold them."""

from __future__ import annotations

import itertools
from pathlib import Path
from typing import TYPE_CHECKING, Any

import attrs
import pyarrow as pa
import pytest

import deltaresolver.spark as ds
from tests.nasty import CHUNKS, STRINGS

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

pytestmark = pytest.mark.spark
SCHEMA = pa.schema([("id", pa.int64()), ("t", pa.string()), ("s", pa.struct([("x", pa.int64())]))])


@attrs.frozen
class Stream:
    """What gives its rows as a stream of Arrow and in no other way."""

    table: pa.Table

    def __arrow_c_stream__(self, schema: object = None) -> Any:
        return self.table.__arrow_c_stream__(schema)


def in_pieces(counts: tuple[int, ...]) -> pa.Table:
    """So many rows in each piece."""
    ends = list(itertools.accumulate(counts))
    rows = [
        [{"id": n, "t": STRINGS[n], "s": {"x": n}} for n in range(end - count, end)]
        for count, end in zip(counts, ends, strict=True)
    ]
    return pa.Table.from_batches([pa.RecordBatch.from_pylist(each, SCHEMA) for each in rows], SCHEMA)


@pytest.mark.parametrize("counts", CHUNKS)
@pytest.mark.parametrize("kind", [pa.table, Stream])
def test_no_row_behind_an_empty_piece_is_lost(
    spark: SparkSession, tmp_path: Path, kind: Any, counts: tuple[int]
) -> None:
    rows = in_pieces(counts)
    ds.write(kind(rows), tmp_path / "t", spark=spark)
    found = ds.read(spark, tmp_path / "t").toArrow()
    assert found.schema.names == SCHEMA.names
    assert sorted(found.to_pylist(), key=repr) == sorted(rows.to_pylist(), key=repr)
