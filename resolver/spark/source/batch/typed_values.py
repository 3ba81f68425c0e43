"""Partition values of the log, which are text, as values of their columns' types."""

from __future__ import annotations

import datetime
from typing import Any

import pyarrow as pa

from deltaresolver.model.facts.stored_text import read_stored
from deltaresolver.model.schema import DataType
from deltaresolver.spark.reading.read_options import find_zone


def constant_array(text: str | None, kind: DataType, target: pa.DataType, rows: int, zone: str) -> pa.Array:
    """A column that holds one partition value. Text that cannot be read as one is null, as in Delta."""
    value = None if text is None or text == "" else _value(text, kind, zone)
    try:
        scalar = pa.scalar(value, target)
    except (pa.ArrowException, OverflowError, ValueError):
        scalar = pa.scalar(None, target)
    return pa.repeat(scalar, rows)


def _value(text: str, kind: DataType, zone: str) -> Any:
    if not isinstance(kind, str):
        return text
    try:
        found = read_stored(kind, text)
    except ValueError:
        return None
    if kind == "timestamp" and isinstance(found, datetime.datetime) and found.tzinfo is None:
        return found.replace(tzinfo=find_zone(zone))
    return found
