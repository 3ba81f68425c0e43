"""Arrow values of two types brought together as Spark does it, in sessions with and without ANSI alike."""

from __future__ import annotations

import datetime
import decimal
from collections.abc import Sequence
from typing import Any

import pyarrow as pa

from deltaresolver.expressions.compare import UNKNOWABLE, Single, cast_text, text_beside
from deltaresolver.expressions.values.casts import as_text

Value = Any
"""An Arrow array or scalar."""
_EXACT_AS_SINGLE = 1 << 24
_WIDTHS = {8: "byte", 16: "short", 32: "integer", 64: "long"}


class NotAlike(ValueError):  # noqa: N818 - a reason, which becomes the error of the one who asked
    """Why two values cannot be brought together: a sentence."""


def alike(left: Value, right: Value) -> tuple[Value, Value]:
    """The two as they are compared. Raises `NotAlike`."""
    if pa.types.is_null(left.type):
        left = left.cast(right.type)
    if pa.types.is_null(right.type):
        right = right.cast(left.type)
    if pa.types.is_string(left.type) is not pa.types.is_string(right.type):
        return (*reversed(_with_text(right, left)),) if pa.types.is_string(left.type) else _with_text(left, right)
    if pa.types.is_floating(left.type) or pa.types.is_floating(right.type):
        return _as_fraction(left, right.type), _as_fraction(right, left.type)
    return left, right


def _with_text(value: Value, text: Value) -> tuple[Value, Value]:
    if not isinstance(text, pa.Scalar):
        raise NotAlike("A column of texts is compared with another type.")
    if pa.types.is_decimal(value.type):
        raise NotAlike("A text is compared with a decimal.")
    kind = value.type
    if text.as_py() is None:
        return value, pa.scalar(None, kind)
    whole = _WIDTHS[kind.bit_width] if pa.types.is_integer(kind) else ""
    found = text_beside(text.as_py(), _example(kind), whole)
    if found is UNKNOWABLE:
        raise NotAlike(f"The text {text.as_py()!r} is compared with another type.")
    return value, pa.scalar(found, kind)


def read_as(text: Value, kind: pa.DataType) -> Value:
    """A text cast to the type. Raises `NotAlike`."""
    if not isinstance(text, pa.StringScalar):
        raise NotAlike("Only texts are cast to this type.")
    if text.as_py() is None:
        return pa.scalar(None, kind)
    found = cast_text(text.as_py(), _example(kind))
    if found is UNKNOWABLE:
        raise NotAlike(f"The text {text.as_py()!r} is cast.")
    return pa.scalar(found, kind)


def _example(kind: pa.DataType) -> Any:
    """Some value of the type, as texts are read beside it."""
    if pa.types.is_boolean(kind):
        return True
    if pa.types.is_integer(kind):
        return 0
    if pa.types.is_floating(kind):
        return Single() if pa.types.is_float32(kind) else 0.0
    if pa.types.is_date(kind):
        return datetime.date.min
    if pa.types.is_timestamp(kind):
        return datetime.datetime.min.replace(tzinfo=datetime.UTC if kind.tz else None)
    raise NotAlike("A text stands beside another type.")


def _as_fraction(value: Value, other: pa.DataType) -> Value:
    """A number as a binary fraction of 64 bits."""
    if pa.types.is_floating(value.type):
        return value.cast(pa.float64())
    scalar = value.as_py() if isinstance(value, pa.Scalar) else None
    if isinstance(scalar, (int, decimal.Decimal)) and not isinstance(scalar, bool):
        if pa.types.is_float32(other) and type(scalar) is int and abs(scalar) > _EXACT_AS_SINGLE:
            raise NotAlike("A FLOAT is compared with a whole number.")
        return pa.scalar(float(scalar))
    if pa.types.is_integer(value.type) and (not pa.types.is_float32(other) or value.type.bit_width <= 16):
        return value.cast(pa.float64(), safe=False)
    raise NotAlike("Numbers of two types are compared.")


def alike_in_list(values: Sequence[Value]) -> Sequence[Value]:
    """A value and a list that it is looked for in. Raises `NotAlike`.

    A session without ANSI compares all as texts as soon as one is a text; that comes to the same for texts that are
    written as Spark writes the value.
    """
    known = [value for value in values if not pa.types.is_null(value.type)]
    texts = [value for value in known if pa.types.is_string(value.type)]
    if not texts or len(texts) == len(known):
        return values
    kind = values[0].type
    if any(value.type != kind for value in known if not pa.types.is_string(value.type)) or pa.types.is_string(kind):
        raise NotAlike("Texts stand in a list with other types.")
    return [_spelt_as(value, kind) if pa.types.is_string(value.type) else value for value in values]


def _spelt_as(text: Value, kind: pa.DataType) -> Value:
    _, found = _with_text(pa.scalar(None, kind), text)
    if pa.types.is_floating(kind) or (found.is_valid and as_text(found.as_py()) != text.as_py()):
        raise NotAlike(f"The text {text.as_py()!r} stands in a list with another type.")
    return found


def same_type(values: Sequence[Value]) -> Sequence[Value]:
    """Values of one type, nulls among them in it too. Raises `NotAlike`."""
    kinds = {value.type for value in values if not pa.types.is_null(value.type)}
    if len(kinds) > 1 and not all(pa.types.is_integer(kind) for kind in kinds):
        raise NotAlike("Values of several types are chosen from.")
    return values
