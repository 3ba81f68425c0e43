"""Values of rows in one form for all readers, so that they can be compared."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from datetime import UTC, date, datetime
from decimal import Decimal
from typing import Any

import pyarrow as pa

from deltaresolver.model.facts.arrow_types import arrow_leaf_type
from deltaresolver.model.facts.keys import PHYSICAL_NAME
from deltaresolver.model.schema import ArrayType, DataType, MapType, StructField, StructType, base_type

HELD = "held"
"""Stands for a value that cannot be compared, such as a VARIANT: only its existence is known."""

_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)


def same_form(value: Any, kind: DataType, *, physical: bool) -> Any:
    """A value of this Delta type as JSON; with `physical`, struct fields have the names used in data files."""
    if value is None:
        return None
    if isinstance(kind, StructType):
        return {
            field.name: same_form(
                value.get(stored_name(field) if physical else field.name), field.type, physical=physical
            )
            for field in kind.fields
        }
    if isinstance(kind, ArrayType):
        return [same_form(item, kind.element_type, physical=physical) for item in value]
    if isinstance(kind, MapType):
        pairs = value.items() if isinstance(value, Mapping) else value
        return sorted(
            (
                [same_form(key, kind.key_type, physical=physical), same_form(item, kind.value_type, physical=physical)]
                for key, item in pairs
            ),
            key=json.dumps,
        )
    return _LEAVES.get(base_type(str(kind)), _held)(value, str(kind))


def stored_name(field: StructField) -> str:
    """The name of a field in data files."""
    return str((field.metadata or {}).get(PHYSICAL_NAME, field.name))


def _held(_value: Any, _kind: str) -> Any:
    return HELD


def _whole(value: Any, _kind: str) -> Any:
    return int(value)


def _decimal(value: Any, kind: str) -> Any:
    scale = int(kind.rstrip(")").rpartition(",")[2]) if "," in kind else 0
    return str(Decimal(value).quantize(Decimal(1).scaleb(-scale)))


def _date(value: Any, _kind: str) -> Any:
    return (value.date() if isinstance(value, datetime) else value).isoformat()


def _moment(value: Any, _kind: str) -> Any:
    if not isinstance(value, datetime):
        value = datetime(value.year, value.month, value.day, tzinfo=UTC)
    moment = value if value.tzinfo is not None else value.replace(tzinfo=UTC)
    return (moment - _EPOCH) // datetime.resolution


_LEAVES: dict[str, Callable[[Any, str], Any]] = {
    **dict.fromkeys(("byte", "short", "integer", "long"), _whole),
    **dict.fromkeys(("float", "double"), lambda value, _kind: repr(float(value))),
    **dict.fromkeys(("string", "char", "varchar"), lambda value, _kind: str(value)),
    **dict.fromkeys(("timestamp", "timestamp_ntz"), _moment),
    "boolean": lambda value, _kind: bool(value),
    "binary": lambda value, _kind: bytes(value).hex(),
    "decimal": _decimal,
    "date": _date,
}


def is_comparable(kind: DataType) -> bool:
    """Whether values of this type can be compared here."""
    if isinstance(kind, StructType):
        return all(is_comparable(field.type) for field in kind.fields)
    if isinstance(kind, ArrayType):
        return is_comparable(kind.element_type)
    if isinstance(kind, MapType):
        return is_comparable(kind.key_type) and is_comparable(kind.value_type)
    return isinstance(kind, str) and base_type(kind) in _LEAVES


def can_be_given(value: Any, kind: DataType) -> bool:
    """Whether a client can be given this value: one that is comparable, or a VARIANT that is not shredded."""
    if kind == "variant":
        return value is None or (isinstance(value, dict) and set(value) == {"metadata", "value"})
    return is_comparable(kind)


def from_partition(text: str | None, kind: str) -> Any:
    """A partition value, converted to the type of its column."""
    if text is None or (text == "" and kind != "string"):
        return None
    name = base_type(kind)
    if name in ("byte", "short", "integer", "long"):
        return int(text)
    if name in ("timestamp", "timestamp_ntz"):
        return datetime.fromisoformat(text)
    readers: dict[str, Callable[[str], Any]] = {
        "float": float,
        "double": float,
        "decimal": Decimal,
        "date": date.fromisoformat,
        "boolean": lambda one: one.lower() == "true",
        "binary": lambda one: one.encode(),
    }
    return readers.get(name, str)(text)


_VARIANT = pa.struct([pa.field("metadata", pa.binary(), False), pa.field("value", pa.binary(), False)])


def arrow_type(kind: DataType) -> pa.DataType:
    """The Arrow type in which a client gets a column whose values are comparable."""
    if isinstance(kind, StructType):
        return pa.struct([pa.field(field.name, arrow_type(field.type), field.nullable) for field in kind.fields])
    if isinstance(kind, ArrayType):
        return pa.list_(pa.field("element", arrow_type(kind.element_type), kind.contains_null))
    if isinstance(kind, MapType):
        return pa.map_(
            arrow_type(kind.key_type), pa.field("value", arrow_type(kind.value_type), kind.value_contains_null)
        )
    if kind == "variant":
        return _VARIANT
    # Values that Arrow has no type for are given as text.
    return arrow_leaf_type(str(kind)) or pa.string()
