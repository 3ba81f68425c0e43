"""Metadata as tests write it: properties and columns, nothing else."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from deltaresolver.model import Metadata
from deltaresolver.model.schema import DataType, StructField, StructType, encode_schema


def column(
    name: str, data_type: DataType = "string", metadata: dict[str, Any] | None = None, *, nullable: bool = True
) -> StructField:
    """A column, or a field of a struct."""
    return StructField(name, data_type, nullable, metadata)


def struct(*fields: StructField) -> StructType:
    """A struct of these fields."""
    return StructType(fields)


def table(properties: Mapping[str, str] | None = None, *columns: StructField) -> Metadata:
    """A table with these properties and columns."""
    schema = encode_schema(StructType(columns)) if columns else None
    return Metadata(schema_string=schema, configuration=dict(properties or {}))
