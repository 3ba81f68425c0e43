"""Random Delta schemas: the types and the field metadata that switch table features on, and what resembles them."""

import json
from collections.abc import Callable
from random import Random
from typing import Any

from tests import nasty

Json = dict[str, Any]

PLAIN_TYPES = (
    "string", "long", "integer", "short", "byte", "float", "double", "boolean", "binary", "date", "timestamp",
    "decimal(10,2)", "decimal(38,18)", "interval year to month", "interval day to second",
)  # fmt: skip
MARKING_TYPES = ("timestamp_ntz", "timestamp_ntz", "variant", "variant", "string collate UNICODE_CI", "char(3)",
                 "varchar(3)", "void", "time(6)")  # fmt: skip
GEO_TYPES = ("geometry(OGC:CRS84)", "geometry(EPSG:4326)", "geography(OGC:CRS84, SPHERICAL)")
REFUSED_TYPES = ("geometry(any)", "geography(any, SPHERICAL)", "uuid", "decimal(50,2)")
MALFORMED_INVARIANTS = (
    "",
    "null",
    "{}",
    "[]",
    "c0 > 1",
    '{"expression": 1',
    '{"expression": null}',
    '{"rule": {"expression": "c0 > 1"}}',
)
DEEPEST = 6


class RandomSchema:
    """Makes one schema after another from a random generator.

    `oddity` is the chance of field metadata that delta-spark refuses; `geo` the chance that a schema has geo columns.
    """

    def __init__(self, random: Random, *, oddity: float = 0.03, geo: float = 0.03) -> None:
        self._random = random
        self._oddity = oddity
        self._geo = geo
        self._markers = 0.0
        self._geo_here = False
        self._column_id = 0

    def schema(self) -> Json:
        """A struct of one to six fields, nested up to six levels deep."""
        self._markers = self._random.choice((0.0, 0.05, 0.3))
        self._geo_here = self._random.random() < self._geo
        self._column_id = 0
        return self._struct(self._random.choice((1, 1, 2, 3, 4, 6)), depth=self._random.choice((1, 2, 2, 3, DEEPEST)))

    def _struct(self, width: int, depth: int) -> Json:
        return {"type": "struct", "fields": [self._field(f"c{position}", depth) for position in range(width)]}

    def _field(self, name: str, depth: int) -> Json:
        if self._random.random() < self._markers / 4:
            odd = self._random.choice((*nasty.COLUMN_NAMES, *nasty.MAPPED_ONLY_NAMES, *nasty.INTERNAL_NAMES))
            name = self._random.choice((name.upper(), f"{name} with space", f"{name}.dotted", f"{name}é", odd))
        nullable = self._random.random() >= max(self._markers, 0.02)
        data_type = self._type(depth)
        metadata = self._field_metadata(name, data_type)
        return {"name": name, "type": data_type, "nullable": nullable, "metadata": metadata}

    def _type(self, depth: int) -> str | Json:
        random = self._random
        if depth > 1 and random.random() < 0.45:
            return self._nested(depth - 1)
        if self._geo_here and random.random() < 0.4:
            return random.choice(REFUSED_TYPES if random.random() < self._oddity * 2 else GEO_TYPES)
        if random.random() < self._markers / 2:
            return random.choice(MARKING_TYPES)
        return random.choice(PLAIN_TYPES)

    def _nested(self, depth: int) -> Json:
        random = self._random
        kind = random.choice(("struct", "struct", "array", "map"))
        if kind == "struct":
            return self._struct(random.choice((1, 1, 2, 3)), depth)
        if kind == "array":
            return {"type": "array", "elementType": self._type(depth), "containsNull": random.random() < 0.7}
        key = self._type(depth) if random.random() < 0.3 else random.choice((*PLAIN_TYPES, *MARKING_TYPES))
        return {
            "type": "map",
            "keyType": key,
            "valueType": self._type(depth),
            "valueContainsNull": random.random() < 0.7,
        }

    def _field_metadata(self, name: str, data_type: str | Json) -> Json:
        if self._random.random() >= max(self._markers, 0.04):
            return {}
        makers: tuple[Callable[[str, str | Json], Json], ...] = (
            self._identity, self._generated, self._default, self._invariant, self._mapped, self._type_changes,
            self._collated, self._decoration,
        )  # fmt: skip
        metadata: Json = {}
        for make in self._random.sample(makers, self._random.choice((1, 1, 2))):
            metadata |= make(name, data_type)
        return metadata

    def _identity(self, _: str, __: str | Json) -> Json:
        whole: Json = {
            "delta.identity.start": self._random.choice((1, 0, -7, 2**40)),
            "delta.identity.step": self._random.choice((1, 2, -1)),
            "delta.identity.allowExplicitInsert": self._random.random() < 0.5,
            "delta.identity.highWaterMark": 10,
        }
        if self._random.random() < 0.5:
            return {key: value for key, value in whole.items() if key != "delta.identity.highWaterMark"}
        return {key: whole[key] for key in self._random.sample(sorted(whole), self._random.choice((1, 2, 3, 4)))}

    def _generated(self, _: str, __: str | Json) -> Json:
        return {"delta.generationExpression": self._random.choice(("CAST(c0 AS STRING)", "c0 + 1", "1", "year(c0)"))}

    def _default(self, _: str, __: str | Json) -> Json:
        both = {"CURRENT_DEFAULT": "1", "EXISTS_DEFAULT": "1"}
        return both if self._random.random() < 0.7 else {"CURRENT_DEFAULT": "1"}

    def _invariant(self, name: str, _: str | Json) -> Json:
        if self._random.random() < self._oddity * 4:
            return {"delta.invariants": self._random.choice(MALFORMED_INVARIANTS)}
        rule = self._random.choice((f"`{name}` IS NOT NULL", f"`{name}` > 1", "true"))
        return {"delta.invariants": json.dumps({"expression": {"expression": rule}})}

    def _mapped(self, _: str, __: str | Json) -> Json:
        self._column_id += 1
        both = {"delta.columnMapping.id": self._column_id, "delta.columnMapping.physicalName": f"col-{self._column_id}"}
        return dict(self._random.sample(sorted(both.items()), self._random.choice((1, 2, 2, 2))))

    def _type_changes(self, _: str, __: str | Json) -> Json:
        change: Json = {"fromType": "integer", "toType": "long"}
        if self._random.random() < 0.3:
            change |= {"tableVersion": 3, "fieldPath": "element"}
        return {"delta.typeChanges": self._random.choice(([change], [change, change], []))}

    def _collated(self, name: str, data_type: str | Json) -> Json:
        # Spark refuses a schema with a collation on anything but a string or the strings inside an array or map.
        if data_type != "string" and self._random.random() >= self._oddity * 2:
            return {}
        return {"__COLLATIONS": {name: self._random.choice(("icu.UTF8_LCASE", "icu.UNICODE_CI", "spark.UTF8_LCASE"))}}

    def _decoration(self, _: str, __: str | Json) -> Json:
        return self._random.choice(
            (
                {"comment": "a remark"},
                {"__CHAR_VARCHAR_TYPE_STRING": "varchar(10)"},
                {"delta.Invariants": "spelt otherwise"},
                {"DELTA.GENERATIONEXPRESSION": "c0"},
                {"nested": {"delta.generationExpression": "c0"}},
            )
        )
