"""Checkpoints to Arrow: classic parts, a V2 top level (JSON or Parquet) and its sidecars.

Only the columns a projection names are fetched and decoded; a file is read range by range through the store.
"""

from __future__ import annotations

import io
from collections.abc import Iterator
from urllib.parse import unquote

import pyarrow as pa
import pyarrow.parquet as pq

from deltaresolver.errors import CheckpointUnusableError, DeltaResolverError
from deltaresolver.log.action_rows import ActionRows
from deltaresolver.log.commits import decode_line, numbered_lines
from deltaresolver.log.json_blocks import JsonBlock, TextSource, parse_block
from deltaresolver.log.projection import Projection
from deltaresolver.log.segment import CheckpointFiles, CheckpointKind
from deltaresolver.log.stats_text import stats_text
from deltaresolver.log.store import LogStore

ROWS_AT_ONCE = 1 << 16
_SIDECARS = "_delta_log/_sidecars/"
_PARSED = "stats_parsed"


def read_top_level(
    store: LogStore, checkpoint: CheckpointFiles, path: str, projection: Projection
) -> tuple[list[ActionRows], tuple[str, ...]]:
    """The rows of one of the checkpoint's own files, and the paths of the sidecars it names.

    Raises `CheckpointUnusableError`.
    """
    if checkpoint.kind is CheckpointKind.V2_JSON:
        data = store.read(path)
        names = _sidecars_in_json(data, path)
        block = JsonBlock(data if data.endswith(b"\n") else data + b"\n", (TextSource(0, 1, path),))
        return parse_block(block, projection), names
    names = () if checkpoint.kind is CheckpointKind.MULTI_PART else _sidecars_in_parquet(store, path)
    return list(read_parquet(store, path, projection)), names


def read_parquet(store: LogStore, path: str, projection: Projection) -> Iterator[ActionRows]:
    """The rows of a checkpoint part or a sidecar, in pieces. Raises `CheckpointUnusableError`."""
    try:
        parts = _read(store, path, projection, parsed=False)
        if parts is None:
            parts = _read(store, path, projection, parsed=True) or []
    except (pa.ArrowException, OSError) as error:
        raise _unusable(path, error) from error
    yield from parts


def _read(store: LogStore, path: str, projection: Projection, *, parsed: bool) -> list[ActionRows] | None:
    """The rows, or None where statistics are asked for that only `stats_parsed` has and `parsed` is off."""
    file = pq.ParquetFile(_StoreFile(store, path), pre_buffer=True)
    leaves = _leaves(file)
    has_parsed = any(leaf.startswith(f"{projection.action}.{_PARSED}.") for leaf in leaves)
    wants_stats = "stats" in projection.result.names
    wanted = [leaf for leaf in leaves if _is_wanted(leaf, projection, parsed and wants_stats)]
    parts = []
    for batch in file.iter_batches(ROWS_AT_ONCE, columns=wanted, use_threads=True):
        rows = _shape(batch, projection)
        if wants_stats and has_parsed and not parsed and _lacks_stats(rows.of(projection.action)):
            return None
        parts.append(rows)
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


def _shape(batch: pa.RecordBatch, projection: Projection) -> ActionRows:
    arrays = {action: _shape_action(batch, action, projection.fields_of(action)) for action in ("add", "remove")}
    return ActionRows(arrays["add"], arrays["remove"])


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


def _sidecars_in_parquet(store: LogStore, path: str) -> tuple[str, ...]:
    try:
        file = pq.ParquetFile(_StoreFile(store, path), pre_buffer=True)
        if "sidecar.path" not in _leaves(file):
            return ()
        column = file.read(columns=["sidecar.path"]).column("sidecar")
    except (pa.ArrowException, OSError) as error:
        raise _unusable(path, error) from error
    return tuple(_sidecar_path(value["path"]) for value in column.drop_null().to_pylist())


def _sidecars_in_json(data: bytes, path: str) -> tuple[str, ...]:
    names = []
    for number, line in numbered_lines(data):
        if b"sidecar" in line:
            sidecar = decode_line(line, path, number).get("sidecar")
            if sidecar is not None:
                names.append(_sidecar_path(sidecar["path"]))
    return tuple(names)


def _sidecar_path(name: str) -> str:
    """Sidecars are named by file name; some writers give the whole path, whose last segment is the name."""
    return _SIDECARS + unquote(name.rpartition("/")[2])


def _unusable(path: str, error: Exception) -> DeltaResolverError:
    if isinstance(error, DeltaResolverError):
        return error
    return CheckpointUnusableError(
        f"The checkpoint file {path} cannot be read: {error}.",
        fix="Read from an older checkpoint or from the commits, then write a new checkpoint.",
        details={"path": path, "reason": str(error)},
    )


class _StoreFile(io.RawIOBase):
    """A stored file as pyarrow reads one: seekable, each read one range of the store."""

    def __init__(self, store: LogStore, path: str) -> None:
        super().__init__()
        self._store = store
        self._path = path
        self._place = 0
        self._size: int | None = None

    def readable(self) -> bool:
        return True

    def seekable(self) -> bool:
        return True

    def tell(self) -> int:
        return self._place

    def seek(self, offset: int, whence: int = io.SEEK_SET) -> int:
        base = {io.SEEK_SET: 0, io.SEEK_CUR: self._place, io.SEEK_END: self.size}[whence]
        self._place = base + offset
        return self._place

    @property
    def size(self) -> int:
        if self._size is None:
            listed = next(self._store.list_from(self._path), None)
            if listed is None or listed.path != self._path:
                self._size = len(self._store.read(self._path))
            else:
                self._size = listed.size
        return self._size

    def read(self, size: int | None = -1) -> bytes:
        length = self.size - self._place if size is None or size < 0 else size
        data = self._store.read_range(self._path, self._place, length) if length else b""
        self._place += len(data)
        return data
