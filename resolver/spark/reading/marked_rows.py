"""Rows of files, deleted ones say, in shapes that Spark's own expressions can look a row up in.

A file's marked rows are bits in 64-bit words. Words of few rows are one array for all files; those of many rows go
with each file, in chunks of `CHUNK` rows: chunks without a marked row take no words, and `chunks[row // CHUNK]` is
where a chunk's words begin in `words`, or null.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from deltaresolver.log.deletion_vectors import Rows

_WORD_BITS = 6
_CHUNK_BITS = 12
CHUNK = 1 << _CHUNK_BITS
_WORDS = CHUNK >> _WORD_BITS

CHUNKS = pa.list_(pa.int32())
WORDS = pa.list_(pa.field("element", pa.int64(), nullable=False))

Numbers = npt.NDArray[np.int64]


def rows_covered(rows: Rows) -> int:
    """How many rows, from the first, the words of these marked rows cover."""
    return ((int(rows[-1]) >> _WORD_BITS) + 1) << _WORD_BITS if len(rows) else 0


def joined_words(marked: Sequence[Rows]) -> tuple[list[int], Numbers]:
    """Where each file's words begin, and the words of all; the first of them marks nothing and is no file's."""
    lengths = [rows_covered(rows) >> _WORD_BITS for rows in marked]
    starts = np.cumsum([1, *lengths])
    words = np.zeros(int(starts[-1]), np.int64)
    for start, rows in zip(starts.tolist(), marked, strict=False):
        numbers, bits = _words_used(rows)
        words[start + numbers] = bits
    return starts[:-1].tolist(), words


def place_of_word(row: str, covered: int, start: int) -> str:
    """SQL: where in `joined_words` the word is that tells of the row at position `row`."""
    return f"IF({row} < {covered}, CAST(shiftright({row}, {_WORD_BITS}) AS INT) + {start}, 0)"


def bit_of_row(row: str) -> str:
    """SQL: the bit of the row at this position in its word."""
    return f"shiftleft(1L, CAST({row} & 63 AS INT))"


def in_chunks(rows: Rows) -> tuple[pa.Array, pa.Array]:
    """`chunks` and `words` of the marked rows of one file."""
    numbers, bits = _words_used(rows)
    used, place = np.unique(numbers // _WORDS, return_inverse=True)
    words = np.zeros(len(used) * _WORDS, np.int64)
    words[place * _WORDS + numbers % _WORDS] = bits
    starts = np.full(int(used[-1]) + 1 if len(used) else 0, -1, np.int32)
    starts[used] = np.arange(len(used), dtype=np.int32) * _WORDS
    return pa.array(starts, pa.int32(), mask=starts < 0), pa.array(words, pa.int64())


def is_marked_in_chunks(row: str, chunks: str, words: str) -> str:
    """SQL: whether the row at this position is marked; never null."""
    start = f"get({chunks}, CAST(shiftright({row}, {_CHUNK_BITS}) AS INT))"
    word = f"get({words}, {start} + CAST(shiftright({row}, {_WORD_BITS}) & {_WORDS - 1} AS INT))"
    return f"coalesce({word} & {bit_of_row(row)} != 0, false)"


def _words_used(rows: Rows) -> tuple[Numbers, Numbers]:
    """The words that mark a row: their numbers in the file, ascending, and their bits."""
    numbers = rows >> _WORD_BITS
    firsts = np.flatnonzero(np.diff(numbers, prepend=-1))
    bits = np.left_shift(np.uint64(1), (rows & 63).astype(np.uint64))
    words = np.bitwise_or.reduceat(bits, firsts) if len(rows) else bits
    return numbers[firsts], words.view(np.int64)
