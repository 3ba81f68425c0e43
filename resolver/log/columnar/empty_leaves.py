"""Leaves of a checkpoint in which a whole file has nothing: most tables use few of the fields an action may have."""

from __future__ import annotations

from collections.abc import Sequence

import pyarrow.parquet as pq

from deltaresolver.log.columnar.schemas.known_schemas import leaf_paths

_DEPTH_OF_FIELD = 2
"""`add.path` is a field by itself; what lies deeper is part of a struct, a list or a map."""
_REPEATED = (".key_value.", ".list.", ".array")


def without_empty_leaves(file: pq.ParquetFile, leaves: Sequence[str]) -> list[str]:
    """`leaves` but those that are null in every row, as far as the file's statistics tell.

    Nothing is lost: a path stays, so that its absence is noticed; maps and lists stay, as the empty one and null
    count alike; and of every struct one leaf stays to tell where the struct itself is null.
    """
    metadata = file.metadata
    places = {path: index for index, path in enumerate(leaf_paths(file))}
    kept: list[str] = []
    structs: set[str] = set()
    for leaf in leaves:
        parent, _, name = leaf.rpartition(".")
        is_field = leaf.count(".") < _DEPTH_OF_FIELD
        needed = name == "path" or any(mark in leaf for mark in _REPEATED) or (not is_field and parent not in structs)
        if needed or not _is_empty(metadata, places[leaf]):
            kept.append(leaf)
            structs.add(parent)
    return kept


def _is_empty(metadata: pq.FileMetaData, leaf: int) -> bool:
    for group in range(metadata.num_row_groups):
        column = metadata.row_group(group).column(leaf)
        statistics = column.statistics
        if statistics is None or not statistics.has_null_count or statistics.null_count != column.num_values:
            return False
    return True
