"""Which columns of the live files are read. Named without Arrow, so that asking for a choice of them loads nothing."""

from __future__ import annotations

import enum

ADD_FILE_COLUMNS = (
    "path",
    "partitionValues",
    "size",
    "modificationTime",
    "dataChange",
    "stats",
    "tags",
    "deletionVector",
    "baseRowId",
    "defaultRowCommitVersion",
    "clusteringProvider",
)
"""The columns of `arrow_schema.ADD_FILES`, in its order."""


class FileColumns(enum.Enum):
    """Which columns of the live files are read; each holds the names in the order of the result."""

    PATHS = ("path",)
    WITHOUT_STATS = tuple(name for name in ADD_FILE_COLUMNS if name != "stats")
    ALL = ADD_FILE_COLUMNS
