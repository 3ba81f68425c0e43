"""Where rows lie, as Spark found them: one bitmap a file, which takes a bit to two bytes a row.

No row comes to the driver as an object. Of files with few rows come lists of positions; of others, words of 64 rows
with a bit for each: Spark's executors put them together, so that what they send grows with the files and not with the
rows found in them.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any

import attrs
import numpy as np
import pyarrow as pa

from deltaresolver.model.actions import AddFile
from deltaresolver.spark.changes.live_records import physical_records
from deltaresolver.spark.reading.file_facts import FILE, PREFIX, ROW

if TYPE_CHECKING:
    from pyroaring import BitMap64
    from pyspark.sql import DataFrame

Positions = Mapping[int, "BitMap64"]
"""Rows of files by the numbers of the files."""

MAX_LISTED = 1 << 24
"""Of files with no more rows than this come lists, at most 128 MiB; a second shuffle would cost them more."""
_WORD, _BITS, _COUNT = f"{PREFIX}word", f"{PREFIX}bits", f"{PREFIX}count"


@attrs.frozen(slots=True)
class FoundRows:
    """Rows of one file: `key` is the values of the columns they were asked for by, `times` how often there is one."""

    file: int
    key: tuple[Any, ...]
    rows: BitMap64
    times: int


def find_places(
    hits: DataFrame, keys: Mapping[str, int], adds: Sequence[AddFile], by: Sequence[str] = ()
) -> Iterator[FoundRows]:
    """The rows of `hits`, which has `FILE` and `ROW`, by file and by the columns `by`."""
    return _listed(hits, keys, by) if _are_few(adds) else _in_words(hits, keys, by)


def positions_of(hits: DataFrame, keys: Mapping[str, int], adds: Sequence[AddFile]) -> dict[int, BitMap64]:
    """Where rows with `FILE` and `ROW` lie; a row that is there twice is named once."""
    return {found.file: found.rows for found in find_places(hits, keys, adds)}


def bitmap_of(rows: np.ndarray[Any, Any]) -> BitMap64:
    """The set of these positions, in any order."""
    import array

    from pyroaring import BitMap64

    return BitMap64(array.array("Q", np.ascontiguousarray(rows, np.int64).view(np.uint64).tobytes()))


def union(sets: Iterable[BitMap64]) -> BitMap64:
    """The rows of all of them."""
    first, *others = sets
    return first.union(*others) if others else first


def _are_few(adds: Sequence[AddFile]) -> bool:
    """Whether lists of all rows of these files would stay short; False where the log does not count some of them."""
    rows = 0
    for add in adds:
        count = physical_records(add)
        if count is None:
            return False
        rows += count
    return rows <= MAX_LISTED


def _listed(hits: DataFrame, keys: Mapping[str, int], by: Sequence[str]) -> Iterator[FoundRows]:
    from pyspark.sql import functions

    found = hits.groupBy(FILE, *by).agg(functions.collect_list(ROW).alias(ROW)).toArrow()
    for name, key, rows in zip(*_groups(found, by), found.column(ROW), strict=True):
        yield FoundRows(keys[name], key, bitmap_of(rows.values.to_numpy()), len(rows))


def _in_words(hits: DataFrame, keys: Mapping[str, int], by: Sequence[str]) -> Iterator[FoundRows]:
    from pyspark.sql import functions

    place = functions.col(ROW).bitwiseAND(functions.lit(63)).cast("int")
    bit = functions.call_function("shiftleft", functions.lit(1).cast("long"), place)
    bits = functions.bit_or(bit).alias(_BITS)
    words = hits.groupBy(FILE, *by, functions.shiftright(ROW, 6).alias(_WORD)).agg(
        bits, functions.count("*").alias(_COUNT)
    )
    pairs = functions.collect_list(functions.struct(_WORD, _BITS)).alias(_WORD)
    found = words.groupBy(FILE, *by).agg(pairs, functions.sum(_COUNT).alias(_COUNT)).toArrow()
    groups = zip(*_groups(found, by), found.column(_WORD), found.column(_COUNT).to_pylist(), strict=True)
    for name, key, listed, times in groups:
        numbers, of_rows = (listed.values.field(place).to_numpy() for place in (0, 1))
        yield FoundRows(keys[name], key, bitmap_of(_spread(numbers, of_rows)), times)


def _groups(found: pa.Table, by: Sequence[str]) -> tuple[list[str], list[tuple[Any, ...]]]:
    """The names of files and the values of `by`, row by row."""
    columns = [found.column(name).to_pylist() for name in by]
    return found.column(FILE).to_pylist(), list(zip(*columns, strict=True)) if by else [()] * len(found)


def _spread(numbers: np.ndarray[Any, Any], words: np.ndarray[Any, Any]) -> np.ndarray[Any, Any]:
    """The positions that are bits of words, by the words' numbers."""
    octets = np.ascontiguousarray(words, "<i8").view(np.uint8).reshape(-1, 8)
    places, bits = np.nonzero(np.unpackbits(octets, axis=1, bitorder="little"))
    return (numbers[places] << 6) + bits
