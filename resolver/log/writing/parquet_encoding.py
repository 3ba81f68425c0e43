"""Checkpoint rows to Parquet bytes: one piece is built while the one before it is encoded."""

from __future__ import annotations

import functools
from collections.abc import Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor

import pyarrow as pa
import pyarrow.parquet as pq

ROWS_AT_ONCE = 1 << 16
"""Rows of a row group."""

_DISTINCT = frozenset({"path", "stats", "schemaString", "size", "modificationTime", "deletionTimestamp"})
"""Columns with hardly a value twice: a dictionary of them is work for nothing."""


def encode_parquet(pieces: Iterable[pa.Table], schema: pa.Schema) -> bytes:
    """A Parquet file of the pieces, each a row group (or several) of its own."""
    sink = pa.BufferOutputStream()
    leaves = _leaf_paths(schema)
    with pq.ParquetWriter(
        sink,
        schema,
        compression="snappy",
        use_dictionary=[leaf for leaf in leaves if _repeats(leaf)],
        write_statistics=[leaf for leaf in leaves if not leaf.endswith(".stats")],
        store_schema=False,
    ) as writer:
        for piece in _one_ahead(pieces):
            writer.write_table(piece, row_group_size=ROWS_AT_ONCE)
    data: bytes = sink.getvalue().to_pybytes()
    return data


def _one_ahead(pieces: Iterable[pa.Table]) -> Iterator[pa.Table]:
    waiting = iter(pieces)
    with ThreadPoolExecutor(1) as pool:
        coming = pool.submit(next, waiting, None)
        while (piece := coming.result()) is not None:
            coming = pool.submit(next, waiting, None)
            yield piece


def _repeats(leaf: str) -> bool:
    action, _, rest = leaf.partition(".")
    return not (action in ("add", "remove") and (rest in _DISTINCT or rest.startswith("stats_parsed.")))


@functools.lru_cache(16)
def _leaf_paths(schema: pa.Schema) -> tuple[str, ...]:
    """The columns as Parquet names them."""
    sink = pa.BufferOutputStream()
    pq.write_table(schema.empty_table(), sink)
    found = pq.ParquetFile(pa.BufferReader(sink.getvalue())).schema
    return tuple(found.column(index).path for index in range(len(found)))
