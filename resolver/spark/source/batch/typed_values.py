"""Partition values of the log, which are text, as values of their columns' types."""

from __future__ import annotations

import datetime
import decimal
from collections.abc import Callable, Mapping
from typing import Any

import pyarrow as pa

from deltaresolver.model.schema import DataType, base_type
from deltaresolver.spark.reading.read_options import find_zone

_FRACTIONS = {"infinity": "inf", "-infinity": "-inf"}


def constant_array(text: str | None, kind: DataType, target: pa.DataType, rows: int, zone: str) -> pa.Array:
    """A column that holds one partition value. Text that is no such value is null, as Delta has it."""
    value = None if text is None or text == "" else _value(text, kind, zone)
    try:
        scalar = pa.scalar(value, target)
    except (pa.ArrowException, OverflowError, ValueError):
        scalar = pa.scalar(None, target)
    return pa.repeat(scalar, rows)


def _value(text: str, kind: DataType, zone: str) -> Any:
    read = _READERS.get(base_type(kind)) if isinstance(kind, str) else None
    try:
        if base_type(kind) == "timestamp" if isinstance(kind, str) else False:
            return _moment(text, zone)
        return text if read is None else read(text)
    except (ValueError, ArithmeticError):
        return None


def _moment(text: str, zone: str) -> datetime.datetime:
    found = datetime.datetime.fromisoformat(text.strip())
    return found if found.tzinfo is not None else found.replace(tzinfo=find_zone(zone))


def _boolean(text: str) -> bool:
    known = {"true": True, "t": True, "y": True, "yes": True, "1": True}
    known |= {"false": False, "f": False, "n": False, "no": False, "0": False}
    if text.strip().lower() not in known:
        raise ValueError(text)
    return known[text.strip().lower()]


_READERS: Mapping[str, Callable[[str], Any]] = {
    "byte": int,
    "short": int,
    "integer": int,
    "long": int,
    "float": lambda text: float(_FRACTIONS.get(text.lower(), text)),
    "double": lambda text: float(_FRACTIONS.get(text.lower(), text)),
    "decimal": decimal.Decimal,
    "boolean": _boolean,
    "date": datetime.date.fromisoformat,
    "timestamp_ntz": datetime.datetime.fromisoformat,
    "binary": str.encode,
}
