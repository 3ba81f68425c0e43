"""Delta types as Arrow types: by the names users see, and as data files have them."""

from __future__ import annotations

import pyarrow as pa

from deltaresolver.errors import SourceRuleUnsupportedError
from deltaresolver.model.facts.arrow_types import arrow_leaf_type
from deltaresolver.model.facts.columns import physical_name
from deltaresolver.model.facts.keys import COLUMN_ID
from deltaresolver.model.schema import ArrayType, DataType, MapType, StructField, StructType, UserDefinedType

_VARIANT = pa.struct(
    [pa.field("value", pa.binary(), nullable=False), pa.field("metadata", pa.binary(), nullable=False)]
)


def arrow_fields(fields: tuple[StructField, ...], mode: str) -> pa.Schema:
    """The columns under mapping `mode`: `none` gives users' names, else files' names with their ids."""
    return pa.schema([_field(field, mode) for field in fields])


def _field(field: StructField, mode: str) -> pa.Field:
    number = (field.metadata or {}).get(COLUMN_ID) if mode != "none" else None
    notes = None if number is None else {b"PARQUET:field_id": str(number).encode()}
    return pa.field(physical_name(field, mode), arrow_type(field.type, mode), metadata=notes)


def arrow_type(kind: DataType, mode: str) -> pa.DataType:
    """One type. Raises `SourceRuleUnsupportedError` for one that Arrow has not."""
    if isinstance(kind, StructType):
        return pa.struct([_field(field, mode) for field in kind.fields])
    if isinstance(kind, ArrayType):
        return pa.list_(pa.field("element", arrow_type(kind.element_type, mode)))
    if isinstance(kind, MapType):
        return pa.map_(arrow_type(kind.key_type, mode), arrow_type(kind.value_type, mode))
    if isinstance(kind, UserDefinedType):
        return arrow_type(kind.sql_type, mode)
    if kind == "variant":
        return _VARIANT
    found = arrow_leaf_type("string" if kind.startswith(("string", "char", "varchar")) else kind)
    if found is None:
        raise SourceRuleUnsupportedError(
            f'A column has the type {kind}, which format("deltaresolver") does not write.',
            fix="Write with deltaresolver.spark.write.",
            details={"type": kind},
        )
    return found
