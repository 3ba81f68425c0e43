"""A checkpoint as actions: all of them, or only the small ones without touching the files' columns.

This is the readable way; the columnar replay reads the file actions of large checkpoints as Arrow.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

from deltaresolver.errors import CheckpointUnusableError, DeltaResolverError
from deltaresolver.log.columnar.empty_leaves import without_empty_leaves
from deltaresolver.log.columnar.parquet_memory import open_stored
from deltaresolver.log.columnar.schemas.known_schemas import leaf_paths, top_names
from deltaresolver.log.commits import decode_action, decode_line, numbered_lines
from deltaresolver.log.names import sidecar_location
from deltaresolver.log.segment import CheckpointFiles, CheckpointKind
from deltaresolver.log.storage.log_store import LogStore
from deltaresolver.model.actions import Action, Sidecar, read_action, write_action

SMALL_ACTIONS = ("protocol", "metaData", "txn", "domainMetadata", "sidecar", "checkpointMetadata")
"""What a checkpoint holds beside the files."""

_ONCE = frozenset({"protocol", "metaData", "checkpointMetadata"})
"""What a checkpoint holds at most one of."""

FILE_ACTIONS = ("add", "remove")
_FILE_ACTIONS = frozenset(FILE_ACTIONS)

_BATCH = 1 << 14
"""Rows decoded at a time: few enough to stop early, many enough to be quick over a whole checkpoint."""

_NOT_IN_JSON = frozenset({"stats_parsed", "partitionValues_parsed"})
"""Columns that repeat in typed form what another column holds."""


def read_small_actions(
    store: LogStore, checkpoint: CheckpointFiles, names: Collection[str] = SMALL_ACTIONS
) -> list[Action]:
    """The actions called `names` of the checkpoint's top level. Raises `CheckpointUnusableError`.

    V2 checkpoints keep only file actions in sidecars, so no sidecar is read; nor are further parts once
    everything that occurs only once was found.
    """
    found: list[Action] = []
    missing = set(names)
    for action in _read_top_level(store, checkpoint, names):
        found.append(action)
        missing.difference_update(_ONCE.intersection(write_action(action)))
        if not missing:
            break
    return found


def read_checkpoint(store: LogStore, checkpoint: CheckpointFiles) -> Iterator[Action]:
    """Every action of the checkpoint, those of its sidecars included. Raises `CheckpointUnusableError`."""
    sidecars: list[Sidecar] = []
    for action in _read_top_level(store, checkpoint, (*SMALL_ACTIONS, *FILE_ACTIONS)):
        if isinstance(action, Sidecar):
            sidecars.append(action)
        yield action
    for sidecar in sidecars:
        path = sidecar_location(sidecar.path)
        yield from _read_parquet(store, path, sidecar.size_in_bytes, FILE_ACTIONS, checkpoint)


def _read_top_level(store: LogStore, checkpoint: CheckpointFiles, names: Collection[str]) -> Iterator[Action]:
    for path, size in zip(checkpoint.paths, checkpoint.sizes, strict=True):
        yield from _read_one(store, checkpoint, path, size, names)


def _read_one(
    store: LogStore, checkpoint: CheckpointFiles, path: str, size: int, names: Collection[str]
) -> Iterator[Action]:
    if checkpoint.kind is CheckpointKind.V2_JSON:
        return _read_json(store, checkpoint, names)
    return _read_parquet(store, path, size, names, checkpoint)


def _read_json(store: LogStore, checkpoint: CheckpointFiles, names: Collection[str]) -> Iterator[Action]:
    path = checkpoint.paths[0]
    try:
        for number, line in numbered_lines(store.read(path)):
            for name, value in decode_line(line, path, number).items():
                if value is not None and name in names:
                    yield decode_action(name, value, path, number)
    except DeltaResolverError as error:
        raise unusable(checkpoint, path, error) from error


def _read_parquet(
    store: LogStore, path: str, size: int, names: Collection[str], checkpoint: CheckpointFiles
) -> Iterator[Action]:
    try:
        is_far = not store.is_nearby
        with open_stored(store, path, size, pre_buffer=is_far) as file:
            columns = [name for name in top_names(file) if name in names]
            groups = _groups_with(file, columns)
            if not columns or not groups:
                return
            leaves = _leaves_below(file, columns)
            if _FILE_ACTIONS.isdisjoint(columns):
                # All rows of the file are decoded to find a few: leaves without a value are not worth it.
                leaves = without_empty_leaves(file, leaves)
            for batch in file.iter_batches(_BATCH, row_groups=groups, columns=leaves, use_threads=is_far):
                yield from _actions_of(batch)
    except (pa.ArrowException, OSError, UnicodeDecodeError, DeltaResolverError) as error:
        raise unusable(checkpoint, path, error) from error


def _groups_with(file: pq.ParquetFile, columns: Sequence[str]) -> list[int]:
    """The row groups in which some leaf below one of `columns` has a value, as far as statistics tell."""
    metadata = file.metadata
    leaves = [index for index, path in enumerate(leaf_paths(file)) if path.partition(".")[0] in columns]
    return [
        group
        for group in range(metadata.num_row_groups)
        if any(_may_hold(metadata.row_group(group), leaf) for leaf in leaves)
    ]


def _may_hold(group: pq.RowGroupMetaData, leaf: int) -> bool:
    statistics = group.column(leaf).statistics
    if statistics is None or not statistics.has_null_count:
        return True
    return bool(statistics.null_count < group.num_rows)


def _leaves_below(file: pq.ParquetFile, columns: Collection[str]) -> list[str]:
    """The leaves of `columns` without those that repeat others in typed form."""
    split = [(path, path.split(".", 2)) for path in leaf_paths(file)]
    return [path for path, parts in split if parts[0] in columns and _NOT_IN_JSON.isdisjoint(parts[1:2])]


def _actions_of(batch: pa.RecordBatch) -> Iterator[Action]:
    """The actions of a batch in the order of its rows; nearly all rows of the small columns are null."""
    found: list[tuple[int, str, Any]] = []
    for name in batch.schema.names:
        column = batch.column(name)
        if column.null_count < len(column):
            rows = pc.indices_nonzero(column.is_valid()).to_pylist()
            values = column.drop_null().to_pylist()
            found.extend(
                (row, name, to_json_value(column.type, value)) for row, value in zip(rows, values, strict=True)
            )
    for _, name, value in sorted(found, key=lambda each: each[0]):
        yield read_action(name, value)


def to_json_value(kind: pa.DataType, value: Any) -> Any:
    """A value read from Parquet as the log's JSON would have it: maps as objects, absent fields left out."""
    if value is None:
        return None
    if pa.types.is_struct(kind):
        return {
            field.name: to_json_value(field.type, value[field.name]) for field in kind if value[field.name] is not None
        }
    if pa.types.is_map(kind):
        return {key: to_json_value(kind.item_type, item) for key, item in value}
    if pa.types.is_list(kind):
        return [to_json_value(kind.value_type, item) for item in value]
    return value


def unusable(checkpoint: CheckpointFiles, path: str, error: Exception) -> CheckpointUnusableError:
    """The error for a checkpoint whose file cannot be read."""
    return CheckpointUnusableError(
        f"The checkpoint of version {checkpoint.table_version} cannot be read: {path}: {error}",
        fix="Delete or restore this checkpoint; without it an older one, or the commits alone, will be used.",
        details={"table_version": checkpoint.table_version, "path": path, "reason": str(error)},
    )
