"""Types beyond the plain ones: structs, arrays, bytes and texts of a declared length, with values and spellings."""

from __future__ import annotations

import random
import re
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import pyarrow as pa

from tests import nasty
from tests.differential.program import Column, Value, quoted

if TYPE_CHECKING:
    from pyspark.sql.types import DataType

LEAVES: dict[str, pa.DataType] = {
    "BYTE": pa.int8(),
    "SHORT": pa.int16(),
    "INT": pa.int32(),
    "BIGINT": pa.int64(),
    "FLOAT": pa.float32(),
    "DOUBLE": pa.float64(),
    "STRING": pa.string(),
    "BINARY": pa.binary(),
    "BOOLEAN": pa.bool_(),
    "DATE": pa.date32(),
    "TIMESTAMP": pa.timestamp("us", "UTC"),
    "TIMESTAMP_NTZ": pa.timestamp("us"),
    "DECIMAL(10,2)": pa.decimal128(10, 2),
    "DECIMAL(12,2)": pa.decimal128(12, 2),
}
SPARK_TYPES = {"INT": "integer", "BIGINT": "long"}
"""Types whose names in schemas are not those of SQL."""
STRUCT, ARRAY, MAP = "STRUCT<", "ARRAY<", "MAP<STRING, "
DECLARED = ("CHAR(4)", "VARCHAR(4)")
"""Texts that may be so long and no longer; a CHAR is filled up with blanks."""
IN_STRUCTS = ("INT", "STRING", "DOUBLE", "DATE")
RAW_TYPE = "__CHAR_VARCHAR_TYPE_STRING"
DEEPER = 0.2
"""How many fields and elements are structs, arrays or maps themselves."""
_NAME = re.compile(r"`((?:[^`]|``)+)`(?:: )?")
_LENGTH = re.compile(r"(?:VAR)?CHAR\((\d+)\)")


def struct_of(fields: Sequence[Column]) -> str:
    """The type of a struct with these fields."""
    return STRUCT + ", ".join(f"{quoted(field.name)}: {field.type}" for field in fields) + ">"


def fields_of(kind: str) -> tuple[Column, ...]:
    """The fields of a struct; none of another type."""
    if not kind.startswith(STRUCT):
        return ()
    found, place, end = [], len(STRUCT), len(kind) - 1
    while place < end:
        name = _NAME.match(kind, place)
        assert name is not None, kind
        start = place = name.end()
        depth = 0
        while place < end and (depth or kind[place] != ","):
            quoted_name = _NAME.match(kind, place)
            if quoted_name is not None:
                place = quoted_name.end()
                continue
            depth += {"<": 1, "(": 1, ">": -1, ")": -1}.get(kind[place], 0)
            place += 1
        found.append(Column(name[1].replace("``", "`"), kind[start:place]))
        place += len(", ")
    return tuple(found)


def element_of(kind: str) -> str | None:
    """What an array is of; None for another type."""
    return kind.removeprefix(ARRAY)[:-1] if kind.startswith(ARRAY) else None


def value_of(kind: str) -> str | None:
    """What the values of a map are, whose keys are texts; None for another type."""
    return kind.removeprefix(MAP)[:-1] if kind.startswith(MAP) else None


def length_of(kind: str) -> int | None:
    """The declared length of a text."""
    found = _LENGTH.fullmatch(kind)
    return None if found is None else int(found[1])


def is_text(kind: str) -> bool:
    """Whether values are texts, of any length or a declared one."""
    return kind == "STRING" or length_of(kind) is not None


def is_nested(kind: str) -> bool:
    """Whether values are structs, arrays, maps or bytes, which have one spelling."""
    return kind.startswith((STRUCT, ARRAY, MAP)) or kind == "BINARY"


def has_map(kind: str) -> bool:
    """Whether values are or hold maps, which Spark does not compare."""
    inner = [element_of(kind), *(field.type for field in fields_of(kind))]
    return kind.startswith(MAP) or any(has_map(each) for each in inner if each is not None)


def plain(kind: str) -> str:
    """The type without a declared length, as rows have it that are given to a statement."""
    return "STRING" if length_of(kind) is not None else kind


def arrow_type(kind: str) -> pa.DataType:
    """The type of a column of Arrow."""
    fields, element = fields_of(kind), element_of(kind)
    if fields:
        return pa.struct([(field.name, arrow_type(field.type)) for field in fields])
    if element is not None:
        return pa.list_(arrow_type(element))
    value = value_of(kind)
    return LEAVES[plain(kind)] if value is None else pa.map_(pa.string(), arrow_type(value))


