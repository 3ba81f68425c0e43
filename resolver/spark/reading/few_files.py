"""What the log knows of few files, as conditions on a row's file: cheaper for every row than a join.

Marked rows are looked up in one array of bits that reaches the tasks inside the query.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING

import pyarrow as pa

from deltaresolver.log.deletion_vectors import Rows
from deltaresolver.spark.reading.file_keys import FileKeys
from deltaresolver.spark.reading.marked_rows import (
    WORDS,
    bit_of_row,
    joined_words,
    place_of_word,
    rows_covered,
)

if TYPE_CHECKING:
    from pyspark.sql import Column, SparkSession

_MOST_SIZES, _MOST_PATHS = 32, 8
"""Files that a row is compared with one after another, by the kind of key."""
_MOST_ROWS = 1 << 25
"""Rows told of by bits that are part of every task: four megabytes."""


def are_few(keys: FileKeys, marked: Sequence[Rows] | None) -> bool:
    """Whether conditions are cheaper than a join."""
    most = _MOST_SIZES if keys.type == pa.int64() else _MOST_PATHS
    return len(keys.values) <= most and sum(map(rows_covered, marked or ())) <= _MOST_ROWS


def by_file(key: str, keys: FileKeys, values: Iterable[str], kind: str, unknown: str) -> str:
    """SQL: the one of `values` (SQL, too) that is of the row's file; for a file that is none of `keys`, `unknown`."""
    cases = " ".join(f"WHEN {_literal(one)} THEN {value}" for one, value in zip(keys.values, values, strict=True))
    return f"CAST(CASE {key} {cases} ELSE {unknown} END AS {kind})"


def is_marked(  # noqa: PLR0913 - names of columns
    spark: SparkSession, row: str, key: str, keys: FileKeys, marked: Sequence[Rows], unknown: str
) -> Column:
    """Whether the row at position `row` of the file `key` is marked; never null."""
    from pyspark.sql import functions as f

    starts, words = joined_words(marked)
    lists = pa.ListArray.from_arrays(pa.array([0, len(words)], pa.int32()), pa.array(words), type=WORDS)
    schema = pa.schema([pa.field("words", WORDS, nullable=False)])
    array = spark.createDataFrame(pa.table([lists], schema=schema)).scalar()
    places = [place_of_word(row, rows_covered(rows), start) for rows, start in zip(marked, starts, strict=True)]
    word = f.get(array, f.expr(by_file(key, keys, places, "INT", unknown)))
    return f.coalesce(word.bitwiseAND(f.expr(bit_of_row(row))) != 0, f.lit(False))


def literal(value: str | int | None) -> str:
    """A value as SQL, safe from whatever the session says of quotes and backslashes."""
    return "NULL" if value is None else _literal(value)


def _literal(value: str | int) -> str:
    if isinstance(value, int):
        return f"{value}L"
    return f"CAST(X'{value.encode().hex()}' AS STRING)"
