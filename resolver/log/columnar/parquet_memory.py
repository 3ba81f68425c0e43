"""Parquet files opened so that what is decoded lies in the allocator that fits it best.

Long columns of text grow piece by piece while they are decoded. pyarrow's usual allocator keeps the room it
gave on the way; jemalloc, where pyarrow has it, took a fifth less memory for a checkpoint of a million files,
and half as much time again.
"""

from __future__ import annotations

import threading

import pyarrow as pa
import pyarrow.parquet as pq

from deltaresolver.log.columnar.column_pool import column_pool
from deltaresolver.log.columnar.distinct_names import ensure_distinct_names
from deltaresolver.log.columnar.schemas.known_schemas import SmallParquetFile
from deltaresolver.log.storage.log_store import LogStore
from deltaresolver.log.storage.stored_input import StoredInput

_SWAPPING = threading.Lock()
_SMALL = 1 << 20
"""A file of fewer bytes is read at once: range by range it takes dozens of reads."""


def open_stored(
    store: LogStore, path: str, size: int, *, pre_buffer: bool = False, buffer_size: int = 0, saves_memory: bool = False
) -> pq.ParquetFile:
    """A stored Parquet file, read range by range unless it is small; no two of its fields have one name in one place.

    Small ones may be kept open by the store: to make sense of the footer is most of the work then. Raises what pyarrow
    and the store raise.
    """
    kept = {} if store.opened is None or size > _SMALL else store.opened
    if path not in kept:
        kept[path] = _open(store, path, size, pre_buffer=pre_buffer, buffer_size=buffer_size, saves_memory=saves_memory)
    return kept[path]


def _open(
    store: LogStore, path: str, size: int, *, pre_buffer: bool, buffer_size: int, saves_memory: bool
) -> pq.ParquetFile:
    if size <= _SMALL:
        # pyarrow closes only sources that it opened itself, so the file can be used again after `with`.
        return SmallParquetFile(store.read_range(path, 0, size))
    source = StoredInput(store, path, size)
    if saves_memory:
        file = open_parquet(source, buffer_size, saves_memory=True)
    else:
        file = pq.ParquetFile(source, pre_buffer=pre_buffer, buffer_size=buffer_size)
    ensure_distinct_names(file.schema_arrow)
    return file


def open_parquet(source: StoredInput, buffer_size: int, *, saves_memory: bool) -> pq.ParquetFile:
    """The file, to be read range by range. Raises what pyarrow and the store raise.

    Without `saves_memory` columns lie in pyarrow's usual allocator, whose pages are quicker to come by.
    """
    pool = column_pool() if saves_memory else None
    if pool is None:
        return pq.ParquetFile(source, pre_buffer=False, buffer_size=buffer_size)
    # Whoever opens a file cannot choose its pool but by the process's default. A reader keeps the pool it was
    # made with, so the default is changed only for that moment, and not while the footer is fetched.
    footer = pq.read_metadata(source)
    with _SWAPPING:
        usual = pa.default_memory_pool()
        pa.set_memory_pool(pool)
        try:
            return pq.ParquetFile(source, metadata=footer, pre_buffer=False, buffer_size=buffer_size)
        finally:
            pa.set_memory_pool(usual)
