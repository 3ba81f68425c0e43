"""From columns as data files have them to columns as users see them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from deltaresolver.model.facts.nested_types import types_in
from deltaresolver.model.schema import StructField, StructType
from deltaresolver.spark.declared_lengths import declared, padded
from deltaresolver.spark.schema import physical_field, spark_schema, visible_metadata

if TYPE_CHECKING:
    from pyspark.sql import Column


def logical_column(physical: Column, field: StructField, mode: str, *, fills_up: bool) -> Column:
    """A physical column under the field's own name, all the way down, with what users see of its metadata.

    With `fills_up`, strings declared char(n) are filled up, as Spark compares such columns with literals that it fills
    up; what else the session does, `declared_lengths.fills_up` tells.
    """
    column = physical
    if mode != "none" and any(isinstance(inner, StructType) for inner in types_in(field.type)):
        stored = physical_field(field, mode)
        plain = physical_field(field, "none")
        if stored.type != plain.type:
            # By position: the physical type was made from this very type.
            column = column.cast(spark_schema(StructType((plain,)))[0].dataType)
    if fills_up:
        column = padded(column, field.type, declared(field))
    return column.alias(field.name, metadata=visible_metadata(field.metadata))
