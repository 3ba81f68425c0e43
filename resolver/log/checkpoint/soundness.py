"""Whether a checkpoint that is there already can be relied on."""

from __future__ import annotations

import pyarrow as pa
import pyarrow.parquet as pq

from deltaresolver.errors import LogError
from deltaresolver.log.checkpoint.read import read_small_actions
from deltaresolver.log.columnar.distinct_names import ensure_distinct_names
from deltaresolver.log.names import sidecar_location
from deltaresolver.log.segment import CheckpointFiles, CheckpointKind
from deltaresolver.log.storage.log_store import LogStore
from deltaresolver.log.storage.stored_input import StoredInput
from deltaresolver.model.actions import Sidecar
from deltaresolver.model.metadata import Metadata
from deltaresolver.model.protocol import Protocol


def is_sound(store: LogStore, checkpoint: CheckpointFiles) -> bool:
    """Whether it has a protocol and a metadata, and every file of it, sidecars included, opens as what it should be."""
    try:
        actions = read_small_actions(store, checkpoint)
    except LogError:
        return False
    if not all(any(isinstance(action, kind) for action in actions) for kind in (Protocol, Metadata)):
        return False
    files = (
        [] if checkpoint.kind is CheckpointKind.V2_JSON else list(zip(checkpoint.paths, checkpoint.sizes, strict=True))
    )
    files += [
        (sidecar_location(action.path), action.size_in_bytes) for action in actions if isinstance(action, Sidecar)
    ]
    return all(opens_as_parquet(store, path, size) for path, size in files)


def opens_as_parquet(store: LogStore, path: str, size: int) -> bool:
    """Whether the file is there, of that size, and ends in a Parquet footer that fits it."""
    try:
        with pq.ParquetFile(StoredInput(store, path, size)) as file:
            ensure_distinct_names(file.schema_arrow)
            return True
    except (pa.ArrowException, OSError, UnicodeDecodeError, LogError):
        return False
