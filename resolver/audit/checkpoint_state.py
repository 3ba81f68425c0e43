"""Protocol and metadata out of a checkpoint; a small one is read whole, which is quicker than range by range."""

from __future__ import annotations

import pyarrow as pa
import pyarrow.parquet as pq

from deltaresolver.errors import CheckpointUnusableError
from deltaresolver.log.checkpoint_reader import read_small_actions, to_json_value
from deltaresolver.log.segment import CheckpointFiles, CheckpointKind
from deltaresolver.log.storage.log_store import LogStore
from deltaresolver.model.actions import Action, read_action

_NAMES = ("protocol", "metaData")
_SMALL = 1 << 20


def read_state(store: LogStore, checkpoint: CheckpointFiles) -> list[Action]:
    """The protocol and metadata actions of the checkpoint. Raises `CheckpointUnusableError`."""
    if checkpoint.kind is not CheckpointKind.CLASSIC or checkpoint.sizes[0] > _SMALL:
        return read_small_actions(store, checkpoint, _NAMES)
    path = checkpoint.paths[0]
    try:
        with pq.ParquetFile(pa.BufferReader(store.read(path))) as file:
            table = file.read(columns=list(_NAMES), use_threads=False)
    except (pa.ArrowException, OSError) as error:
        raise CheckpointUnusableError(
            f"Checkpoint {checkpoint.table_version} cannot be used: {path} cannot be read ({error}).",
            fix=f"Delete {path}, or restore it; readers can start from an older checkpoint or the commits.",
            details={"path": path, "table_version": checkpoint.table_version},
        ) from error
    return [
        read_action(name, to_json_value(column.type, value))
        for name, column in zip(table.column_names, table.columns, strict=True)
        for value in column.drop_null().to_pylist()
    ]
