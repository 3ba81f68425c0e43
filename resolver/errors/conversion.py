"""DR79x: a table cannot be made of files that are there already, by CONVERT TO DELTA or CLONE."""

from __future__ import annotations

from deltaresolver.errors.maintenance import MaintenanceError


class ConversionError(MaintenanceError):
    """A folder cannot be converted to Delta; it is as it was."""

    code = "DR790"


class ConversionSourceError(ConversionError, ValueError):
    """The source of a CONVERT TO DELTA is not a folder of Parquet files."""

    code = "DR791"


class PartitionFoldersError(ConversionError, ValueError):
    """The folders of a table to convert do not have the partition columns that were declared."""

    code = "DR792"


class ConversionSchemaError(ConversionError):
    """The Parquet files of a folder have types that do not go together."""

    code = "DR793"


class CloneTargetError(MaintenanceError):
    """A table cannot be cloned to a place that is taken."""

    code = "DR794"
