"""The digest of a table's rows that recorded corpora use: the same for every engine that reads the same rows.

Each row is a JSON object with sorted keys; the rows are sorted as bytes and hashed together. A corpus's README
defines how a value is written.
"""

from __future__ import annotations

import base64
import datetime
import hashlib
import json
from collections.abc import Iterator
from typing import Any

import pyarrow as pa

from deltaresolver.model.schema import ArrayType, DataType, MapType, StructField, StructType, base_type, quote_path

_DAY = 86_400_000_000
_EPOCH_DAY = datetime.date(1970, 1, 1).toordinal()


def variant_as_text(column: str, kind: DataType) -> str | None:
    """SQL for `column` with every variant in it as JSON text; None if the type has no variant."""
    if isinstance(kind, str):
        return f"to_json({column})" if kind == "variant" else None
    if isinstance(kind, ArrayType):
        inner = variant_as_text("x", kind.element_type)
        return None if inner is None else f"transform({column}, x -> {inner})"
    if isinstance(kind, MapType):
        inner = variant_as_text("v", kind.value_type)
        return None if inner is None else f"transform_values({column}, (k, v) -> {inner})"
    if isinstance(kind, StructType):
        parts = {
            field.name: variant_as_text(f"{column}.{quote_path((field.name,))}", field.type) for field in kind.fields
        }
        if not any(parts.values()):
            return None
        named = ", ".join(f"'{name}', {text or f'{column}.{quote_path((name,))}'}" for name, text in parts.items())
        return f"if({column} is null, null, named_struct({named}))"
    return None


def digest(table: pa.Table, schema: StructType) -> str:
    """The digest of rows whose variants are JSON text already."""
    columns = [(field, _plain(table.column(field.name))) for field in schema.fields]
    lines = sorted(_line(row) for row in _rows(columns, len(table)))
    return hashlib.sha256(b"".join(line + b"\n" for line in lines)).hexdigest()


def _rows(columns: list[tuple[StructField, list[Any]]], count: int) -> Iterator[dict[str, Any]]:
    for place in range(count):
        yield {field.name: _value(values[place], field.type) for field, values in columns}


def _line(row: dict[str, Any]) -> bytes:
    return _json(row).encode("utf-8", "surrogatepass")


def _json(value: Any) -> str:
    return json.dumps(value, sort_keys=True, separators=(",", ":"), ensure_ascii=False)


def _plain(column: pa.ChunkedArray) -> list[Any]:
    """Python values, with timestamps as numbers: tables may have years that Python's calendar has not."""
    values: list[Any] = column.cast(_numbers(column.type)).to_pylist()
    return values


def _numbers(kind: pa.DataType) -> pa.DataType:
    if pa.types.is_timestamp(kind):
        return pa.int64()
    if pa.types.is_date32(kind):
        return pa.int32()
    if pa.types.is_list(kind):
        return pa.list_(kind.value_field.with_type(_numbers(kind.value_type)))
    if pa.types.is_map(kind):
        return pa.map_(_numbers(kind.key_type), kind.item_field.with_type(_numbers(kind.item_type)))
    if pa.types.is_struct(kind):
        return pa.struct([each.with_type(_numbers(each.type)) for each in kind])
    return kind


def _value(value: Any, kind: DataType) -> Any:
    if value is None:
        return None
    if isinstance(kind, StructType):
        return {field.name: _value(value[field.name], field.type) for field in kind.fields}
    if isinstance(kind, ArrayType):
        return [_value(each, kind.element_type) for each in value]
    if isinstance(kind, MapType):
        pairs = [[_value(key, kind.key_type), _value(item, kind.value_type)] for key, item in value]
        return sorted(pairs, key=_json)
    return _leaf(value, base_type(str(kind)))


def _leaf(value: Any, kind: str) -> Any:
    if kind in ("float", "double"):
        return _float(value)
    if kind == "decimal":
        return format(value, "f")
    if kind == "binary":
        return base64.b64encode(value).decode()
    if kind == "date":
        return _date(value)
    if kind.startswith("timestamp"):
        return _moment(value) + ("" if kind == "timestamp_ntz" else "Z")
    if kind == "variant":
        return {"variant": json.loads(value, parse_float=lambda text: _float(float(text)))}
    return value


def _float(value: float) -> str:
    if value != value:
        return "NaN"
    if value in (float("inf"), float("-inf")):
        return "Infinity" if value > 0 else "-Infinity"
    return repr(float(value))


def _date(days: int) -> str:
    return datetime.date.fromordinal(days + _EPOCH_DAY).isoformat()


def _moment(microseconds: int) -> str:
    days, rest = divmod(microseconds, _DAY)
    seconds, fraction = divmod(rest, 1_000_000)
    return f"{_date(days)}T{seconds // 3600:02}:{seconds // 60 % 60:02}:{seconds % 60:02}.{fraction:06}"
