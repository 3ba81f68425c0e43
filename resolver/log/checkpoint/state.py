"""What a checkpoint is made of: a snapshot's small actions, and its files as batches of checkpoint columns."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from concurrent.futures import Future, ThreadPoolExecutor
from functools import partial

import attrs
import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from deltaresolver.errors import LogError
from deltaresolver.log.checkpoint.column_tree import partition_type, stats_type
from deltaresolver.log.checkpoint.kept_tombstones import read_kept_tombstones
from deltaresolver.log.checkpoint.parquet_encoding import Piece
from deltaresolver.log.checkpoint.schema import REMOVE, add_type
from deltaresolver.log.checkpoint.stats import parse_partition_values, parse_stats
from deltaresolver.log.columnar.fast.arrow_numpy import from_flags, whole_number
from deltaresolver.log.columnar.from_values import from_values
from deltaresolver.log.snapshot import Snapshot
from deltaresolver.log.upkeep.settings import writes_stats_as_json, writes_stats_as_struct
from deltaresolver.model.actions import Action, write_action
from deltaresolver.model.protocol import Protocol


@attrs.frozen(slots=True, eq=False)
class CheckpointRest:
    """What a checkpoint holds beside the live files."""

    small: tuple[Action, ...]
    """Protocol, metadata, transactions and domains."""
    removes: pa.Table
    """Tombstones that have not expired, shaped `arrow_schema.TOMBSTONES`."""


@attrs.frozen(slots=True, eq=False)
class CheckpointState:
    """Everything a checkpoint of one table version holds."""

    table_version: int
    protocol: Protocol
    adds: pa.Table
    """Shaped `arrow_schema.ADD_FILES`."""
    add_type: pa.StructType
    """The checkpoint's `add` column."""
    rest: Future[CheckpointRest]
    """May still be read while live files are encoded already."""

    @property
    def small(self) -> tuple[Action, ...]:
        """Protocol, metadata, transactions and domains."""
        return self.rest.result().small

    @property
    def removes(self) -> pa.Table:
        """Tombstones that have not expired."""
        return self.rest.result().removes

    @property
    def file_action_count(self) -> int:
        """How many live files and tombstones there are."""
        return int(self.adds.num_rows) + int(self.removes.num_rows)

    def with_files(self, adds: pa.Table, removes: pa.Table) -> CheckpointState:
        """The same with some of the files only."""
        rest: Future[CheckpointRest] = Future()
        rest.set_result(CheckpointRest(self.small, removes))
        return attrs.evolve(self, adds=adds, rest=rest)


def read_state(snapshot: Snapshot) -> CheckpointState:
    """The state of the snapshot's version without what has expired. Raises as reading the snapshot does.

    What is read beside the live files is read in the background, and raises when it is asked for.
    """
    _ = snapshot.domains  # first, because protocol and metadata are found on the way: a log is searched once
    metadata, protocol = snapshot.metadata, snapshot.protocol
    as_struct = writes_stats_as_struct(metadata)
    kind = add_type(
        stats_as_json=writes_stats_as_json(metadata),
        stats_parsed=stats_type(metadata, protocol) if as_struct else None,
        partition_values_parsed=partition_type(metadata) if as_struct else None,
    )
    oldest_kept = snapshot.min_file_retention_timestamp
    adds = snapshot.files()
    background = ThreadPoolExecutor(1)
    rest = background.submit(_read_rest, snapshot, adds, oldest_kept)
    background.shutdown(wait=False)
    return CheckpointState(snapshot.table_version, protocol, adds, kind, rest)


def _read_rest(snapshot: Snapshot, live: pa.Table, oldest_kept_ms: int) -> CheckpointRest:
    small: list[Action] = [snapshot.protocol, snapshot.metadata]
    small += [*snapshot.transactions.values(), *snapshot.domains.values()]
    return CheckpointRest(tuple(small), _kept_tombstones(snapshot, live, oldest_kept_ms))


def _kept_tombstones(snapshot: Snapshot, live: pa.Table, newer_than_ms: int) -> pa.Table:
    try:
        return read_kept_tombstones(snapshot.store, snapshot.segment, live, newer_than_ms)
    except LogError:
        # The snapshot knows what else to read, or what exactly to say.
        tombstones = snapshot.tombstones()
        deleted = pc.fill_null(tombstones.column("deletionTimestamp"), whole_number(0))
        return tombstones.filter(pc.greater(deleted, whole_number(newer_than_ms)))


def small_rows(actions: tuple[Action, ...], schema: pa.Schema) -> pa.Table:
    """Small actions, one row each."""
    rows = [write_action(action) for action in actions]
    return pa.table([from_values([row.get(f.name) for row in rows], f.type) for f in schema], schema=schema)


def all_pieces(state: CheckpointState, schema: pa.Schema, rows: int) -> Iterator[Piece]:
    """Everything: first what is at hand already, the live files; then tombstones and small actions."""
    yield from file_pieces(state, schema, rows)
    yield partial(small_rows, state.small, schema)


def file_pieces(state: CheckpointState, schema: pa.Schema, rows: int) -> Iterator[Piece]:
    """The live files, then the tombstones, `rows` at a time."""
    for start in range(0, state.adds.num_rows, rows):
        yield partial(add_rows, state.adds.slice(start, rows), state.add_type, schema)
    for start in range(0, state.removes.num_rows, rows):
        yield partial(remove_rows, state.removes.slice(start, rows), schema)


def remove_rows(tombstones: pa.Table, schema: pa.Schema) -> pa.Table:
    """Tombstones as rows of a checkpoint."""
    columns = _columns_of(tombstones)
    columns["dataChange"] = _never(tombstones.num_rows)
    return _rows({"remove": _struct(columns, REMOVE)}, tombstones.num_rows, schema)


def add_rows(files: pa.Table, kind: pa.StructType, schema: pa.Schema) -> pa.Table:
    """Live files as rows of a checkpoint."""
    columns = _columns_of(files)
    columns["dataChange"] = _never(files.num_rows)
    for name, parse, source in (
        ("stats_parsed", parse_stats, "stats"),
        ("partitionValues_parsed", parse_partition_values, "partitionValues"),
    ):
        index = kind.get_field_index(name)
        if index >= 0:
            columns[name] = parse(columns[source], kind.field(index).type)
    return _rows({"add": _struct(columns, kind)}, files.num_rows, schema)


def _columns_of(files: pa.Table) -> dict[str, pa.Array]:
    return {name: _one_chunk(files.column(name)) for name in files.column_names}


def _one_chunk(column: pa.ChunkedArray) -> pa.Array:
    return column.chunk(0) if column.num_chunks == 1 else column.combine_chunks()


def _never(rows: int) -> pa.BooleanArray:
    """A checkpoint changes no data."""
    return from_flags(np.zeros(rows, np.bool_))


def _struct(columns: Mapping[str, pa.Array], kind: pa.StructType) -> pa.StructArray:
    return pa.StructArray.from_arrays([columns[field.name] for field in kind], fields=list(kind))


def _rows(present: Mapping[str, pa.Array], rows: int, schema: pa.Schema) -> pa.Table:
    columns = [present.get(field.name, None) for field in schema]
    return pa.table(
        [
            pa.nulls(rows, field.type) if column is None else column
            for field, column in zip(schema, columns, strict=True)
        ],
        schema=schema,
    )
