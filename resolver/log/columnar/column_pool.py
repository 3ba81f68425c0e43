"""Which of pyarrow's allocators the columns of a log are made in."""

from __future__ import annotations

import pyarrow as pa


def column_pool() -> pa.MemoryPool | None:
    """jemalloc, unless pyarrow lacks it or the user chose another one; None is pyarrow's usual allocator.

    Columns of a log are long, and those of a block are soon given back. pyarrow's usual allocator keeps for
    itself what is given back, apart for every thread: a tenth more memory and processor time for a whole log.
    """
    if pa.default_memory_pool().backend_name != "mimalloc":
        return None
    try:
        return pa.jemalloc_memory_pool()
    except NotImplementedError:
        return None
