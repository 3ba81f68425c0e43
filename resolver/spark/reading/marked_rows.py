"""Rows of files, deleted ones say, in shapes that Spark's own expressions can look a row up in.

A file's marked rows are bits in 64-bit words. Where files have few rows in all, the words of all are one array that
is part of the query. Else words go with each file, in chunks of `CHUNK` rows: chunks without a marked row take no
words, and `chunks[row // CHUNK]` is where a chunk's words begin in `words`, or null.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, overload

import attrs
import numpy as np
import numpy.typing as npt
import pyarrow as pa

from deltaresolver.log.deletion_vectors import Rows

if TYPE_CHECKING:
    from pyroaring import BitMap64
    from pyspark.sql import Column, SparkSession

_WORD_BITS = 6
_CHUNK_BITS = 12
CHUNK = 1 << _CHUNK_BITS
_WORDS = CHUNK >> _WORD_BITS
_MAX_JOINED = 1 << 19
"""Words that may be part of a query, and with it of every task: four megabytes."""

CHUNKS = pa.list_(pa.int32())
WORDS = pa.list_(pa.field("element", pa.int64(), nullable=False))

Numbers = npt.NDArray[np.int64]


class RowSets(Sequence[Rows]):
    """Rows of files, kept as bitmaps: an array is made of one when it is looked at, and not kept."""

    def __init__(self, sets: Iterable[BitMap64]) -> None:
        self._sets = tuple(sets)

    def __len__(self) -> int:
        return len(self._sets)

    @overload
    def __getitem__(self, place: int) -> Rows: ...
    @overload
    def __getitem__(self, place: slice) -> RowSets: ...
    def __getitem__(self, place: int | slice) -> Rows | RowSets:
        if isinstance(place, slice):
            return RowSets(self._sets[place])
        return np.frombuffer(self._sets[place].to_array(), np.uint64).view(np.int64)

    def take(self, places: Iterable[int]) -> RowSets:
        """Those of some files, in this order."""
        return RowSets(self._sets[place] for place in places)


def taken(rows: Sequence[Rows], places: Iterable[int]) -> Sequence[Rows]:
    """The rows of some files, in this order."""
    return rows.take(places) if isinstance(rows, RowSets) else [rows[place] for place in places]


@attrs.frozen(slots=True, eq=False)
class JoinedWords:
    """The words of all files in one array, the first of which marks nothing and belongs to no file.

    starts    where each file's words begin
    covered   how many rows, from the first, each file's words tell of
    """

    words: Numbers
    starts: Sequence[int]
    covered: Sequence[int]

    @classmethod
    def of(cls, marked: Sequence[Rows]) -> JoinedWords | None:
        """The words of these rows; None where they are too many."""
        lengths = [(int(rows[-1]) >> _WORD_BITS) + 1 if len(rows) else 0 for rows in marked]
        starts = np.cumsum([1, *lengths]).tolist()
        if starts[-1] > _MAX_JOINED:
            return None
        words = np.zeros(starts[-1], np.int64)
        for start, rows in zip(starts, marked, strict=False):
            numbers, bits = _words_used(rows)
            words[start + numbers] = bits
        return cls(words, starts[:-1], [length << _WORD_BITS for length in lengths])

    def is_marked(self, spark: SparkSession, row: str, place: str) -> Column:
        """Whether the row at position `row` is marked, its word being at `place` (SQL); never null."""
        from pyspark.sql import functions as f

        lists = pa.ListArray.from_arrays(pa.array([0, len(self.words)], pa.int32()), pa.array(self.words), type=WORDS)
        array = spark.createDataFrame(pa.table({"words": lists})).scalar()
        word = f.get(array, f.expr(place))
        return f.coalesce(word.bitwiseAND(f.expr(_bit_of(row))) != 0, f.lit(False))


def place_of_word(row: str, covered: str | int, start: str | int) -> str:
    """SQL: where in `JoinedWords` the word is that tells of the row at position `row` of a file."""
    return f"IF({row} < {covered}, CAST(shiftright({row}, {_WORD_BITS}) AS INT) + {start}, 0)"


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
    return f"coalesce({word} & {_bit_of(row)} != 0, false)"


def _bit_of(row: str) -> str:
    return f"shiftleft(1L, CAST({row} & 63 AS INT))"


def _words_used(rows: Rows) -> tuple[Numbers, Numbers]:
    """The words that mark a row: their numbers in the file, ascending, and their bits."""
    numbers = rows >> _WORD_BITS
    firsts = np.flatnonzero(np.diff(numbers, prepend=-1))
    bits = np.left_shift(np.uint64(1), (rows & 63).astype(np.uint64))
    words = np.bitwise_or.reduceat(bits, firsts) if len(rows) else bits
    return numbers[firsts], words.view(np.int64)
