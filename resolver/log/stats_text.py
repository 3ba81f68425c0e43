"""Statistics kept as columns (`stats_parsed`) back to the JSON text they are in a commit."""

from __future__ import annotations

import base64
import datetime
import decimal
import json
from typing import Any, Self

import pyarrow as pa


def stats_text(parsed: pa.StructArray) -> pa.StringArray:
    """The JSON of every struct, absent statistics left out; null where the struct is null."""
    return pa.array([_encode(value) for value in parsed.to_pylist()], pa.string())


def _encode(value: dict[str, Any] | None) -> str | None:
    return None if value is None else json.dumps(_plain(value), separators=(",", ":"), ensure_ascii=False)


def _plain(value: Any) -> Any:
    if isinstance(value, dict):
        return {name: _plain(item) for name, item in value.items() if item is not None}
    if isinstance(value, datetime.datetime):
        return _timestamp(value)
    if isinstance(value, datetime.date):
        return value.isoformat()
    if isinstance(value, decimal.Decimal):
        return _Number(value)
    if isinstance(value, bytes):
        return base64.b64encode(value).decode()
    if isinstance(value, float) and (value != value or value in (float("inf"), float("-inf"))):
        return {float("inf"): "Infinity", float("-inf"): "-Infinity"}.get(value, "NaN")
    return value


def _timestamp(value: datetime.datetime) -> str:
    text = value.replace(tzinfo=None).isoformat(timespec="milliseconds")
    return text if value.tzinfo is None else text + "Z"


class _Number(float):
    """A decimal that `json` writes digit by digit, as a JSON number."""

    def __new__(cls, value: decimal.Decimal) -> Self:
        number = super().__new__(cls, value)
        number.text = format(value, "f")
        return number

    text: str

    def __repr__(self) -> str:
        return self.text
