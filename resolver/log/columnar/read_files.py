"""The files of a table version as Arrow: every action of a log segment, reconciled, without Python objects per file."""

from __future__ import annotations

import os
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import Executor, Future, ThreadPoolExecutor
from contextlib import AbstractContextManager, nullcontext
from functools import partial
from itertools import chain
from threading import Lock
from typing import TYPE_CHECKING, ParamSpec, TypeVar

import attrs
import pyarrow as pa
import pyarrow.compute as pc

from deltaresolver.log.columnar.action_rows import ActionRows, take_pieces
from deltaresolver.log.columnar.fast.arrow_numpy import from_numbers, whole_number
from deltaresolver.log.columnar.fast.fingerprint import Fingerprints, unforeseen_seed
from deltaresolver.log.columnar.fast.seen_fingerprints import are_distinct
from deltaresolver.log.columnar.file_columns import FileColumns
from deltaresolver.log.columnar.file_keys import FileKeys, find_keys, key_struct
from deltaresolver.log.columnar.json_blocks import parse_block
from deltaresolver.log.columnar.json_input import MAX_FILES, block_bytes_for, group_commits, read_blocks
from deltaresolver.log.columnar.projection import EVERY_TOMBSTONE_FIELD, Projection, project_adds
from deltaresolver.log.columnar.reconcile import KeyedRows, Reconciliation
from deltaresolver.log.segment import CheckpointFiles, CheckpointKind, CommitFile, LogSegment
from deltaresolver.log.storage.log_store import LogStore
from deltaresolver.value import Printable

if TYPE_CHECKING:
    from deltaresolver.log.columnar.parquet_parts import CheckpointPiece

_READ_AHEAD = 2
"""Blocks read, and blocks built, beyond the one that is settled: with fewer, threads wait for the settling; more hold
memory, and win nothing."""
_UNFORESEEN_SEEDS = 2
"""Tried after two that are known beforehand, and quick: one is enough, unless something is broken."""
_BYTES_PER_ACTION = 300
_LITTLE = 1 << 20
"""How many bytes of commits are read without threads: one block, or little more."""
_TINY = 1 << 13
"""Commits of fewer bytes on average take their time to open: that is work under Python's lock, no work for threads."""

_SMALL_CHECKPOINT = 8 << 20
"""A nearby checkpoint of fewer bytes is read without threads."""
_LARGE_CHECKPOINT = 64 << 20
"""A checkpoint of more bytes is decoded so that it takes less memory; smaller ones are over sooner otherwise."""

P = ParamSpec("P")
T = TypeVar("T")


@attrs.frozen(slots=True, eq=False)
class LiveFiles(Printable):
    """The live files of a version, oldest first."""

    table: pa.Table
    """Shaped `ADD_FILES`."""
    prints: Fingerprints
    """Of each row's key, under `seed`: what later commits say of a file finds its row by it."""
    seed: int


def read_files(store: LogStore, segment: LogSegment, columns: FileColumns = FileColumns.ALL) -> pa.Table:
    """The live files of the segment's table version, oldest first: `arrow_schema.ADD_FILES` with `columns` only.

    Raises `CommitMalformedError`, `CheckpointUnusableError`, `StoredFileMissingError`.
    """
    return replayed(store, segment, project_adds(columns.value)).table


def read_live(store: LogStore, segment: LogSegment) -> LiveFiles:
    """As `read_files` with all columns, ready for what later commits change."""
    return _as_live(replayed(store, segment, project_adds(FileColumns.ALL.value)))


def read_changes(store: LogStore, commits: Sequence[CommitFile], seed: int) -> tuple[LiveFiles, list[KeyedRows]]:
    """The live files that `commits` in a row leave, and the keys of all files that they add or remove.

    Fingerprints are under `seed`, or under another where that one takes two files for one. Raises as `read_files`.
    """
    segment = LogSegment(commits[-1].last_version, tuple(commits))
    parts: list[_Part] = []
    added = _as_live(replayed(store, segment, project_adds(FileColumns.ALL.value), seed, parts))
    return added, [rows for part in parts for rows in _keyed_rows(part)]


