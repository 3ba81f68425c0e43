"""The partition columns of a table as fields of its schema."""

from __future__ import annotations

from deltaresolver.errors import SchemaRuleError
from deltaresolver.model.metadata import Metadata
from deltaresolver.model.schema import StructField


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
