"""Rules of Iceberg readers for single columns: how types may be widened, and how defaults are written."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from datetime import date, datetime
from decimal import Decimal, InvalidOperation
from typing import Any

from deltaresolver.features.behaviour.column_ids import NESTED_IDS, highest_id
from deltaresolver.model.facts.keys import COLUMN_DEFAULT, COLUMN_ID, MAX_COLUMN_ID, PHYSICAL_NAME, TYPE_CHANGES
from deltaresolver.model.facts.leaf_types import decimal_digits, widens
from deltaresolver.model.facts.nested_types import parts
from deltaresolver.model.metadata import Metadata
from deltaresolver.model.schema import (
    DataType,
    FieldPath,
    StructField,
    StructType,
    base_type,
    walk_fields,
    with_field_metadata,
)


def changes_iceberg_cannot_follow(schema: StructType) -> Iterator[tuple[FieldPath, str, str]]:
    """Type changes in the schema that Delta allows and Iceberg does not: column, type before, type after."""
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
    """The first column with a default for new rows that is not a constant of its type; None without one."""
    for field in schema.fields:
        default = (field.metadata or {}).get(COLUMN_DEFAULT)
        if default is not None and not is_literal(str(default), field):
            return field
    return None


def is_literal(text: str, field: StructField) -> bool:
    """Whether the text is a constant of the column's type; Iceberg allows no other defaults."""
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
    # delta-spark reads every text as a boolean: anything but true is false.
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


def with_nested_ids(metadata: Metadata) -> Metadata:
    """The metadata with an id for each element, key and value, stored at the nearest field that has an id itself."""
    noted = metadata.configuration.get(MAX_COLUMN_ID, "0")
    last = max(highest_id(metadata.schema), int(noted) if noted.isdecimal() else 0)

    def assign(_: FieldPath, field: StructField) -> Mapping[str, Any]:
        nonlocal last
        own = field.metadata or {}
        if COLUMN_ID not in own or PHYSICAL_NAME not in own:
            return own
        known = own.get(NESTED_IDS)
        ids = dict(known) if isinstance(known, Mapping) else {}
        for place in _places(field.type, str(own[PHYSICAL_NAME])):
            if place not in ids:
                last += 1
                ids[place] = last
        return {**own, NESTED_IDS: ids}

    schema = with_field_metadata(metadata.schema, assign)
    if schema == metadata.schema:
        return metadata
    return metadata.with_schema(schema).with_configuration({**metadata.configuration, MAX_COLUMN_ID: str(last)})


def _places(data_type: DataType, path: str) -> Iterator[str]:
    """The path of every element, key and value down to the next struct."""
    for name, part in () if isinstance(data_type, StructType) else parts(data_type):
        yield f"{path}.{name}"
        yield from _places(part, f"{path}.{name}")