def _keyed_rows(part: _Part) -> Iterator[KeyedRows]:
    keys = part.keys
    for array, chosen in ((part.rows.add, keys.is_add), (part.rows.remove, ~keys.is_add)):
        if chosen.any():
            yield keys.prints[chosen], key_struct(array).take(from_numbers(keys.rows[chosen]))


def read_tombstones(store: LogStore, segment: LogSegment, newer_than_ms: int | None = None) -> pa.Table:
    """The removed files still remembered, `arrow_schema.TOMBSTONES`; those deleted after `newer_than_ms` if given.

    A tombstone without a deletion time counts as deleted at the epoch. Raises as `read_files`.
    """
    table = replayed(store, segment, EVERY_TOMBSTONE_FIELD).table
    if newer_than_ms is None:
        return table
    deleted = pc.fill_null(table.column("deletionTimestamp"), whole_number(0))
    return table.filter(pc.greater(deleted, whole_number(newer_than_ms)))


@attrs.frozen(slots=True, eq=False)
class Replayed(Printable):
    """What a replay came to, and under which seed."""

    table: pa.Table
    state: Reconciliation
    seed: int


def _as_live(found: Replayed) -> LiveFiles:
    return LiveFiles(found.table, found.state.live_prints(), found.seed)


def replayed(
    store: LogStore,
    segment: LogSegment,
    projection: Projection,
    first_seed: int = 0,
    parts: list[_Part] | None = None,
    kind: Callable[..., Replay] | None = None,
) -> Replayed:
    """The replay under the first seed that will do; what is read of commits is left in `parts` if given."""
    for seed in (first_seed, first_seed + 1, *(unforeseen_seed() for _ in range(_UNFORESEEN_SEEDS))):
        read: list[_Part] = []
        with _pool_for(store, segment) as pool:
            found = (kind or Replay)(pool, store, segment, projection, seed, None if parts is None else read).run()
        if found is not None:
            if parts is not None:
                parts.extend(read)
            return found
    raise AssertionError("keyed hashes told files apart wrongly")


def _pool_for(store: LogStore, segment: LogSegment) -> Executor:
    """Threads, except where they would cost more than they do: to start them takes longer than to read little."""
    count, size = len(segment.commits), sum(commit.size for commit in segment.commits)
    is_little = (size <= _LITTLE and count <= MAX_FILES) or size < min(_TINY, _LITTLE) * count
    checkpoint = segment.checkpoint
    if checkpoint is not None:
        # How large sidecars are is not known yet.
        is_classic = checkpoint.kind in (CheckpointKind.CLASSIC, CheckpointKind.MULTI_PART)
        is_little &= is_classic and store.is_nearby and sum(checkpoint.sizes) <= _SMALL_CHECKPOINT * min(_LITTLE, 1)
    return _AtOnce() if is_little else ThreadPoolExecutor(_workers())


class _AtOnce(Executor):
    """Does what is submitted before `submit` returns."""

    def submit(self, fn: Callable[P, T], /, *args: P.args, **kwargs: P.kwargs) -> Future[T]:
        """The result is there already; what `fn` raises is raised here."""
        done: Future[T] = Future()
        done.set_result(fn(*args, **kwargs))
        return done


def _workers() -> int:
    return max(2, min(8, os.cpu_count() or 2))


@attrs.frozen(slots=True, eq=False)
class _Part(Printable):
    rows: ActionRows
    keys: FileKeys


