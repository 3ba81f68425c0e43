"""Protocol and metadata from a checkpoint; a small one is read whole, which is quicker than range by range."""

from __future__ import annotations

from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq

from deltaresolver.log.checkpoint.read import read_small_actions, to_json_value, unusable
from deltaresolver.log.columnar.parquet_memory import open_stored
from deltaresolver.log.segment import CheckpointFiles, CheckpointKind
from deltaresolver.log.storage.log_store import LogStore
from deltaresolver.model.actions import Action, read_action

_NAMES = ("protocol", "metaData")
_SMALL = 1 << 20
_SHORT = 8


def is_one_small_file(checkpoint: CheckpointFiles) -> bool:
    """Whether the checkpoint is a single Parquet file that is best read whole."""
    return checkpoint.kind is CheckpointKind.CLASSIC and checkpoint.sizes[0] <= _SMALL


def read_state(store: LogStore, checkpoint: CheckpointFiles) -> list[Action]:
    """The protocol and metadata actions of the checkpoint. Raises `CheckpointUnusableError`."""
    if not is_one_small_file(checkpoint):
        return read_small_actions(store, checkpoint, _NAMES)
    path = checkpoint.paths[0]
    try:
        with open_stored(store, path, checkpoint.sizes[0]) as file:
            return _last_first(file)
    except (pa.ArrowException, OSError, UnicodeDecodeError) as error:
        raise unusable(checkpoint, path, error) from error


def _last_first(file: pq.ParquetFile) -> list[Action]:
    """Read row groups from the last one back, until both are found: some writers put small actions last."""
    found: list[Action] = []
    missing = set(_NAMES)
    for group in reversed(range(file.num_row_groups)):
        table = file.read_row_group(group, columns=list(_NAMES), use_threads=False)
        for name, column in zip(table.column_names, table.columns, strict=True):
            values = [value for value in _some(column) if value is not None]
            found.extend(read_action(name, to_json_value(column.type, value)) for value in values)
            if values:
                missing.discard(name)
        if not missing:
            break
    return found


def _some(column: pa.ChunkedArray) -> list[Any]:
    """The values that are not null. A short column keeps its nulls too: leaving them out takes longer."""
    values: list[Any] = (column if len(column) <= _SHORT else column.drop_null()).to_pylist()
    return values
