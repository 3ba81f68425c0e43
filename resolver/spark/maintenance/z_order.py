"""Rows ordered by several columns at once, so that rows with like values in any of them are in the same files.

Each column's values are ranked among evenly spread bounds of a sample, and the bits of the ranks are interleaved: a
Z-order curve. Everything is done in Spark's own expressions; no value of a row leaves it.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from deltaresolver.model.schema import FieldPath, quoted

if TYPE_CHECKING:
    from pyspark.sql import Column, DataFrame

SAMPLED_ROWS = 50_000
_MAX_BITS = 10
_BITS_OF_CURVE = 62
_PREFIX = "__deltaresolver_z_"
_CURVE, _PLACE = f"{_PREFIX}curve", f"{_PREFIX}place"


def spread(rows: DataFrame, columns: Sequence[FieldPath], files: int, count: int | None) -> DataFrame:
    """The rows, given with the columns of data files, in `files` tasks that each write one file.

    `count` is about how many rows there are; it decides how many are sampled. Rows of equal values may come into
    several files, in the order in which they are read, which is the same whenever a task is repeated.
    """
    from pyspark.sql import functions as f

    if files == 1:
        return rows.coalesce(1)
    if len(columns) == 1:
        curved = rows.withColumn(_CURVE, _column(columns[0]))
    else:
        curved = _ranked(rows, columns, _fraction(count)).withColumn(_CURVE, _interleaved(len(columns)))
    placed = curved.withColumn(_PLACE, f.monotonically_increasing_id())
    return placed.repartitionByRange(files, _CURVE, _PLACE).select(*(quoted(name) for name in rows.columns))


def _fraction(count: int | None) -> float:
    return 1.0 if not count else min(1.0, SAMPLED_ROWS / count)


def _bits(columns: int) -> int:
    return min(_MAX_BITS, _BITS_OF_CURVE // columns)


def _column(path: FieldPath) -> Column:
    from pyspark.sql import functions as f

    return f.col(".".join(quoted(name) for name in path))


def _ranked(rows: DataFrame, columns: Sequence[FieldPath], fraction: float) -> DataFrame:
    """The rows with the rank of each column among the bounds, found by halving; null comes first."""
    from pyspark.sql import functions as f

    bits = _bits(len(columns))
    sample = rows.select(*(_column(path).alias(f"{_PREFIX}{place}") for place, path in enumerate(columns)))
    sample = sample if fraction == 1.0 else sample.sample(fraction, seed=7)
    found = sample.agg(*(f.sort_array(f.collect_list(name)).alias(name) for name in sample.columns))
    bounds = found.select(
        *(f.expr(_bounds(quoted(name), (1 << bits) - 1)).alias(f"{name}_bounds") for name in sample.columns)
    )
    ranked = rows.crossJoin(f.broadcast(bounds))
    for place, path in enumerate(columns):
        rank, value = f"{_PREFIX}rank_{place}", _column(path)
        ranked = ranked.withColumn(rank, f.lit(0))
        for bit in reversed(range(bits)):
            step = 1 << bit
            middle = f.get(f"{_PREFIX}{place}_bounds", f.col(rank) + f.lit(step - 1))
            ranked = ranked.withColumn(rank, f.col(rank) + f.when(middle <= value, step).otherwise(0))
    return ranked


def _bounds(values: str, count: int) -> str:
    """SQL: that many of the sorted values, evenly spread; all null without a value."""
    place = f"CAST(CAST(i AS BIGINT) * size({values}) DIV {count + 1} AS INT)"
    return f"transform(sequence(1, {count}), i -> get({values}, {place}))"


def _interleaved(columns: int) -> Column:
    """The bits of all ranks in turn, the highest first."""
    from pyspark.sql import functions as f

    total = f.lit(0).cast("bigint")
    for bit in range(_bits(columns)):
        for place in range(columns):
            rank = f.col(f"{_PREFIX}rank_{place}").cast("bigint")
            one = f.shiftright(rank, bit).bitwiseAND(f.lit(1).cast("bigint"))
            total = total.bitwiseOR(f.shiftleft(one, bit * columns + columns - 1 - place))
    return total
