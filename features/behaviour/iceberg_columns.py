"""What an Iceberg reader asks of single columns: how their types were widened, and how defaults are written."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from datetime import date, datetime
from decimal import Decimal, InvalidOperation

from deltaresolver.model.facts.keys import COLUMN_DEFAULT, TYPE_CHANGES
from deltaresolver.model.facts.leaf_types import decimal_digits, widens
from deltaresolver.model.schema import FieldPath, StructField, StructType, base_type, walk_fields


def changes_iceberg_cannot_follow(schema: StructType) -> Iterator[tuple[FieldPath, str, str]]:
    """Type changes noted in the schema that Delta knows and Iceberg does not: column, type before, type after."""
    for path, field in walk_fields(schema):
        changes = (field.metadata or {}).get(TYPE_CHANGES)
        for change in changes if isinstance(changes, list) else ():
            if isinstance(change, Mapping):
                before, after = str(change.get("fromType")), str(change.get("toType"))
                if _is_widening_for_delta_alone(before, after):
                    yield path, before, after


def _is_widening_for_delta_alone(before: str, after: str) -> bool:
    if not widens(before, after):
        return False
    old, new = decimal_digits(before), decimal_digits(after)
    if new is not None:
        return old is None or old[1] != new[1]
    return after == "timestamp_ntz" or (after == "double" and before != "float")


def first_default_that_is_no_literal(schema: StructType) -> StructField | None:
    """The first column whose default for new rows is more than a constant of its type."""
    for field in schema.fields:
        default = (field.metadata or {}).get(COLUMN_DEFAULT)
        if default is not None and not is_literal(str(default), field):
            return field
    return None


def is_literal(text: str, field: StructField) -> bool:
    """Whether the text is a constant of the column's type, as Iceberg keeps defaults."""
    if not isinstance(field.type, str):
        return False
    read = _READERS.get(base_type(field.type))
    if read is None:
        return False
    try:
        read(text)
    except (ValueError, InvalidOperation):
        return False
    return True


def _unquoted(text: str) -> str:
    if len(text) > 1 and text[0] == text[-1] and text[0] in "'\"":
        return text[1:-1]
    raise ValueError(text)


def _whole(text: str) -> int:
    if not re.fullmatch(r"[+-]?\d+", text):
        raise ValueError(text)
    return int(text)


def _long(text: str) -> int:
    return _whole(text[:-1] if text[-1:] in "lL" else text)


def _binary(text: str) -> object:
    return bytes.fromhex(_unquoted(text[1:])) if text[:1] in "xX" else text


def _boolean(text: str) -> str:
    # Any text reads as a boolean where delta-spark looks: what is not true is false.
    return text


_READERS: Mapping[str, Callable[[str], object]] = {
    "string": _unquoted,
    "long": _long,
    "integer": _whole,
    "short": _whole,
    "byte": _whole,
    "float": float,
    "double": float,
    "decimal": Decimal,
    "boolean": _boolean,
    "binary": _binary,
    "date": lambda text: date.fromisoformat(_unquoted(text)),
    "timestamp": lambda text: datetime.fromisoformat(_unquoted(text)),
    "timestamp_ntz": lambda text: datetime.fromisoformat(_unquoted(text)),
}
