"""Checkpoints to Arrow: classic parts, a V2 top level (JSON or Parquet) and its sidecars.

Only the columns a projection names are fetched and decoded; a file is read range by range through the store.
"""

from __future__ import annotations

from collections.abc import Iterator

import attrs
import pyarrow as pa
import pyarrow.parquet as pq

from deltaresolver.errors import CheckpointUnusableError, LogError
from deltaresolver.log.checkpoint.read import read_small_actions
from deltaresolver.log.columnar.action_rows import ActionRows, built_rows
from deltaresolver.log.columnar.empty_leaves import without_empty_leaves
from deltaresolver.log.columnar.fast.arrow_numpy import from_flags, nulls_of, valid_rows
from deltaresolver.log.columnar.json_blocks import make_block, parse_block
from deltaresolver.log.columnar.parquet_memory import open_stored
from deltaresolver.log.columnar.projection import Projection
from deltaresolver.log.columnar.stats_text import stats_text
from deltaresolver.log.names import sidecar_location
from deltaresolver.log.segment import CheckpointFiles, CheckpointKind
from deltaresolver.log.storage.log_store import LogStore
from deltaresolver.model.actions import Sidecar
from deltaresolver.value import Value

_ROWS_AT_ONCE = 1 << 14
"""Columns of text grow by doubling while a batch is decoded: longer ones touch much memory that they do not keep."""
_RANGE_BYTES = 2 << 20
# Column chunks are read range by range: fetching them ahead would hold a row group in memory twice.
_PARSED = "stats_parsed"


@attrs.frozen(slots=True)
class CheckpointPiece(Value):
    """One file of a checkpoint that may hold file actions."""

    path: str
    size: int
    is_json: bool = False


def split_checkpoint(store: LogStore, checkpoint: CheckpointFiles) -> list[CheckpointPiece]:
    """The checkpoint's own files and the sidecars they name. Raises `CheckpointUnusableError`."""
    is_json = checkpoint.kind is CheckpointKind.V2_JSON
    pieces = [
        CheckpointPiece(path, size, is_json) for path, size in zip(checkpoint.paths, checkpoint.sizes, strict=True)
    ]
    if checkpoint.kind is not CheckpointKind.MULTI_PART:
        found = read_small_actions(store, checkpoint, ("sidecar",))
        sidecars = [action for action in found if isinstance(action, Sidecar)]
        pieces += [CheckpointPiece(sidecar_location(each.path), each.size_in_bytes) for each in sidecars]
    return pieces


def read_piece(
    store: LogStore, piece: CheckpointPiece, projection: Projection, *, use_threads: bool, saves_memory: bool = True
) -> Iterator[ActionRows]:
    """The rows of one file, a part at a time; see `open_stored`. Raises `CheckpointUnusableError`."""
    if piece.is_json:
        yield from _read_json(store, piece.path, projection)
        return
    try:
        with open_stored(store, piece.path, piece.size, buffer_size=_RANGE_BYTES, saves_memory=saves_memory) as file:
            yield from _read(file, projection, use_threads=use_threads)
    except (pa.ArrowException, OSError, UnicodeDecodeError, LogError) as error:
        raise _unusable(piece.path, error) from error


def _read_json(store: LogStore, path: str, projection: Projection) -> list[ActionRows]:
    try:
        return parse_block(make_block([(store.read(path), 1, path)]), projection)
    except LogError as error:
        raise _unusable(path, error) from error


def _read(file: pq.ParquetFile, projection: Projection, *, use_threads: bool) -> Iterator[ActionRows]:
    leaves = _leaves(file)
    wanted = without_empty_leaves(file, [leaf for leaf in leaves if _is_wanted(leaf, projection)])
    prefix = f"{projection.action}.{_PARSED}."
    parsed = [leaf for leaf in leaves if leaf.startswith(prefix)] if "stats" in projection.result.names else []
    # A second pass over the statistics kept as columns, begun only where their text turns out to be missing.
    passed, columns = 0, file.iter_batches(_ROWS_AT_ONCE, columns=parsed)
    batches = file.iter_batches(_ROWS_AT_ONCE, columns=wanted, use_threads=use_threads)
    for number, batch in enumerate(batches):
        arrays = {action: _shape_action(batch, action, projection.fields_of(action)) for action in ("add", "remove")}
        if parsed and _lacks_stats(arrays[projection.action]):
            for _ in range(number - passed):
                next(columns)
            passed = number + 1
            typed = next(columns).column(projection.action).field(_PARSED)
            arrays[projection.action] = _with_stats(arrays[projection.action], stats_text(typed))
        yield built_rows(arrays, projection.action)


def _with_stats(array: pa.StructArray, texts: pa.StringArray) -> pa.StructArray:
    """The array with `texts` where it has no statistics."""
    fields = list(array.type)
    children = [
        array.field(index).fill_null(texts) if field.name == "stats" else array.field(index)
        for index, field in enumerate(fields)
    ]
    return pa.StructArray.from_arrays(children, fields=fields, mask=array.is_null() if array.null_count else None)


def _leaves(file: pq.ParquetFile) -> list[str]:
    schema = file.metadata.schema
    return [schema.column(index).path for index in range(len(schema))]


def _is_wanted(leaf: str, projection: Projection) -> bool:
    action, _, rest = leaf.partition(".")
    if action not in ("add", "remove"):
        return False
    field, _, below = rest.partition(".")
    for asked in projection.fields_of(action):
        if asked.name == field:
            return not pa.types.is_struct(asked.type) or asked.type.get_field_index(below) >= 0
    return False


def _shape_action(batch: pa.RecordBatch, action: str, fields: tuple[pa.Field, ...]) -> pa.StructArray:
    """The action's column with exactly `fields`, whatever types the writer chose for them."""
    if action not in batch.schema.names:
        return nulls_of(batch.num_rows, pa.struct(list(fields)))
    array = _conform(batch.column(action), pa.struct(list(fields)))
    return array if array.field("path").null_count <= array.null_count else _without_blanks(array, action)


def _without_blanks(array: pa.StructArray, action: str) -> pa.StructArray:
    """The array with null for structs whose fields are all null: some writers store an absent action like that."""
    nameless = valid_rows(array) & ~valid_rows(array.field("path"))
    for field, child in zip(array.type, array.flatten(), strict=True):
        if not pa.types.is_nested(field.type) and (nameless & valid_rows(child)).any():
            raise pa.ArrowInvalid(f"{action}.path must be present, found nothing beside {field.name}")
    children = [array.field(index) for index in range(array.type.num_fields)]
    mask = from_flags(~valid_rows(array) | nameless)
    return pa.StructArray.from_arrays(children, fields=list(array.type), mask=mask)


def _conform(array: pa.Array, wanted: pa.DataType) -> pa.Array:
    if array.null_count == len(array):
        return nulls_of(len(array), wanted)
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
    return nulls_of(len(array), field.type) if index < 0 else _conform(array.field(index), field.type)


def _lacks_stats(array: pa.StructArray) -> bool:
    stats = array.field("stats")
    return bool(stats.null_count > array.null_count)


def _unusable(path: str, error: Exception) -> CheckpointUnusableError:
    return CheckpointUnusableError(
        f"The checkpoint file {path} cannot be read: {error}",
        fix="Delete or restore this checkpoint; without it an older one, or the commits alone, will be used.",
        details={"path": path, "reason": str(error)},
    )
