"""Odd metadata, unlike that of real tables, at the places that a trigger reads."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from deltaresolver.model import Metadata
from deltaresolver.model.rules import Hints
from deltaresolver.model.schema import ArrayType, DataType, MapType, StructField, StructType, encode_schema

ODD_VALUES = ("", " ", "TRUE", "True", " true", "yes", "1", "0", "null", "{}", "[]", '{"a":', "Ünïcödé", "x" * 2000)
ODD_FIELD_VALUES: tuple[Any, ...] = (None, "", "text", 0, -1, True, 1.5, [], [1], {}, {"deep": {"deeper": None}})
ODD_NAMES = ("", " ", "a.b", "`", "element", "key", "value", "Ünïcödé", '"quoted"', "back\\slash")
DEPTH = 10


def odd_metadata(hints: Hints) -> Iterator[Metadata]:
    """Empty and damaged tables, and odd properties and columns at each place the hints name."""
    yield Metadata()
    yield Metadata(schema_string="")
    yield Metadata(schema_string="not a schema")
    yield Metadata(schema_string=encode_schema(StructType()))
    yield from _odd_properties(hints)
    yield from _odd_schemas(hints)


def _odd_properties(hints: Hints) -> Iterator[Metadata]:
    for prefix in sorted(hints.property_prefixes):
        for rest in ("", ".", "name", "ÑAME"):
            yield Metadata(configuration={prefix + rest: "c0 > 0", (prefix + rest).upper(): ""})
    for key in sorted(hints.properties):
        yield Metadata(configuration={key.upper(): "true", key.lower(): "true", key + " ": "true"})
        for value in ODD_VALUES:
            yield Metadata(configuration={key: value})


def _odd_schemas(hints: Hints) -> Iterator[Metadata]:
    markers = sorted(hints.schema_markers) or ["acme.unknown"]
    yield _table(*(StructField(name, "string") for name in ODD_NAMES))
    for marker in markers:
        for leaf in (marker, f"{marker}(1,2)", marker.upper()):
            yield _table(StructField("c", leaf), StructField("deep", _nested(leaf), nullable=False))
        for value in ODD_FIELD_VALUES:
            field = StructField("c", "integer", metadata={marker: value})
            yield _table(field, StructField("deep", _nested(StructType((field,))), nullable=False))


def _nested(inside: DataType) -> DataType:
    """`inside` below many structs, arrays and maps in turn."""
    for level in range(DEPTH):
        match level % 3:
            case 0:
                inside = StructType((StructField(f"level{level}", inside, nullable=False),))
            case 1:
                inside = ArrayType(inside)
            case _:
                inside = MapType("string", inside)
    return inside


def _table(*fields: StructField) -> Metadata:
    return Metadata(schema_string=encode_schema(StructType(fields)))
