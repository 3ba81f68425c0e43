"""The keys of table properties and of field metadata that more than one room asks about, and how a boolean is read.

A key that only one feature reads stays in that feature's file.
"""

from __future__ import annotations

from deltaresolver.errors import PropertyInvalidError

APPEND_ONLY = "delta.appendOnly"
CHANGE_DATA_FEED = "delta.enableChangeDataFeed"
DELETION_VECTORS = "delta.enableDeletionVectors"
ROW_TRACKING = "delta.enableRowTracking"
TYPE_WIDENING = "delta.enableTypeWidening"
ICEBERG_COMPAT = {number: f"delta.enableIcebergCompatV{number}" for number in (1, 2, 3)}
"""By the version of what Iceberg readers can follow; one of them may be on."""

IN_COMMIT_TIMESTAMPS = "delta.enableInCommitTimestamps"
TIMESTAMPS_SINCE_VERSION = "delta.inCommitTimestampEnablementVersion"
TIMESTAMPS_SINCE_TIME = "delta.inCommitTimestampEnablementTimestamp"
"""Commits carry their own timestamp from this version and time on; without both, all do."""
CONSTRAINT_PREFIX = "delta.constraints."
INVARIANTS = "delta.invariants"
"""Field metadata with a condition that the column's values keep to, written before there were constraints."""
CLUSTERING_DOMAIN = "delta.clustering"

MAPPING_MODE = "delta.columnMapping.mode"
MAX_COLUMN_ID = "delta.columnMapping.maxColumnId"
"""The highest column id that the table ever gave, also to columns that are gone."""

COLUMN_ID = "delta.columnMapping.id"
PHYSICAL_NAME = "delta.columnMapping.physicalName"
PARQUET_FIELD_ID = "parquet.field.id"
"""The field metadata by which Spark's Parquet reader and writer know a column's id."""

GENERATION_EXPRESSION = "delta.generationExpression"
COLUMN_DEFAULT = "CURRENT_DEFAULT"
TYPE_CHANGES = "delta.typeChanges"
COLLATIONS = "__COLLATIONS"
LENGTHS = "__CHAR_VARCHAR_TYPE_STRING"
"""Field metadata with the declared type of a column with CHAR or VARCHAR in it, which the schema calls strings."""

IDENTITY = "delta.identity."
"""What all keys of identity columns begin with."""
IDENTITY_START = "delta.identity.start"
IDENTITY_STEP = "delta.identity.step"
IDENTITY_ALLOWS_EXPLICIT = "delta.identity.allowExplicitInsert"
IDENTITY_HIGH_WATER_MARK = "delta.identity.highWaterMark"
"""The last number given; absent until there is one."""
IDENTITY_UPDATE_TAG = "delta.identity.schemaUpdate"
"""The commit changes metadata only to note how far identity columns have counted."""

_BOOLEANS = {"true": True, "false": False}


def read_boolean(key: str, value: str) -> bool:
    """`true` or `false` in any case. Raises `PropertyInvalidError` for everything else, as delta-spark does."""
    read = _BOOLEANS.get(value)
    if read is None:
        read = _BOOLEANS.get(value.lower())
    if read is not None:
        return read
    raise PropertyInvalidError(
        f"{key} is {value!r}, which is neither true nor false.",
        fix=f"Set {key} to 'true' or 'false', without spaces.",
        details={"key": key, "value": value, "expected": ["true", "false"]},
    )
