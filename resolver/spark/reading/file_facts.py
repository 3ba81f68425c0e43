"""What the log knows of each file, as a small frame that rows find by their file."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING

import attrs
import numpy as np
import pyarrow as pa

from deltaresolver.log.deletion_vectors import Rows
from deltaresolver.spark.reading.few_files import are_few, by_file, literal
from deltaresolver.spark.reading.file_keys import MetadataKeys
from deltaresolver.spark.reading.marked_rows import (
    CHUNKS,
    WORDS,
    JoinedWords,
    in_chunks,
    is_marked_in_chunks,
    place_of_word,
)
from deltaresolver.spark.reading.partition_values import Values

if TYPE_CHECKING:
    from pyspark.sql import Column, DataFrame, SparkSession

PREFIX = "__deltaresolver_"
"""Begins every column of ours while a frame is put together."""

FILE, ROW, KEY, KNOWN = f"{PREFIX}file", f"{PREFIX}row", f"{PREFIX}key", f"{PREFIX}known"
_CHUNKS, _WORDS = f"{PREFIX}chunks", f"{PREFIX}words"
_START, _COVERED = f"{PREFIX}start", f"{PREFIX}covered"
_BASE_ID, _BASE_VERSION = f"{PREFIX}base_row_id", f"{PREFIX}base_version"
_SQL_TYPES = {pa.string(): "STRING", pa.int64(): "BIGINT"}
_UNKNOWN_FILE = f"raise_error(concat('deltaresolver: the log has no file spelt ', CAST({KEY} AS STRING)))"
"""What comes of a row whose file is none of those asked for, in SQL."""


@attrs.frozen(slots=True)
class FileFacts:
    """The facts of files that some read needs, one entry a file; an absent column is not needed."""

    keys: MetadataKeys
    partition_values: Sequence[Values] | None = None
    marked: Sequence[Rows] | None = None
    """Rows that are deleted, or that alone are wanted."""
    base_row_ids: Sequence[int | None] | None = None
    commit_versions: Sequence[int | None] | None = None

    @property
    def has_any(self) -> bool:
        """Whether rows need anything of their files."""
        needed = (self.partition_values, self.marked, self.base_row_ids, self.commit_versions)
        return any(each is not None for each in needed)

    def of_files(self) -> dict[str, pa.Array]:
        """What is one value for all rows of a file, by the columns that hold it."""
        columns: dict[str, pa.Array] = {}
        if self.partition_values is not None:
            width = len(self.partition_values[0]) if self.partition_values else 0
            for place in range(width):
                texts = [values[place] for values in self.partition_values]
                columns[partition_fact(place)] = pa.array(texts, pa.string())
        if self.base_row_ids is not None:
            columns[_BASE_ID] = pa.array(self.base_row_ids, pa.int64())
        if self.commit_versions is not None:
            columns[_BASE_VERSION] = pa.array(self.commit_versions, pa.int64())
        return columns

    def to_arrow(self, words: JoinedWords | None) -> pa.Table:
        """All facts as a table, keyed by `KNOWN`; of marked rows where they are in `words`, else themselves."""
        columns = {KNOWN: pa.array(self.keys.values, self.keys.type), **self.of_files()}
        if words is not None:
            columns[_START] = pa.array(words.starts, pa.int32())
            columns[_COVERED] = pa.array(words.covered, pa.int64())
        elif self.marked is not None:
            bits = [in_chunks(rows) for rows in self.marked]
            columns[_CHUNKS] = _lists([chunks for chunks, _ in bits], CHUNKS)
            columns[_WORDS] = _lists([each for _, each in bits], WORDS)
        return pa.table(columns)


def partition_fact(place: int) -> str:
    """The column of facts that holds the value of the partition column at `place`, as text."""
    return f"{PREFIX}partition_{place}"


def _lists(arrays: Sequence[pa.Array], kind: pa.ListType) -> pa.Array:
    """A list array from arrays, without going through Python's own numbers."""
    offsets = np.zeros(len(arrays) + 1, np.int32)
    np.cumsum([len(each) for each in arrays], out=offsets[1:])
    return pa.ListArray.from_arrays(pa.array(offsets), pa.concat_arrays(arrays), type=kind)


def with_facts(spark: SparkSession, rows: DataFrame, facts: FileFacts, *, keep_marked: bool = False) -> DataFrame:
    """The rows, each with the facts of its file, without those marked (or with `keep_marked` only those).

    Needs the columns `KEY` and `ROW`.

    A file without facts stops the query: a row must not be lost because two spellings of a path differ.
    """
    words = None if facts.marked is None else JoinedWords.of(facts.marked)
    if are_few(facts.keys) and (facts.marked is None or words is not None):
        joined, marked = _by_conditions(spark, rows, facts, words)
    else:
        joined, marked = _by_join(spark, rows, facts, words)
    if marked is None:
        return joined
    return joined.where(marked if keep_marked else ~marked)


def _by_conditions(
    spark: SparkSession, rows: DataFrame, facts: FileFacts, words: JoinedWords | None
) -> tuple[DataFrame, Column | None]:
    """The rows with their facts, and whether a row is marked; of a file without facts no row gets further."""

    def fact(values: Iterable[str], kind: str) -> str:
        return by_file(KEY, facts.keys, values, kind, _UNKNOWN_FILE)

    of_files = [
        f"{fact(map(literal, column.to_pylist()), _SQL_TYPES[column.type])} {name}"
        for name, column in facts.of_files().items()
    ]
    known = rows.selectExpr("*", *of_files, f"true {KNOWN}")
    if words is None:
        return known, None
    places = [place_of_word(ROW, *each) for each in zip(words.covered, words.starts, strict=True)]
    return known, words.is_marked(spark, ROW, fact(places, "INT"))


def _by_join(
    spark: SparkSession, rows: DataFrame, facts: FileFacts, words: JoinedWords | None
) -> tuple[DataFrame, Column | None]:
    """The same, for any number of files and rows."""
    from pyspark.sql import functions as f

    known = f.broadcast(spark.createDataFrame(facts.to_arrow(words)))
    joined = rows.join(known, f.col(KEY) == f.col(KNOWN), "left")
    if words is not None:
        return joined, from_file(words.is_marked(spark, ROW, place_of_word(ROW, _COVERED, _START)))
    if facts.marked is not None:
        return joined, from_file(f.expr(is_marked_in_chunks(ROW, _CHUNKS, _WORDS)))
    return joined, None


def from_file(column: Column) -> Column:
    """A fact, or the end of the query where the row's file is none of those asked for."""
    from pyspark.sql import functions as f

    return f.when(f.col(KNOWN).isNull(), f.expr(_UNKNOWN_FILE)).otherwise(column)


def row_id(materialized: Column | None) -> Column:
    """The row's id: as the file holds it, else by the row's position."""
    from pyspark.sql import functions as f

    by_position = from_file(f.col(_BASE_ID) + f.col(ROW))
    return by_position if materialized is None else f.coalesce(materialized, by_position)


def row_commit_version(materialized: Column | None) -> Column:
    """The table version that last changed the row: as the file holds it, else that of the file."""
    from pyspark.sql import functions as f

    by_file = from_file(f.col(_BASE_VERSION))
    return by_file if materialized is None else f.coalesce(materialized, by_file)
