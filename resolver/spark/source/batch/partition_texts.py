"""Partition values as the log and folder names write them."""

from __future__ import annotations

import datetime
import decimal
from typing import Any

import numpy as np
import pyarrow as pa

from deltaresolver.errors import WriteJobFailedError
from deltaresolver.log.names import NULL_FOLDER

_ESCAPED = frozenset("\"#%'*/:=?\\\x7f{}[]^") | {chr(code) for code in range(32)}
# Beyond these, Java writes an exponent.
_SMALLEST_PLAIN, _LARGEST_PLAIN = 1e-3, 1e7


def partition_text(scalar: pa.Scalar) -> str | None:
    """A value as the log writes it: null for null, for the empty string and for no bytes.

    Raises `WriteJobFailedError` for bytes that are not valid UTF-8: the log could not give them back.
    """
    value: Any = scalar.as_py()
    if value is None or len(value) == 0 if isinstance(value, str | bytes) else value is None:
        return None
    if isinstance(value, float):
        return _fraction_text(np.float32(value) if pa.types.is_float32(scalar.type) else np.float64(value))
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, datetime.datetime):
        if value.tzinfo is None:
            text = value.isoformat(sep=" ")
            # As Spark writes it, which leaves out what is nought at the end.
            return text.rstrip("0") if "." in text else text
        return value.astimezone(datetime.UTC).replace(tzinfo=None).isoformat(timespec="microseconds") + "Z"
    if isinstance(value, decimal.Decimal):
        return f"{value:f}"
    return _decoded(value) if isinstance(value, bytes) else str(value)


def _fraction_text(value: np.floating[Any]) -> str:
    """A float or double as Java writes it."""
    if np.isnan(value):
        return "NaN"
    if np.isinf(value):
        return "Infinity" if value > 0 else "-Infinity"
    if value == 0 or _SMALLEST_PLAIN <= abs(value) < _LARGEST_PLAIN:
        return np.format_float_positional(value, unique=True, trim="0")
    digits, _, exponent = np.format_float_scientific(value, unique=True, trim="0").partition("e")
    return f"{digits}E{int(exponent)}"


def _decoded(value: bytes) -> str:
    try:
        return value.decode("utf-8")
    except UnicodeDecodeError:
        raise WriteJobFailedError(
            f"A row's partition value is the bytes {value.hex()}, which are not text, and the log holds only text.",
            fix="Partition by another column, or by hex of this one; the table is unchanged.",
            details={"value": value.hex()},
        ) from None


def folder_name(column: str, text: str | None) -> str:
    """The folder of one partition value, special characters escaped as Hive does."""
    return f"{_escaped(column)}={NULL_FOLDER if text is None else _escaped(text)}"


def _escaped(text: str) -> str:
    return "".join(f"%{ord(each):02X}" if each in _ESCAPED else each for each in text)
