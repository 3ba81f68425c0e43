"""The property that lists the columns with statistics, kept in step with columns that are renamed or dropped."""

from __future__ import annotations

from collections.abc import Callable

from deltaresolver.model.metadata import Metadata
from deltaresolver.model.schema import FieldPath
from deltaresolver.transaction.ddl.column_operations import shown_path
from deltaresolver.transaction.schema_rules import STATISTICS_COLUMNS, statistics_columns


def with_statistics_columns(metadata: Metadata, change: Callable[[FieldPath], FieldPath | None]) -> Metadata:
    """The metadata with each listed column as `change` has it, None for one that goes."""
    if STATISTICS_COLUMNS not in metadata.configuration:
        return metadata
    listed = statistics_columns(metadata)
    kept = [path for path in map(change, listed) if path is not None]
    text = ",".join(map(shown_path, kept))
    return metadata.with_configuration({**metadata.configuration, STATISTICS_COLUMNS: text})


def is_within(path: FieldPath, outer: FieldPath) -> bool:
    """Whether `path` is `outer` or nested in it, in any case."""
    return tuple(name.lower() for name in path[: len(outer)]) == tuple(name.lower() for name in outer)
