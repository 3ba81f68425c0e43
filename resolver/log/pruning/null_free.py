"""Which columns hold no null in any of some files, by the statistics of the files."""

from __future__ import annotations

from collections.abc import Iterable

import attrs
import pyarrow as pa
import pyarrow.compute as pc

from deltaresolver.expressions.stored_column import StoredColumn, find_column
from deltaresolver.log.pruning.parsed_stats import parse_stats
from deltaresolver.model.metadata import Metadata
from deltaresolver.model.schema import FieldPath

_ONLY_COUNTED = "binary"
"""A type that has no bounds, so that only the counts of nulls are read."""


def null_free(files: pa.Table, metadata: Metadata, paths: Iterable[FieldPath]) -> frozenset[FieldPath]:
    """Of these columns, those that hold no null in any of `files`, which are shaped `arrow_schema.ADD_FILES`.

    The columns are leaves, arrays or maps of data files. A file without a count may hold nulls.
    """
    left: dict[FieldPath, StoredColumn] = {
        path: attrs.evolve(find_column(metadata, path), type=_ONLY_COUNTED) for path in paths
    }
    for batch in files.to_batches():
        if not left:
            break
        counts = parse_stats(batch.column("stats"), list(left.values())).null_counts
        left = {path: column for path, column in left.items() if _all_zero(counts[column.physical_path])}
    return frozenset(left)


def _all_zero(counts: pa.Array) -> bool:
    return counts.null_count == 0 and bool(pc.all(pc.equal(counts, 0), min_count=0).as_py())
