"""Rows of files, deleted ones say, in a shape that Spark's own expressions can look a row up in.

A file's marked rows are bits in 64-bit words, in chunks of `CHUNK` rows; chunks without a marked row take no
words. `chunks[row // CHUNK]` is where a chunk's words begin in `words`, or null.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import pyarrow as pa

from deltaresolver.log.deletion_vectors import Rows

if TYPE_CHECKING:
    from pyspark.sql import Column

_WORD_BITS = 6
_CHUNK_BITS = 12
CHUNK = 1 << _CHUNK_BITS
_WORDS = CHUNK >> _WORD_BITS

CHUNKS = pa.list_(pa.int32())
WORDS = pa.list_(pa.int64())


def as_bits(rows: Rows) -> tuple[pa.Array, pa.Array]:
    """`chunks` and `words` of the marked rows of one file."""
    numbers = rows >> _CHUNK_BITS
    used, place = np.unique(numbers, return_inverse=True)
    words = np.zeros(len(used) * _WORDS, np.uint64)
    within = (place * _WORDS) + ((rows >> _WORD_BITS) & (_WORDS - 1))
    bits = np.left_shift(np.uint64(1), (rows & 63).astype(np.uint64))
    np.bitwise_or.at(words, within, bits)
    starts = np.full(int(used[-1]) + 1 if len(used) else 0, -1, np.int32)
    starts[used] = np.arange(len(used), dtype=np.int32) * _WORDS
    return pa.array(starts, pa.int32(), mask=starts < 0), pa.array(words.view(np.int64), pa.int64())


def is_marked(row: Column, chunks: Column, words: Column) -> Column:
    """Whether the row at this position is marked; never null."""
    from pyspark.sql import functions as f

    start = f.get(chunks, f.shiftright(row, _CHUNK_BITS).cast("int"))
    within = f.shiftright(row, _WORD_BITS).bitwiseAND(f.lit(_WORDS - 1)).cast("int")
    word = f.get(words, start + within)
    return f.coalesce(f.getbit(word, row.bitwiseAND(f.lit(63)).cast("int")) == 1, f.lit(False))
