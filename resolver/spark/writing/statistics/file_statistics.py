"""Statistics of one data file, from the footer that its writer left.

Whatever a footer does not say is left out: a missing statistic excludes nothing. Footers have no bounds for a column
that holds NaN, and none for the old 96-bit timestamps.
"""

from __future__ import annotations

import datetime
import math
from collections import Counter
from typing import Any

import attrs
import msgspec
import numpy as np
import pyarrow.parquet as pq

from deltaresolver.model.schema import FieldPath, base_type
from deltaresolver.spark.parquet_calendar import FIRST_EQUAL_MOMENT, FileCalendar, gregorian_days
from deltaresolver.spark.writing.statistics.string_bounds import PREFIX_LENGTH, lower_bound, upper_bound

_EPOCH = datetime.datetime(1970, 1, 1)  # noqa: DTZ001 - arithmetic only
_FIRST_DAY, _LAST_DAY = -719_162, 2_932_896
_DAY_MICROSECONDS = 86_400_000_000


@attrs.frozen(slots=True)
class IndexedColumn:
    """A leaf that statistics are kept for: its path in data files, and its Delta type or `COLLECTION`."""

    path: FieldPath
    type: str


COLLECTION = "collection"
"""Stands for the types of arrays and maps."""


@attrs.frozen(slots=True)
class StatisticsShape:
    """What statistics a table wants."""

    columns: tuple[IndexedColumn, ...]
    with_tight_bounds: bool = False
    """Whether to say that the bounds are of live rows only; tables with deletion vectors want that said."""
    prefix_length: int = PREFIX_LENGTH
    """How much of a string its bounds keep."""


@attrs.define(slots=True)
class _Column:
    """A column chunk after another is added up here."""

    low: Any = None
    high: Any = None
    nulls: int | None = 0
    is_bounded: bool = True


def file_statistics(footer: pq.FileMetaData, shape: StatisticsShape) -> str:
    """The statistics as the log writes them."""
    rows = footer.num_rows
    found: dict[str, Any] = {"numRecords": rows}
    low: dict[str, Any] = {}
    high: dict[str, Any] = {}
    nulls: dict[str, Any] = {}
    places = _places(footer)
    is_legacy = FileCalendar.of(footer.metadata).datetimes
    for column in shape.columns:
        chunks = places.get(_dotted(column.path))
        if chunks is None and column.type == "variant":
            chunks = places.get(_dotted((*column.path, "metadata")))
        if chunks is None:
            _count_collection(footer, column, places, nulls)
            continue
        total = _total(footer, chunks, column.type)
        if total.nulls is not None:
            _put(nulls, column.path, total.nulls)
        if total.is_bounded and total.low is not None:
            if is_legacy:
                total = _in_todays_calendar(total, column.type)
            _put_bound(low, column.path, _bound(column.type, total.low, shape.prefix_length, is_upper=False))
            _put_bound(high, column.path, _bound(column.type, total.high, shape.prefix_length, is_upper=True))
    if rows and any(_has_bounds(column) for column in shape.columns):
        found |= {"minValues": low, "maxValues": high}
    if rows and shape.columns:
        found["nullCount"] = nulls
    if shape.with_tight_bounds:
        found["tightBounds"] = True
    return msgspec.json.encode(found).decode()


def _places(footer: pq.FileMetaData) -> dict[str, int]:
    """Where each leaf is, by its dotted path; a path that two leaves share says nothing about either."""
    schema = footer.schema
    paths = [schema.column(number).path for number in range(footer.num_columns)]
    times = Counter(paths)
    return {path: number for number, path in enumerate(paths) if times[path] == 1}


def _dotted(path: FieldPath) -> str:
    return ".".join(path)


def _total(footer: pq.FileMetaData, number: int, kind: str) -> _Column:
    total = _Column()
    for group in range(footer.num_row_groups):
        chunk = footer.row_group(group).column(number)
        _add(total, chunk.statistics if chunk.is_stats_set else None, chunk.num_values, kind)
    return total


