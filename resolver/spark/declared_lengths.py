"""char(n) and varchar(n): strings to Delta, whose column's metadata says in Spark's words what it was declared as."""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import TYPE_CHECKING

import attrs

from deltaresolver.model.facts.keys import LENGTHS
from deltaresolver.model.schema import ArrayType, DataType, MapType, StructField, StructType, quoted
from deltaresolver.spark.session import find_setting

if TYPE_CHECKING:
    from pyspark.sql import Column, SparkSession

AS_STRINGS = "spark.sql.legacy.charVarcharAsString"
"""Where it is true, a session takes char(n) and varchar(n) for strings: no length is checked, nothing is filled up."""
_FILLS_UP = "spark.sql.readSideCharPadding"

_NAME = re.compile(r"(?:`(?:[^`]|``)*`|[^:]*):")
_LIMIT = re.compile(r"(char|varchar)\(\s*(\d+)\s*\)")
_OTHER = re.compile(r"(?:[^,<>()]|\([^)]*\))*")


@attrs.frozen(slots=True)
class Declared:
    """What is declared of a column: the length of a string, or something of what lies in it, place by place."""

    length: int = 0
    is_padded: bool = False
    """Whether shorter strings are filled up with blanks when they are read."""
    inside: tuple[Declared, ...] = ()

    @property
    def says_anything(self) -> bool:
        """Whether there is a length anywhere."""
        return bool(self.length) or any(each.says_anything for each in self.inside)

    @property
    def pads(self) -> bool:
        """Whether there is a string to fill up anywhere."""
        return self.is_padded or any(each.pads for each in self.inside)


UNDECLARED = Declared()


def declared(field: StructField) -> Declared:
    """What a column's metadata declares; nothing where it declares another type."""
    text = (field.metadata or {}).get(LENGTHS)
    if not isinstance(text, str):
        return UNDECLARED
    try:
        found, end = _read(text, 0, field.type)
    except ValueError:
        return UNDECLARED
    return found if end == len(text) else UNDECLARED


def keeps_lengths(spark: SparkSession, fields: Iterable[StructField]) -> bool:
    """Whether any length is declared of these columns that the session keeps to."""
    return any(declared(field).says_anything for field in fields) and not are_strings(find_setting(spark, AS_STRINGS))


def fills_up(spark: SparkSession, fields: Iterable[StructField]) -> bool:
    """Whether the session fills up strings of any of these columns when it reads them."""
    return (
        any(declared(field).pads for field in fields)
        and not are_strings(find_setting(spark, AS_STRINGS))
        and (find_setting(spark, _FILLS_UP) or "true").lower() == "true"
    )


def are_strings(setting: str | None) -> bool:
    """Whether a session with this value of `AS_STRINGS` passes over declared lengths."""
    return (setting or "").lower() == "true"


def length_condition(sql: str, data_type: DataType, limits: Declared, depth: int = 0) -> str | None:
    """SQL that is true where `sql` keeps the lengths; None where there are none."""
    if not limits.says_anything:
        return None
    if isinstance(data_type, StructType):
        parts = [
            length_condition(f"{sql}.{quoted(field.name)}", field.type, each, depth)
            for field, each in zip(data_type.fields, limits.inside, strict=True)
        ]
        return " AND ".join(f"({part})" for part in parts if part)
    if isinstance(data_type, ArrayType):
        return _of_all(sql, data_type.element_type, limits.inside[0], depth)
    if isinstance(data_type, MapType):
        keys = _of_all(f"map_keys({sql})", data_type.key_type, limits.inside[0], depth)
        values = _of_all(f"map_values({sql})", data_type.value_type, limits.inside[1], depth)
        return " AND ".join(f"({part})" for part in (keys, values) if part)
    return f"{sql} IS NULL OR length({sql}) <= {limits.length}"


def padded(column: Column, data_type: DataType, limits: Declared) -> Column:
    """The column with every char(n) in it filled up to n characters, as Spark reads its own tables."""
    from pyspark.sql import functions as f

    if not limits.pads:
        return column
    if isinstance(data_type, StructType):
        parts = [
            padded(column.getField(field.name), field.type, each).alias(field.name)
            for field, each in zip(data_type.fields, limits.inside, strict=True)
        ]
        return f.when(column.isNotNull(), f.struct(*parts))
    if isinstance(data_type, ArrayType):
        return f.transform(column, lambda each: padded(each, data_type.element_type, limits.inside[0]))
    if isinstance(data_type, MapType):
        if limits.inside[0].pads:
            column = f.transform_keys(column, lambda key, _: padded(key, data_type.key_type, limits.inside[0]))
        return f.transform_values(column, lambda _, each: padded(each, data_type.value_type, limits.inside[1]))
    return f.when(f.length(column) < limits.length, f.rpad(column, limits.length, " ")).otherwise(column)


def _of_all(sql: str, data_type: DataType, limits: Declared, depth: int) -> str | None:
    inner = length_condition(f"each{depth}", data_type, limits, depth + 1)
    return inner and f"{sql} IS NULL OR forall({sql}, each{depth} -> {inner})"


def _read(text: str, start: int, data_type: DataType) -> tuple[Declared, int]:
    """What is declared from `start` on, and where it ends. Names are passed over: a renamed field keeps its place."""
    if isinstance(data_type, StructType):
        return _inside(text, start, "struct<", [field.type for field in data_type.fields], named=True)
    if isinstance(data_type, ArrayType):
        return _inside(text, start, "array<", [data_type.element_type])
    if isinstance(data_type, MapType):
        return _inside(text, start, "map<", [data_type.key_type, data_type.value_type])
    limit = _LIMIT.match(text, start) if data_type == "string" else None
    if limit is not None:
        return Declared(int(limit[2]), limit[1] == "char"), limit.end()
    return UNDECLARED, _end(_OTHER.match(text, start))


def _inside(text: str, start: int, opening: str, types: list[DataType], *, named: bool = False) -> tuple[Declared, int]:
    position = _after(text, start, opening)
    found = []
    for place, data_type in enumerate(types):
        position = _after(text, position, ",") if place else position
        position = _end(_NAME.match(text, position)) if named else position
        each, position = _read(text, position, data_type)
        found.append(each)
    return Declared(inside=tuple(found)), _after(text, position, ">")


def _after(text: str, position: int, wanted: str) -> int:
    if not text.startswith(wanted, position):
        raise ValueError(text[position:])
    return position + len(wanted)


def _end(found: re.Match[str] | None) -> int:
    if found is None:
        raise ValueError
    return found.end()
