"""The files that a condition leaves of a large log: what it does not choose of a checkpoint is let go part by part."""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import Future
from functools import partial
from typing import Any, TypeVar

import attrs
import pyarrow as pa

from deltaresolver.log.columnar.action_rows import take_pieces
from deltaresolver.log.columnar.fast.fingerprint import Fingerprints
from deltaresolver.log.columnar.fast.seen_fingerprints import are_distinct
from deltaresolver.log.columnar.file_columns import FileColumns
from deltaresolver.log.columnar.file_keys import find_keys
from deltaresolver.log.columnar.parquet_parts import read_piece, split_checkpoint
from deltaresolver.log.columnar.projection import project_adds
from deltaresolver.log.columnar.read_files import Replay, read_files, replayed
from deltaresolver.log.columnar.reconcile import Reconciliation
from deltaresolver.log.segment import CheckpointFiles, CheckpointKind, LogSegment
from deltaresolver.log.storage.log_store import LogStore

T = TypeVar("T")
Keep = Callable[[pa.Table], pa.Table]
"""The files that are chosen of some, in order; of files that it has chosen it takes all."""


PART_BY_PART_BYTES = 128 << 20
"""A larger checkpoint is read so where only some of its files are asked for: some 1.7 million of them, and 0.7 GB."""


def is_large(store: LogStore, segment: LogSegment) -> bool:
    """Whether the checkpoint is worth it. Raises `CheckpointUnusableError`."""
    return segment.checkpoint is not None and _size_of(store, segment.checkpoint) > PART_BY_PART_BYTES


_BYTES_IN_CHECKPOINT, _BYTES_IN_COMMIT = 79, 300
"""What an action takes, in a log whose files have statistics of four columns."""


_LET_GO = 10
"""Of ten actions of a checkpoint that is read part by part, this process holds as much memory as of one that it keeps:
40 bytes a file, measured at ten million, where it keeps 380."""


@attrs.frozen(slots=True)
class LikelyActions:
    """How many actions a replay reads, and how many it holds at once where parts are let go; by sizes of files."""

    read: int
    held: int

    @classmethod
    def of(cls, store: LogStore, segment: LogSegment) -> LikelyActions:
        """Those of a segment. Raises `CheckpointUnusableError`."""
        commits = sum(commit.size for commit in segment.commits) // _BYTES_IN_COMMIT
        if segment.checkpoint is None:
            return cls(commits, commits)
        size = _size_of(store, segment.checkpoint)
        behind = size // _BYTES_IN_CHECKPOINT
        return cls(commits + behind, commits + (behind // _LET_GO if size > PART_BY_PART_BYTES else behind))


def _size_of(store: LogStore, checkpoint: CheckpointFiles) -> int:
    if checkpoint.kind in (CheckpointKind.CLASSIC, CheckpointKind.MULTI_PART):
        return sum(checkpoint.sizes)
    return sum(piece.size for piece in split_checkpoint(store, checkpoint))


class _RepeatedFileError(Exception):
    """A checkpoint names a file twice, so that its parts cannot be settled one by one."""


def read_chosen(store: LogStore, segment: LogSegment, keep: Keep) -> pa.Table:
    """What `keep` leaves of `read_files`. Memory follows what is chosen, with 8 bytes for each file of the checkpoint.

    Raises as `read_files`.
    """
    kind = partial(_ChoosingReplay, keep=keep)
    try:
        table = replayed(store, segment, project_adds(FileColumns.ALL.value), kind=kind).table
    except _RepeatedFileError:
        table = read_files(store, segment)
    return keep(table)


def read_counted(store: LogStore, segment: LogSegment, count: Callable[[pa.Table], T], columns: FileColumns) -> list[T]:
    """What `count` says of each part of `read_files`, none of which is kept. Raises as `read_files`."""
    found: list[T] = []

    def let_go(files: pa.Table) -> pa.Table:
        found.append(count(files))
        return files.slice(0, 0)

    def begin_anew(*given: Any) -> Replay:
        found.clear()
        return _ChoosingReplay(*given, keep=let_go)

    try:
        rest = replayed(store, segment, project_adds(columns.value), kind=begin_anew).table
    except _RepeatedFileError:
        return [count(read_files(store, segment, columns))]
    return [*found, count(rest)]


@attrs.frozen(slots=True, eq=False)
class _ChoosingReplay(Replay):
    """A replay that keeps of the checkpoint only what is chosen. Of commits it keeps all, which `verify` looks at."""

    keep: Keep = attrs.field(kw_only=True)

    def base(
        self, checkpoint: CheckpointFiles, built: list[Future[pa.StructArray]], state: Reconciliation
    ) -> list[pa.StructArray]:
        """The chosen live rows. Raises `_RepeatedFileError`."""
        del built
        chosen: list[pa.StructArray] = []
        prints: list[Fingerprints] = []
        for piece in split_checkpoint(self.store, checkpoint):
            for rows in read_piece(self.store, piece, self.projection, use_threads=True):
                keys = find_keys(rows, self.seed)
                prints.append(keys.prints)
                for live in take_pieces(rows.source, state.settle_oldest(rows, keys)):
                    chosen += self._chosen(live)
        if not are_distinct(prints):
            raise _RepeatedFileError
        return chosen

    def _chosen(self, live: pa.StructArray) -> list[pa.StructArray]:
        names, schema = self.projection.result.names, self.projection.result
        batch = pa.RecordBatch.from_arrays([live.field(name) for name in names], schema=schema)
        kept = self.keep(pa.Table.from_batches([batch], schema))
        # A copy, since a slice would keep the whole part.
        return [each.to_struct_array() for each in kept.combine_chunks().to_batches()]