def spark_type(kind: str) -> str | DataType:
    """The type in a schema of Spark."""
    from pyspark.sql.types import ArrayType, MapType, StringType, StructType

    fields, element, value = fields_of(kind), element_of(kind), value_of(kind)
    if fields:
        found = StructType()
        for field in fields:
            found.add(field.name, spark_type(field.type))
        return found
    if element is not None:
        return ArrayType(StructType().add("element", spark_type(element))[0].dataType)
    if value is not None:
        return MapType(StringType(), StructType().add("value", spark_type(value))[0].dataType)
    return SPARK_TYPES.get(plain(kind), plain(kind).lower())


def metadata_of(kind: str) -> dict[str, str] | None:
    """What Spark notes of a column with a declared length, by which it compares blanks."""
    return None if length_of(kind) is None else {RAW_TYPE: kind.lower()}


def draw_kind(chance: random.Random, names: Sequence[str], *, is_partition: bool, depth: int = 2) -> str:
    """One of these types; `names` are those that fields of structs may have."""
    if is_partition:
        return chance.choice(DECLARED)
    roll = chance.random()
    if roll < 0.5:
        picked = chance.sample(list(names), 4)
        distinct = list({name.lower(): name for name in picked}.values())
        count = chance.randint(1, 3)
        return struct_of([Column(name, _inner(chance, names, depth)) for name in distinct[:count]])
    if roll < 0.7 and depth == 2:
        return chance.choice(DECLARED)
    if roll < 0.8:
        return f"{MAP}{_inner(chance, names, depth)}>"
    return "BINARY" if roll < 0.88 else f"{ARRAY}{_inner(chance, names, depth)}>"


def _inner(chance: random.Random, names: Sequence[str], depth: int) -> str:
    """The type of a field or an element."""
    if depth > 0 and chance.random() < DEEPER:
        return draw_kind(chance, names, is_partition=False, depth=depth - 1)
    return chance.choice(IN_STRUCTS)


def draw_values(chance: random.Random, kind: str, leaves: dict[str, Sequence[Value]], count: int) -> Sequence[Value]:
    """Some values of one of these types; those of plain types are in `leaves`."""
    if length_of(kind) is not None:
        return chance.sample(nasty.SHORT_STRINGS, count)
    if kind == "BINARY":
        return chance.sample(nasty.BYTES, count)
    if not fields_of(kind):
        return [_listed(chance, kind, leaves, size % 3) for size in range(count)]
    return [_struct(chance, kind, leaves) for _ in range(count - 1)] + [tuple(None for _ in fields_of(kind))]


def _struct(chance: random.Random, kind: str, leaves: dict[str, Sequence[Value]]) -> Value:
    return tuple(_value(chance, field.type, leaves) for field in fields_of(kind))


def _listed(chance: random.Random, kind: str, leaves: dict[str, Sequence[Value]], size: int) -> Value:
    """An array, or the keys and values of a map."""
    value = value_of(kind)
    if value is not None:
        return tuple((key, _value(chance, value, leaves)) for key in chance.sample(nasty.SHORT_STRINGS, size))
    element = element_of(kind)
    assert element is not None, kind
    return tuple(_value(chance, element, leaves) for _ in range(size))


def _value(chance: random.Random, kind: str, leaves: dict[str, Sequence[Value]]) -> Value:
    """A value inside of another, or null."""
    if kind in leaves:
        return chance.choice([*leaves[kind], None])
    if chance.random() < 0.2:
        return None
    if kind == "BINARY":
        return chance.choice(nasty.BYTES)
    return _struct(chance, kind, leaves) if fields_of(kind) else _listed(chance, kind, leaves, chance.randint(0, 2))


def literal(value: Any, kind: str, spell: Any) -> str:
    """A value in SQL; `spell` does so for one of a plain type."""
    if kind == "BINARY":
        return f"X'{value}'"
    element, fields, inside = element_of(kind), fields_of(kind), value_of(kind)
    if element is not None:
        values = ", ".join(_cast(each, element, spell) for each in value)
        return f"cast(array({values}) as {kind})"
    if inside is not None:
        pairs = ", ".join(f"{spell(key, 'STRING')}, {_cast(each, inside, spell)}" for key, each in value)
        return f"cast(map({pairs}) as {kind})"
    given = (
        f"'{_escaped(field.name)}', {_cast(each, field.type, spell)}" for each, field in zip(value, fields, strict=True)
    )
    return f"named_struct({', '.join(given)})"


def _cast(value: Value, kind: str, spell: Any) -> str:
    return f"cast({'NULL' if value is None else spell(value, kind)} as {kind})"


def _escaped(name: str) -> str:
    return name.replace("\\", "\\\\").replace("'", "\\'").replace("\n", "\\n").replace("\t", "\\t")
