"""What partition values and statistics promise about a column's values in every file.

Everything not promised is left open: a missing, unreadable or untrusted statistic never excludes anything.
"""

from __future__ import annotations

import datetime
from typing import Any

import attrs
import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc

from deltaresolver.expressions.stored_column import StoredColumn, kind_of
from deltaresolver.expressions.stored_values import arrow_type, stored_value
from deltaresolver.log.pruning.parsed_stats import ParsedStats
from deltaresolver.model.facts.stored_text import read_stored

Mask = npt.NDArray[np.bool_]

# A partition timestamp without a zone is in the writer's, which nobody recorded.
_WIDEST_ZONE = datetime.timedelta(hours=18)
# Timestamps in statistics are cut to milliseconds, so the largest may lie up to this much above.
_CUT = datetime.timedelta(microseconds=999)


@attrs.frozen(slots=True, eq=False)
class ColumnBounds:
    """For every file: no value is below `low` or above `high` (null: not known), and which kinds of rows it may hold.

    `is_exact` says that a file holds `low` and nothing else wherever `low` is known.
    """

    low: pa.Array | None
    high: pa.Array | None
    may_hold_null: Mask
    may_hold_value: Mask
    is_exact: bool = False


def partition_bounds(column: StoredColumn, values: pa.Array) -> ColumnBounds:
    """Bounds of a partition column from the files' `partitionValues`; an empty string stands for null."""
    keyed, texts = _lookup(values, column.physical_path[0])
    encoded = texts.fill_null("").dictionary_encode()
    distinct = encoded.dictionary.to_pylist()
    codes = encoded.indices.to_numpy(zero_copy_only=False)
    empty = np.array([text == "" for text in distinct], np.bool_)[codes]
    is_null = keyed & empty
    pairs = [_partition_range(column, text) for text in distinct]
    kind = arrow_type(column)
    low = high = None
    if kind is not None:
        low = pa.array([pair[0] for pair in pairs], kind).take(pa.array(codes))
        high = pa.array([pair[1] for pair in pairs], kind).take(pa.array(codes))
    exact = all(pair[0] == pair[1] for pair in pairs)
    return ColumnBounds(low, high, ~keyed | is_null, ~keyed | ~is_null, exact)


def _partition_range(column: StoredColumn, text: str) -> tuple[Any, Any]:
    if text == "":
        return None, None
    kind = kind_of(column)
    if kind == "timestamp":
        try:
            moment = read_stored(kind, text)
        except ValueError:
            return None, None
        if isinstance(moment, datetime.datetime) and moment.tzinfo is None:
            utc = moment.replace(tzinfo=datetime.timezone.utc)  # noqa: UP017
            try:
                return utc - _WIDEST_ZONE, utc + _WIDEST_ZONE
            except OverflowError:
                return None, None
    value = stored_value(column, text)
    return value, value


def _lookup(values: pa.MapArray, name: str) -> tuple[Mask, pa.StringArray]:
    """Whether each file's map has the key at all (a file that lacks it promises nothing), and the value."""
    places = np.flatnonzero(_known(pc.equal(values.keys, name)))
    offsets = values.offsets.to_numpy()
    rows = np.searchsorted(offsets, places, side="right") - 1
    inside = (rows >= 0) & (rows < len(values))
    source = np.full(len(values), -1, np.int64)
    source[rows[inside]] = places[inside]
    source[~_known(values.is_valid())] = -1
    return source >= 0, values.items.take(pa.array(source, mask=source < 0))


def statistics_bounds(column: StoredColumn, stats: ParsedStats) -> ColumnBounds:
    """Bounds of a data column from the files' statistics.

    A null count tells something only if it is zero or all rows: of files with deletion vectors nothing else
    is promised. Floating point has no upper bound, since not every writer counts NaN in, which is greatest.
    """
    path, rows = column.physical_path, stats.record_count
    nulls = stats.null_counts.get(path, pa.nulls(len(rows), pa.int64()))
    may_hold_null = ~_known(pc.equal(nulls, 0))
    may_hold_value = ~_known(pc.equal(nulls, rows))
    low, high = stats.least.get(path), stats.greatest.get(path)
    if low is not None and column.was_float:
        low = _lowered(low)
    if high is not None and pa.types.is_floating(high.type):
        high = None
    if high is not None and pa.types.is_timestamp(high.type):
        high = _raised(high)
    return ColumnBounds(low, high, may_hold_null, may_hold_value)


def _known(answer: pa.Array) -> Mask:
    """True only where the answer is known to be true."""
    known: Mask = pc.fill_null(answer, False).to_numpy(zero_copy_only=False)
    return known


def _lowered(low: pa.Array) -> pa.Array:
    """Writers put 3.1 for the number of 32 bits that is nearest to it, which as a double is another one."""
    return pc.min_element_wise(low, low.cast(pa.float32(), safe=False).cast(low.type), skip_nulls=False)


def _raised(high: pa.Array) -> pa.Array:
    try:
        return pc.add_checked(high, pa.scalar(_CUT, pa.duration("us")))
    except pa.ArrowInvalid:
        return pa.nulls(len(high), high.type)
