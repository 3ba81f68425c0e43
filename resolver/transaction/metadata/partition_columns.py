"""The partition columns of a table as fields of its schema."""

from __future__ import annotations

from deltaresolver.errors import SchemaRuleError
from deltaresolver.model.metadata import Metadata
from deltaresolver.model.schema import StructField, base_type


def partition_fields(metadata: Metadata) -> list[StructField]:
    """The fields, in partitioning order. Raises `SchemaRuleError` for a partition column the schema lacks."""
    by_name = {field.name.lower(): field for field in metadata.schema.fields}
    missing = [name for name in metadata.partition_columns if name.lower() not in by_name]
    if missing:
        raise SchemaRuleError(
            f"The table is partitioned by {', '.join(missing)}, which its schema does not have.",
            fix="Partition by columns of the schema.",
            details={"missing": missing},
            delta_condition="DELTA_PARTITION_COLUMN_NOT_FOUND",
        )
    return [by_name[name.lower()] for name in metadata.partition_columns]


def ensure_partitionable(metadata: Metadata) -> None:
    """The table may be partitioned as it says. Raises `SchemaRuleError`.

    Partition columns are different ones, have types with an order, and leave a column over for the files.
    """
    fields = partition_fields(metadata)
    names = [field.name for field in fields]
    if len(set(names)) < len(names):
        raise _not_partitionable("names a partition column twice", names, "DELTA_DUPLICATE_COLUMNS_FOUND")
    unordered = [field.name for field in fields if not _has_order(field)]
    if unordered:
        reason = "cannot be partitioned by nested, variant and geospatial columns"
        raise _not_partitionable(reason, unordered, "DELTA_INVALID_PARTITION_COLUMN_TYPE")
    if fields and len(fields) == len(metadata.schema.fields):
        reason = "would have no column left beside those it is partitioned by"
        raise _not_partitionable(reason, names, "DELTA_CANNOT_USE_ALL_COLUMNS_FOR_PARTITION")


def _has_order(field: StructField) -> bool:
    return isinstance(field.type, str) and base_type(field.type) not in ("variant", "geometry", "geography", "void")


def _not_partitionable(reason: str, names: list[str], condition: str) -> SchemaRuleError:
    return SchemaRuleError(
        f"The table {reason}: {', '.join(names)}.",
        fix="Partition by other columns.",
        details={"columns": names},
        delta_condition=condition,
    )
