"""Classic checkpoints: everything in one Parquet file, or in parts by Spark's hash of the path."""

from __future__ import annotations

from functools import partial

from deltaresolver.errors import StoredFileMissingError
from deltaresolver.log.checkpoint.parquet_encoding import ROWS_AT_ONCE, encode_parquet
from deltaresolver.log.checkpoint.parts import encode_parts
from deltaresolver.log.checkpoint.schema import classic_schema
from deltaresolver.log.checkpoint.soundness import is_sound, opens_as_parquet
from deltaresolver.log.checkpoint.state import CheckpointState, all_pieces
from deltaresolver.log.checkpoint.write_last_checkpoint import LastCheckpoint
from deltaresolver.log.checkpoint.written import (
    WrittenCheckpoint,
    find_checkpoint,
    find_file,
    put_unless_good,
)
from deltaresolver.log.names import checkpoint_part_paths, checkpoint_path
from deltaresolver.log.segment import CheckpointKind
from deltaresolver.log.storage.log_store import LogStore


def write_classic(store: LogStore, state: CheckpointState, part_size: int | None) -> WrittenCheckpoint:
    """Write the checkpoint, in parts if it has more than `part_size` file actions."""
    count = 1 if part_size is None else max(1, -(-state.file_action_count // part_size))
    return _write_one(store, state) if count == 1 else _write_parts(store, state, count)


def _write_one(store: LogStore, state: CheckpointState) -> WrittenCheckpoint:
    schema = classic_schema(state.add_type)
    path = checkpoint_path(state.table_version)

    def is_good() -> bool:
        found = find_checkpoint(store, state.table_version, (path,))
        return found is not None and is_sound(store, found)

    data = encode_parquet(all_pieces(state, schema, ROWS_AT_ONCE), schema)
    put_unless_good(store, path, data, is_good)
    return _written(store, state, CheckpointKind.CLASSIC, (path,))


def _write_parts(store: LogStore, state: CheckpointState, count: int) -> WrittenCheckpoint:
    paths = checkpoint_part_paths(state.table_version, count)
    for path, data in zip(paths, encode_parts(state, classic_schema(state.add_type), count), strict=True):
        put_unless_good(store, path, data, partial(_is_whole_part, store, state.table_version, path))
    return _written(store, state, CheckpointKind.MULTI_PART, paths)


def _is_whole_part(store: LogStore, table_version: int, path: str) -> bool:
    found = find_file(store, table_version, path)
    return found is not None and opens_as_parquet(store, path, found.size)


def _written(
    store: LogStore, state: CheckpointState, kind: CheckpointKind, paths: tuple[str, ...]
) -> WrittenCheckpoint:
    files = find_checkpoint(store, state.table_version, paths)
    if files is None:
        raise StoredFileMissingError(
            f"The checkpoint of version {state.table_version} of {store.location} was written, but is not there.",
            fix="Look for a process that deletes files of the log.",
            details={"location": store.location, "table_version": state.table_version, "paths": list(paths)},
        )
    actions = state.file_action_count + len(state.small)
    parts = len(paths) if kind is CheckpointKind.MULTI_PART else None
    hint = LastCheckpoint(state.table_version, actions, sum(files.sizes), state.adds.num_rows, parts)
    return WrittenCheckpoint(files, hint)
