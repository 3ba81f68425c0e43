"""Types as SQL declares them, so that the text makes the same type again: names of fields in their case and quoted."""

from __future__ import annotations

import re
from collections.abc import Mapping

from deltaresolver.model.facts.keys import LENGTHS
from deltaresolver.model.schema import ArrayType, DataType, MapType, StructField, StructType, UserDefinedType, quoted
from deltaresolver.transaction.ddl.places import shown_name

_OTHERWISE: Mapping[str, str] = {"byte": "TINYINT", "short": "SMALLINT", "integer": "INT", "long": "BIGINT"}
_PLAIN = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")
_COLLATED = re.compile(r"string collate (\w+)", re.IGNORECASE)


def sql_type(data_type: DataType) -> str:
    """The type, for instance `STRUCT<a: BIGINT, `b.c`: ARRAY<STRING>>`."""
    if isinstance(data_type, StructType):
        return f"STRUCT<{', '.join(map(_field, data_type.fields))}>"
    if isinstance(data_type, ArrayType):
        return f"ARRAY<{sql_type(data_type.element_type)}>"
    if isinstance(data_type, MapType):
        return f"MAP<{sql_type(data_type.key_type)}, {sql_type(data_type.value_type)}>"
    if isinstance(data_type, UserDefinedType):
        return sql_type(data_type.sql_type)
    collated = _COLLATED.fullmatch(data_type)
    if collated is not None:
        return f"STRING COLLATE {collated[1]}"
    return _OTHERWISE.get(data_type, shown_name(data_type).upper())


def column_type(field: StructField) -> str:
    """The type of a column: char and varchar as they were declared."""
    declared = (field.metadata or {}).get(LENGTHS)
    return declared.upper() if isinstance(declared, str) and isinstance(field.type, str) else sql_type(field.type)


def sql_text(value: str) -> str:
    """A text as a literal."""
    return "'" + value.replace("\\", "\\\\").replace("'", "\\'") + "'"


def _field(field: StructField) -> str:
    name = field.name if _PLAIN.fullmatch(field.name) else quoted(field.name)
    comment = (field.metadata or {}).get("comment")
    told = "" if comment is None else f" COMMENT {sql_text(str(comment))}"
    return f"{name}: {column_type(field)}{'' if field.nullable else ' NOT NULL'}{told}"
