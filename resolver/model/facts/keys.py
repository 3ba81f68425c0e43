"""The keys of table properties and of field metadata that more than one room asks about.

A key that only one feature reads stays in that feature's file.
"""

APPEND_ONLY = "delta.appendOnly"
CHANGE_DATA_FEED = "delta.enableChangeDataFeed"
DELETION_VECTORS = "delta.enableDeletionVectors"
ROW_TRACKING = "delta.enableRowTracking"
TYPE_WIDENING = "delta.enableTypeWidening"

IN_COMMIT_TIMESTAMPS = "delta.enableInCommitTimestamps"
TIMESTAMPS_SINCE_VERSION = "delta.inCommitTimestampEnablementVersion"
TIMESTAMPS_SINCE_TIME = "delta.inCommitTimestampEnablementTimestamp"
"""Commits carry their own timestamp from this version and time on; without both, all do."""
CONSTRAINT_PREFIX = "delta.constraints."
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

IDENTITY = "delta.identity."
"""What all keys of identity columns begin with."""
IDENTITY_START = "delta.identity.start"
IDENTITY_STEP = "delta.identity.step"
IDENTITY_ALLOWS_EXPLICIT = "delta.identity.allowExplicitInsert"
IDENTITY_HIGH_WATER_MARK = "delta.identity.highWaterMark"
"""The last number given; absent until there is one."""
