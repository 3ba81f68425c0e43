"""Rows of files marked as deleted: their positions as Spark finds them, and the actions with deletion vectors."""

from __future__ import annotations

import uuid
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import attrs
import msgspec
import numpy as np

from deltaresolver.log.deletion_vector_encoding import vector_file
from deltaresolver.log.deletion_vectors import Rows
from deltaresolver.model.actions import Action, AddFile
from deltaresolver.spark.reading.file_facts import FILE, ROW
from deltaresolver.spark.writing.changed_table import Candidates, ChangedTable

if TYPE_CHECKING:
    from pyspark.sql import DataFrame

Positions = Mapping[int, Rows]
"""Rows of files by their places, ascending, by the numbers of the files."""


def positions_of(hits: DataFrame, keys: Mapping[str, int]) -> dict[int, Rows]:
    """Where rows with `FILE` and `ROW` lie; a row that is there twice is named twice."""
    from pyspark.sql import functions

    found = hits.groupBy(FILE).agg(functions.collect_list(ROW).alias(ROW)).toArrow()
    return {
        keys[name]: np.sort(np.asarray(rows.values, np.int64))
        for name, rows in zip(found.column(FILE).to_pylist(), found.column(ROW), strict=True)
    }


def mark(changed: ChangedTable, among: Candidates, rows: Positions) -> list[Action]:
    """Take rows out by deletion vectors; files that lose all they have go."""
    if not rows:
        return []
    merged = with_earlier(changed, among, rows)
    marked = [
        number for number in sorted(merged) if len(merged[number]) != _statistics(among.adds[number]).get("numRecords")
    ]
    vectors = vector_file([merged[number] for number in marked], uuid.uuid4())
    if marked:
        changed.put_vectors(vectors.path, vectors.data)
    actions: list[Action] = [*changed.removals(among.adds[number] for number in sorted(merged))]
    for number, vector in zip(marked, vectors.vectors, strict=True):
        add = among.adds[number]
        stats = _with_wide_bounds(add.stats)
        actions.append(attrs.evolve(add, deletion_vector=vector, stats=stats, data_change=True))
    return actions


def with_earlier(changed: ChangedTable, among: Candidates, rows: Positions) -> dict[int, Rows]:
    """The positions together with those that the files' vectors delete already."""
    before = [number for number in sorted(rows) if among.adds[number].deletion_vector is not None]
    merged = dict(rows)
    if before:
        earlier = changed.scan().marked_rows(among.take(before))
        for number, marked in zip(before, earlier, strict=True):
            merged[number] = np.union1d(marked, rows[number])
    return merged


def live_records(add: AddFile) -> int | None:
    """The rows of a file that are not deleted; None where its statistics do not say."""
    records = _statistics(add).get("numRecords")
    if records is None or add.deletion_vector is None:
        return None if records is None else int(records)
    return int(records) - add.deletion_vector.cardinality


def _statistics(add: AddFile) -> dict[str, Any]:
    return msgspec.json.decode(add.stats) if add.stats else {}


def _with_wide_bounds(stats: str | None) -> str | None:
    if not stats:
        return stats
    # The parts of statistics as they stand, so that no decimal loses a digit.
    kept = msgspec.json.decode(stats, type=dict[str, msgspec.Raw])
    return msgspec.json.encode({**kept, "tightBounds": msgspec.Raw(b"false")}).decode()
