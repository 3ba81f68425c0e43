"""A statistic or a partition value, as the log spells it, in the type of its column."""

from __future__ import annotations

import datetime
import decimal
import math
from typing import Any

import pyarrow as pa

from deltaresolver.model.facts.stored_text import read_stored

_UTC = datetime.UTC


def typed(values: pa.Array, wanted: pa.DataType) -> pa.Array:
    """The values in the wanted type; what does not read as one is null."""
    if pa.types.is_float32(wanted):
        return values.cast(wanted)
    try:
        return values.cast(wanted)
    except (pa.ArrowInvalid, pa.ArrowNotImplementedError):
        return pa.array([stored_as(wanted, value) for value in values.to_pylist()], wanted)


def stored_as(wanted: pa.DataType, value: Any) -> Any:
    """One value of a statistic or partition column as Python has it; None where it is not one of that type.

    A moment without a zone, in a column that has one, is taken as UTC.
    """
    try:
        return _stored(wanted, value)
    except (ValueError, ArithmeticError, TypeError):
        return None


def _stored(wanted: pa.DataType, value: Any) -> Any:
    if value is None:
        return None
    if pa.types.is_integer(wanted):
        return _whole(wanted, value)
    if pa.types.is_floating(wanted):
        return _fraction(value)
    if pa.types.is_decimal(wanted):
        exact: Any = read_stored("decimal", str(value))
        scaled = exact.quantize(decimal.Decimal(1).scaleb(-wanted.scale), context=_WIDE)
        return scaled if scaled == exact and scaled.adjusted() < wanted.precision - wanted.scale else None
    if pa.types.is_boolean(wanted):
        return read_stored("boolean", str(value))
    if not isinstance(value, str):
        return None
    if pa.types.is_string(wanted):
        return value
    if pa.types.is_binary(wanted):
        return value.encode()
    if pa.types.is_date(wanted):
        return read_stored("date", value)
    moment: Any = read_stored("timestamp", value)
    return _moment(moment, with_zone=wanted.tz is not None)


_WIDE = decimal.Context(prec=76)


def _whole(wanted: pa.DataType, value: Any) -> int | None:
    if isinstance(value, bool) or (isinstance(value, float) and not math.isfinite(value)):
        return None
    number: Any = read_stored("long", value) if isinstance(value, str) else int(value)
    limit = 1 << (wanted.bit_width - 1)
    return number if -limit <= number < limit and (isinstance(value, str) or number == value) else None


def _fraction(value: Any) -> Any:
    if isinstance(value, str):
        return read_stored("double", value)
    return None if isinstance(value, bool) else float(value)


def _moment(value: datetime.datetime, *, with_zone: bool) -> datetime.datetime | None:
    if with_zone:
        return value.replace(tzinfo=_UTC) if value.tzinfo is None else value.astimezone(_UTC)
    return value if value.tzinfo is None else None