@attrs.frozen(slots=True, eq=False)
class Replay(Printable):
    """One replay from the newest commit back. Commits are read ahead by threads, but settled in order."""

    pool: Executor
    store: LogStore
    segment: LogSegment
    projection: Projection
    seed: int
    parts: list[_Part] | None
    """Takes what is read of commits."""
    _turn: AbstractContextManager[object] = attrs.field(init=False)
    """To open nearby files is work under Python's lock: threads that do so side by side only wake each other."""
    _block_bytes: int = attrs.field(init=False)

    @_turn.default
    def _take_turns(self) -> AbstractContextManager[object]:
        return Lock() if self.store.is_nearby else nullcontext()

    @_block_bytes.default
    def _choose_block_bytes(self) -> int:
        return block_bytes_for(sum(commit.size for commit in self.segment.commits))

    def run(self) -> Replayed | None:
        """The live rows, oldest first, or None if two files have the same fingerprint under this seed."""
        state = Reconciliation(self.projection.action, _likely_rows(self.segment))
        built: list[Future[pa.StructArray]] = []
        for part in self._newest_first():
            if self.parts is not None:
                self.parts.append(part)
            self._build(built, state, part)
        checkpoint = self.segment.checkpoint
        base = [] if checkpoint is None else self.base(checkpoint, built, state)
        arrays = [job.result() for job in built]
        if not state.verify(arrays):
            return None
        names = self.projection.result.names
        batches = [
            pa.RecordBatch.from_arrays([array.field(name) for name in names], schema=self.projection.result)
            for array in [*base, *reversed(arrays)]
            if len(array)
        ]
        return Replayed(pa.Table.from_batches(batches, self.projection.result), state, self.seed)

    def base(
        self, checkpoint: CheckpointFiles, built: list[Future[pa.StructArray]], state: Reconciliation
    ) -> list[pa.StructArray]:
        """The live rows of the checkpoint, in order, but for those that are `built`."""
        base: list[pa.StructArray] = []
        parts = self._checkpoint(checkpoint)
        if are_distinct([part.keys.prints for part in parts]):
            for part in parts:
                base += take_pieces(part.rows.source, state.settle_oldest(part.rows, part.keys))
        else:
            for part in parts:
                self._build(built, state, part)
        return base

    def _build(self, built: list[Future[pa.StructArray]], state: Reconciliation, part: _Part) -> None:
        rows = state.settle(part.rows, part.keys)
        built.append(self.pool.submit(part.rows.source.take, rows))
        # Reading must not run ahead of building: what waits to be built holds its text in memory.
        if len(built) > _READ_AHEAD:
            built[-_READ_AHEAD].result()

    def _newest_first(self) -> Iterator[_Part]:
        waiting: deque[Future[list[_Part]]] = deque()
        for group in reversed(list(group_commits(self.segment.commits, self._block_bytes))):
            waiting.append(self.pool.submit(self._read_group, group))
            if len(waiting) > _READ_AHEAD:
                yield from reversed(waiting.popleft().result())
        while waiting:
            yield from reversed(waiting.popleft().result())

    def _checkpoint(self, checkpoint: CheckpointFiles) -> list[_Part]:
        """All parts at once: what a checkpoint holds is nearly all live, and its files are read side by side."""
        # A log of commits alone, as a short one is, does without Arrow's reader of Parquet.
        from deltaresolver.log.columnar.parquet_parts import split_checkpoint  # noqa: PLC0415

        pieces = split_checkpoint(self.store, checkpoint)
        is_large = sum(piece.size for piece in pieces) > _LARGE_CHECKPOINT
        # Columns decoded side by side each take fresh memory of their own. That is worth it where they must be waited
        # for, and where there is no other file to decode meanwhile.
        use_threads = not self.store.is_nearby or (is_large and len(pieces) == 1)
        read = partial(self._read_piece, use_threads=use_threads, saves_memory=is_large)
        jobs = [self.pool.submit(read, piece) for piece in pieces]
        return [_Part(rows, keys.result()) for job in jobs for rows, keys in job.result()]

    def _read_piece(
        self, piece: CheckpointPiece, *, use_threads: bool, saves_memory: bool
    ) -> list[tuple[ActionRows, Future[FileKeys]]]:
        from deltaresolver.log.columnar.parquet_parts import read_piece  # noqa: PLC0415

        parts = read_piece(self.store, piece, self.projection, use_threads=use_threads, saves_memory=saves_memory)
        # Keys are found by another thread while this one decodes on.
        return [(rows, self.pool.submit(find_keys, rows, self.seed)) for rows in parts]

    def _read_group(self, group: tuple[CommitFile, ...]) -> list[_Part]:
        blocks = read_blocks(self.store, group, self._block_bytes)
        with self._turn:
            first = next(blocks)
        return [part for block in chain([first], blocks) for part in self._keyed(parse_block(block, self.projection))]

    def _keyed(self, parts: Iterable[ActionRows]) -> Iterator[_Part]:
        for rows in parts:
            yield _Part(rows, find_keys(rows, self.seed))


def _likely_rows(segment: LogSegment) -> int:
    """A guess at what is settled before the checkpoint; it sizes a table and decides about speed alone."""
    return sum(commit.size for commit in segment.commits) // _BYTES_PER_ACTION
