"""Ids for elements of arrays and sides of maps, which Iceberg readers want and columns alone do not have."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from deltaresolver.features.behaviour.column_ids import NESTED_IDS, highest_id
from deltaresolver.model.facts.keys import COLUMN_ID, MAX_COLUMN_ID, PHYSICAL_NAME
from deltaresolver.model.facts.nested_types import parts
from deltaresolver.model.metadata import Metadata
from deltaresolver.model.schema import (
    DataType,
    FieldPath,
    StructField,
    StructType,
    with_field_metadata,
)


def with_nested_ids(metadata: Metadata) -> Metadata:
    """The metadata with an id for each element, key and value, noted at the nearest field that has an id itself."""
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
    """Every element, key and value down to the next struct, under its path."""
    for name, part in () if isinstance(data_type, StructType) else parts(data_type):
        yield f"{path}.{name}"
        yield from _places(part, f"{path}.{name}")