def _add(total: _Column, statistics: Any, values: int, kind: str) -> None:
    if statistics is None:
        total.nulls, total.is_bounded = None, False
        return
    nulls = statistics.null_count if statistics.has_null_count else None
    total.nulls = None if nulls is None or total.nulls is None else total.nulls + nulls
    if not statistics.has_min_max:
        total.is_bounded = total.is_bounded and nulls == values
        return
    low, high = _ordered(statistics.min_raw, kind), _ordered(statistics.max_raw, kind)
    total.low = low if total.low is None else min(total.low, low)
    total.high = high if total.high is None else max(total.high, high)


def _ordered(raw: Any, kind: str) -> Any:
    """A bound that orders as the values do: the bytes of decimals would, if none were negative."""
    if isinstance(raw, bytes) and base_type(kind) == "decimal":
        return int.from_bytes(raw, "big", signed=True)
    return raw


def _put(target: dict[str, Any], path: FieldPath, value: Any) -> None:
    for name in path[:-1]:
        target = target.setdefault(name, {})
    target[path[-1]] = value


def _put_bound(target: dict[str, Any], path: FieldPath, value: Any) -> None:
    if value is not None:
        _put(target, path, value)


def _has_bounds(column: IndexedColumn) -> bool:
    return column.type not in ("boolean", "binary", COLLECTION)


def _count_collection(
    footer: pq.FileMetaData, column: IndexedColumn, places: dict[str, int], nulls: dict[str, Any]
) -> None:
    """Nulls of an array or a map: the footer counts empty ones and null elements too, so only none is certain."""
    inside = _dotted(column.path) + "."
    below = [number for path, number in places.items() if path.startswith(inside)]
    if below and any(_total(footer, number, column.type).nulls == 0 for number in below):
        _put(nulls, column.path, 0)
    elif not below:
        _put(nulls, column.path, footer.num_rows)


def _in_todays_calendar(total: _Column, kind: str) -> _Column:
    """Bounds that were written in Spark's legacy calendar; those of old moments depend on a zone and are dropped."""
    if base_type(kind) == "date":
        low, high = gregorian_days(np.asarray([total.low, total.high], np.int64)).tolist()
        return _Column(low, high)
    if base_type(kind) == "timestamp":
        low, high = (each if each >= FIRST_EQUAL_MOMENT else None for each in (total.low, total.high))
        return _Column(low, high)
    return total


def _bound(kind: str, raw: Any, prefix_length: int, *, is_upper: bool) -> Any:
    base = base_type(kind)
    if raw is None:
        return None
    if base == "string":
        return _text(raw, prefix_length, is_upper=is_upper)
    if base in ("byte", "short", "integer", "long"):
        return raw
    if base in ("float", "double"):
        return _fraction(raw, single=base == "float")
    if base == "date":
        return _day(raw)
    if base in ("timestamp", "timestamp_ntz"):
        return _moment(raw, "Z" if base == "timestamp" else "")
    if base == "decimal":
        return _decimal(raw, kind)
    return None


def _text(raw: bytes, length: int, *, is_upper: bool) -> str | None:
    try:
        text = raw.decode()
    except UnicodeDecodeError:  # Spark keeps any bytes in a string, JSON only text
        return None
    return upper_bound(text, length) if is_upper else lower_bound(text, length)


def _fraction(raw: float, *, single: bool) -> float | None:
    if not math.isfinite(raw):
        return None
    return float(str(np.float32(raw))) if single else raw


def _day(days: int) -> str | None:
    if not _FIRST_DAY <= days <= _LAST_DAY:
        return None
    return (_EPOCH + datetime.timedelta(days=days)).date().isoformat()


def _moment(microseconds: int, zone: str) -> str | None:
    if not _FIRST_DAY <= microseconds // _DAY_MICROSECONDS <= _LAST_DAY:
        return None
    moment = _EPOCH + datetime.timedelta(milliseconds=microseconds // 1000)
    return moment.isoformat(timespec="milliseconds") + zone


def _decimal(unscaled: int, kind: str) -> msgspec.Raw:
    scale = int(kind.partition(",")[2].rstrip(") ") or 0)
    digits = str(abs(unscaled)).rjust(scale + 1, "0")
    text = digits if scale == 0 else f"{digits[:-scale]}.{digits[-scale:]}"
    return msgspec.Raw(("-" if unscaled < 0 else "").encode() + text.encode())
