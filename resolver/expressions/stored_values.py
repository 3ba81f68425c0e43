"""Values as a column's type sees them: predicate values, partition strings and statistics."""

from __future__ import annotations

import datetime
import decimal
import math
from typing import Any

import numpy as np
import pyarrow as pa

from deltaresolver.expressions.stored_column import StoredColumn, kind_of
from deltaresolver.model.facts.arrow_types import arrow_leaf_type
from deltaresolver.model.facts.leaf_types import find_decimal
from deltaresolver.model.facts.stored_text import read_stored

WHOLE = frozenset({"byte", "short", "integer", "long"})
FRACTIONAL = frozenset({"float", "double"})
_UTC = datetime.timezone.utc  # noqa: UP017 - one spelling for 3.11 and later
_LONG = range(-(2**63), 2**63)


def arrow_type(column: StoredColumn) -> pa.DataType | None:
    """The type that bounds of the column are compared in; None where the column has no order we know."""
    kind = kind_of(column)
    if kind in WHOLE:
        return pa.int64()
    if kind in FRACTIONAL:
        return pa.float64()
    return None if kind == "binary" else arrow_leaf_type(column.type)


def literal_for(column: StoredColumn, value: Any) -> Any:
    """The predicate's value in the column's type, or None where it is not known exactly how the two compare."""
    kind = kind_of(column)
    if kind in WHOLE or kind == "decimal":
        return _exact_number(value)
    if kind in FRACTIONAL:
        return _fraction(value)
    if kind == "string":
        return value if isinstance(value, str) else None
    if kind == "boolean":
        return value if isinstance(value, bool) else None
    if kind == "date":
        return value if isinstance(value, datetime.date) and not isinstance(value, datetime.datetime) else None
    if kind in ("timestamp", "timestamp_ntz") and isinstance(value, datetime.datetime):
        return _moment(value, with_zone=kind == "timestamp")
    return None


def stored_value(column: StoredColumn, value: Any) -> Any:
    """A partition string or a statistic as a Python value of the column's type; None where it is not one."""
    try:
        return _stored(kind_of(column), column, value)
    except (ValueError, ArithmeticError, TypeError):
        return None


def _stored(kind: str, column: StoredColumn, value: Any) -> Any:
    if kind in WHOLE:
        if isinstance(value, str):
            return read_stored(kind, value)
        return value if isinstance(value, int) and not isinstance(value, bool) and value in _LONG else None
    if kind in FRACTIONAL:
        fraction: Any = read_stored(kind, value) if isinstance(value, str) else float(value)
        if math.isnan(fraction):
            return None
        return float(np.float32(fraction)) if kind == "float" else fraction
    if kind == "decimal":
        exact: Any = read_stored(kind, str(value))
        shape = find_decimal(column.type)
        scaled = exact if shape is None else exact.quantize(decimal.Decimal(1).scaleb(-shape[1]))
        fits = shape is not None and scaled == exact and scaled.adjusted() < shape[0] - shape[1]
        return scaled if fits else None
    if kind == "boolean":
        return read_stored(kind, str(value))
    if not isinstance(value, str):
        return None
    if kind not in ("string", "date", "timestamp", "timestamp_ntz"):
        return None
    found: Any = read_stored(kind, value)
    return _moment(found, with_zone=kind == "timestamp") if isinstance(found, datetime.datetime) else found


def _moment(value: datetime.datetime, *, with_zone: bool) -> datetime.datetime | None:
    """The moment if its zone is known where the type has one, and absent where it has none."""
    if (value.tzinfo is None) == with_zone:
        return None
    return value.astimezone(_UTC) if with_zone else value


def _exact_number(value: Any) -> int | decimal.Decimal | None:
    if isinstance(value, bool):
        return None
    if isinstance(value, float):
        return decimal.Decimal(value) if math.isfinite(value) else None
    if isinstance(value, decimal.Decimal):
        return value if value.is_finite() else None
    return value if isinstance(value, int) else None


def _fraction(value: Any) -> float | None:
    if isinstance(value, bool) or not isinstance(value, (int, float, decimal.Decimal)):
        return None
    try:
        number = float(value)
    except OverflowError:
        return None
    return number if math.isfinite(number) and number == value else None
