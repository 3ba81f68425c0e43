"""Checkpoints to Arrow: classic parts, a V2 top level (JSON or Parquet) and its sidecars.

Only the columns a projection names are fetched and decoded; a file is read range by range through the store.
"""

from __future__ import annotations

import pyarrow as pa
import pyarrow.parquet as pq

from deltaresolver.errors import CheckpointUnusableError, LogError
from deltaresolver.log.action_rows import ActionRows, built_rows
from deltaresolver.log.actions import Sidecar
from deltaresolver.log.checkpoint_reader import read_small_actions
from deltaresolver.log.json_blocks import make_block, parse_block
from deltaresolver.log.names import sidecar_location
from deltaresolver.log.projection import Projection
from deltaresolver.log.segment import CheckpointFiles, CheckpointKind
from deltaresolver.log.stats_text import stats_text
from deltaresolver.log.store import LogStore
from deltaresolver.log.stored_input import StoredInput

ROWS_AT_ONCE = 1 << 16
_PARSED = "stats_parsed"


def read_top_level(
    store: LogStore, checkpoint: CheckpointFiles, projection: Projection
) -> tuple[list[ActionRows], tuple[Sidecar, ...]]:
    """The rows of the checkpoint's own files and the sidecars they name. Raises `CheckpointUnusableError`."""
    sidecars: tuple[Sidecar, ...] = ()
    if checkpoint.kind is not CheckpointKind.MULTI_PART:
        found = read_small_actions(store, checkpoint, ("sidecar",))
        sidecars = tuple(action for action in found if isinstance(action, Sidecar))
    if checkpoint.kind is CheckpointKind.V2_JSON:
        return _read_json(store, checkpoint.paths[0], projection), sidecars
    parts: list[ActionRows] = []
    for path, size in zip(checkpoint.paths, checkpoint.sizes, strict=True):
        parts.extend(read_parquet(store, path, size, projection))
    return parts, sidecars


def read_sidecar(store: LogStore, sidecar: Sidecar, projection: Projection) -> list[ActionRows]:
    """The rows of a sidecar. Raises `CheckpointUnusableError`."""
    return read_parquet(store, sidecar_location(sidecar.path), sidecar.size_in_bytes, projection)


def read_parquet(store: LogStore, path: str, size: int, projection: Projection) -> list[ActionRows]:
    """The rows of a checkpoint part or a sidecar, in pieces. Raises `CheckpointUnusableError`."""
    try:
        with pq.ParquetFile(StoredInput(store, path, size), pre_buffer=True) as file:
            parts = _read(file, projection, parsed=False)
            return (_read(file, projection, parsed=True) or []) if parts is None else parts
    except (pa.ArrowException, OSError, LogError) as error:
        raise _unusable(path, error) from error


def _read_json(store: LogStore, path: str, projection: Projection) -> list[ActionRows]:
    try:
        return parse_block(make_block([(store.read(path), 1, path)]), projection)
    except LogError as error:
        raise _unusable(path, error) from error


def _read(file: pq.ParquetFile, projection: Projection, *, parsed: bool) -> list[ActionRows] | None:
    """The rows, or None where statistics are asked for that only `stats_parsed` has and `parsed` is off."""
    leaves = _leaves(file)
    wants_stats = "stats" in projection.result.names
    may_retry = wants_stats and not parsed and any(leaf.startswith(f"{projection.action}.{_PARSED}.") for leaf in leaves)
    wanted = [leaf for leaf in leaves if _is_wanted(leaf, projection, parsed and wants_stats)]
    parts = []
    for batch in file.iter_batches(ROWS_AT_ONCE, columns=wanted, use_threads=True):
        arrays = {action: _shape_action(batch, action, projection.fields_of(action)) for action in ("add", "remove")}
        if may_retry and _lacks_stats(arrays[projection.action]):
            return None
        parts.append(built_rows(arrays, projection.action))
    return parts


def _leaves(file: pq.ParquetFile) -> list[str]:
    schema = file.metadata.schema
    return [schema.column(index).path for index in range(len(schema))]


def _is_wanted(leaf: str, projection: Projection, parsed: bool) -> bool:
    action, _, rest = leaf.partition(".")
    if action not in ("add", "remove"):
        return False
    field, _, below = rest.partition(".")
    if parsed and action == projection.action and field == _PARSED:
        return True
    for asked in projection.fields_of(action):
        if asked.name == field:
            return not pa.types.is_struct(asked.type) or asked.type.get_field_index(below) >= 0
    return False


def _shape_action(batch: pa.RecordBatch, action: str, fields: tuple[pa.Field, ...]) -> pa.StructArray:
    """The action's column with exactly `fields`, whatever types the writer chose for them."""
    if action not in batch.schema.names:
        return pa.nulls(batch.num_rows, pa.struct(list(fields)))
    return _conform(batch.column(action), pa.struct(list(fields)))


def _conform(array: pa.Array, wanted: pa.DataType) -> pa.Array:
    if array.type.equals(wanted):
        return array
    if pa.types.is_struct(wanted):
        if not pa.types.is_struct(array.type):
            raise pa.ArrowInvalid(f"expected a struct, found {array.type}")
        children = [_conform_child(array, field) for field in wanted]
        mask = array.is_null() if array.null_count else None
        return pa.StructArray.from_arrays(children, fields=list(wanted), mask=mask)
    if pa.types.is_map(wanted) and pa.types.is_map(array.type):
        keys, items = array.keys.cast(wanted.key_type), array.items.cast(wanted.item_type)
        mask = array.is_null() if array.null_count else None
        return pa.MapArray.from_arrays(array.offsets, keys, items, mask=mask)
    return array.cast(wanted)


def _conform_child(array: pa.StructArray, field: pa.Field) -> pa.Array:
    index = array.type.get_field_index(field.name)
    parsed = array.type.get_field_index(_PARSED) if field.name == "stats" else -1
    if index < 0 and parsed < 0:
        return pa.nulls(len(array), field.type)
    child = pa.nulls(len(array), field.type) if index < 0 else _conform(array.field(index), field.type)
    if parsed >= 0 and child.null_count:
        child = child.fill_null(stats_text(array.field(parsed)))
    return child


def _lacks_stats(array: pa.StructArray) -> bool:
    stats = array.field("stats")
    return stats.null_count > array.null_count


def _unusable(path: str, error: Exception) -> CheckpointUnusableError:
    return CheckpointUnusableError(
        f"The checkpoint file {path} cannot be read: {error}",
        fix="Delete or restore this checkpoint; without it an older one, or the commits alone, will be used.",
        details={"path": path, "reason": str(error)},
    )
