"""The property that lists the columns with statistics, kept in step with columns that are renamed or dropped."""

from __future__ import annotations

from collections.abc import Callable

from deltaresolver.log.checkpoint.indexed_leaves import as_listed, named_columns
from deltaresolver.log.upkeep.settings import STATS_COLUMNS
from deltaresolver.model.metadata import Metadata
from deltaresolver.model.schema import FieldPath


def with_statistics_columns(metadata: Metadata, change: Callable[[FieldPath], FieldPath | None]) -> Metadata:
    """The metadata with each listed column as `change` has it, None for one that goes."""
    listed = named_columns(metadata)
    if listed is None:
        return metadata
    kept = [path for path in map(change, listed) if path is not None]
    return metadata.with_configuration({**metadata.configuration, STATS_COLUMNS: as_listed(kept)})


def is_within(path: FieldPath, outer: FieldPath) -> bool:
    """Whether `path` is `outer` or nested in it, in any case."""
    return tuple(name.lower() for name in path[: len(outer)]) == tuple(name.lower() for name in outer)
