"""V2 checkpoints: the files in sidecars, everything else and the sidecars' names in a top-level file."""

from __future__ import annotations

import uuid
from concurrent.futures import ThreadPoolExecutor
from functools import partial

from deltaresolver.log.checkpoint.parquet_encoding import encode_parquet
from deltaresolver.log.checkpoint.read import read_small_actions
from deltaresolver.log.checkpoint.schema import file_schema, top_level_schema
from deltaresolver.log.checkpoint.state import CheckpointState, file_pieces, small_rows
from deltaresolver.log.checkpoint.write_last_checkpoint import LastCheckpoint
from deltaresolver.log.checkpoint.written import WrittenCheckpoint
from deltaresolver.log.names import checkpoint_path, sidecar_path, v2_checkpoint_path
from deltaresolver.log.segment import CheckpointFiles, CheckpointKind
from deltaresolver.log.storage.log_store import LogStore
from deltaresolver.model.actions import Action, CheckpointMetadata, Sidecar, encode_actions

SIDECAR_ROWS = 50_000
"""File actions of one sidecar, unless the caller says otherwise."""

_WORKERS = 2


def write_v2(store: LogStore, state: CheckpointState, rows: int, top_level: str, now_ms: int) -> WrittenCheckpoint:
    """Write sidecars of up to `rows` file actions, then a top level in "json" or "parquet".

    In this order, so that a top level is never seen before what it names is there.
    """
    sidecars = _write_sidecars(store, state, rows, now_ms)
    sidecar_bytes = sum(sidecar.size_in_bytes for sidecar in sidecars)
    tags = {
        "sidecarNumActions": str(state.file_action_count),
        "sidecarSizeInBytes": str(sidecar_bytes),
        "numOfAddFiles": str(state.adds.num_rows),
    }
    actions = [CheckpointMetadata(state.table_version, tags), *state.small, *sidecars]
    path = v2_checkpoint_path(state.table_version, str(uuid.uuid4()), top_level)
    data = encode_actions(actions) if top_level == "json" else _as_parquet(actions)
    store.put_if_absent(path, data)
    kind = CheckpointKind.V2_JSON if top_level == "json" else CheckpointKind.V2_PARQUET
    hint = LastCheckpoint(
        state.table_version,
        state.file_action_count + len(actions),
        sidecar_bytes + len(data),
        state.adds.num_rows,
    )
    return WrittenCheckpoint(CheckpointFiles(state.table_version, kind, (path,), (len(data),), now_ms), hint)


def write_compatible(store: LogStore, checkpoint: CheckpointFiles) -> str:
    """A V2 checkpoint's top level once more, under the classic name, and its path.

    Clients that look for classic names alone then read the protocol and say what they lack, instead of finding
    nothing. Raises `CheckpointUnusableError`.
    """
    actions = read_small_actions(store, checkpoint)
    path = checkpoint_path(checkpoint.table_version)
    store.put(path, _as_parquet(actions))
    return path


def _as_parquet(actions: list[Action]) -> bytes:
    schema = top_level_schema()
    return encode_parquet([partial(small_rows, tuple(actions), schema)], schema)


def _write_sidecars(store: LogStore, state: CheckpointState, rows: int, now_ms: int) -> list[Sidecar]:
    schema = file_schema(state.add_type)
    pieces = list(file_pieces(state, schema, rows))

    def write(part: int) -> Sidecar:
        path = sidecar_path(state.table_version, part + 1, len(pieces), str(uuid.uuid4()))
        data = encode_parquet([pieces[part]], schema)
        store.put_if_absent(path, data)
        return Sidecar(path.rpartition("/")[2], len(data), now_ms)

    with ThreadPoolExecutor(_WORKERS) as pool:
        return list(pool.map(write, range(len(pieces))))
