"""Checkpoint rows to Parquet bytes: one piece is built while the one before it is encoded."""

from __future__ import annotations

import functools
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor
from itertools import islice

import pyarrow as pa
import pyarrow.parquet as pq

from deltaresolver.errors import CheckpointRefusedError
from deltaresolver.log.upkeep.settings import STATS_AS_STRUCT

Piece = Callable[[], pa.Table]
"""Builds some rows of a checkpoint when they are wanted, in any thread."""

ROWS_AT_ONCE = 1 << 16
"""Rows of a row group."""

_BUILDERS = 2

_DISTINCT = frozenset({"path", "stats", "schemaString", "size", "modificationTime", "deletionTimestamp"})
"""Columns with hardly a value twice: a dictionary of them is work for nothing."""


def encode_parquet(pieces: Iterable[Piece], schema: pa.Schema) -> bytes:
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
        for table in _built_ahead(pieces):
            writer.write_table(table, row_group_size=ROWS_AT_ONCE)
    data: bytes = sink.getvalue().to_pybytes()
    return data


def _built_ahead(pieces: Iterable[Piece]) -> Iterator[pa.Table]:
    """The pieces in order, a few of them built while an earlier one is encoded."""
    waiting = iter(pieces)
    with ThreadPoolExecutor(_BUILDERS) as pool:
        coming = deque(pool.submit(build) for build in islice(waiting, _BUILDERS + 1))
        while coming:
            table = coming.popleft().result()
            coming.extend(pool.submit(build) for build in islice(waiting, 1))
            yield table


def _repeats(leaf: str) -> bool:
    action, _, rest = leaf.partition(".")
    return not (action in ("add", "remove") and (rest in _DISTINCT or rest.startswith("stats_parsed.")))


@functools.lru_cache(16)
def _leaf_paths(schema: pa.Schema) -> tuple[str, ...]:
    """The columns as Parquet names them."""
    sink = pa.BufferOutputStream()
    try:
        pq.write_table(pa.Table.from_batches([], schema), sink)
        found = pq.ParquetFile(pa.BufferReader(sink.getvalue())).schema
    except (pa.ArrowException, OSError) as error:
        raise CheckpointRefusedError(
            f"No checkpoint is written: Parquet cannot hold the table's statistics ({error}).",
            fix=f"Nest the table's columns less deeply, or set {STATS_AS_STRUCT} to false.",
            details={"reason": str(error)},
        ) from error
    return tuple(found.column(index).path for index in range(len(found)))
