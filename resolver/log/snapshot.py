"""The state of a table at one version; every part is read when first asked for."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import cached_property, partial
from typing import TYPE_CHECKING, TypeVar

from deltaresolver.errors import (
    CheckpointUnusableError,
    CommitMalformedError,
    LogError,
    LogGapError,
    LogTruncatedError,
    StorageUnavailableError,
    StoredFileMissingError,
)
from deltaresolver.log.build_segment import build_segment, extend_segment
from deltaresolver.log.columnar.file_columns import FileColumns
from deltaresolver.log.listing import list_log
from deltaresolver.log.segment import CheckpointFiles, CommitFile, LogSegment
from deltaresolver.log.storage.log_store import LogStore
from deltaresolver.log.tail import TableTail, extend_tail, read_tail
from deltaresolver.model.actions import AddFile, DomainMetadata, RemoveFile, SetTransaction
from deltaresolver.model.metadata import Metadata
from deltaresolver.model.protocol import Protocol

if TYPE_CHECKING:
    import pyarrow as pa

    from deltaresolver.expressions.predicates import Predicate
    from deltaresolver.log.columnar.read_files import LiveFiles

T = TypeVar("T")

MAX_COMMITS_CARRIED = 1000
"""After more new commits than this, an update reads the table afresh: a checkpoint is likely to be nearer."""

MAX_BYTES_KEPT_UNASKED = 64 << 20
"""Live files that only a checkpoint asked for are kept for the next one up to this size."""

Clock = Callable[[], int]
"""Milliseconds since the epoch; retention is reckoned from it."""


def milliseconds_now() -> int:
    """The machine's clock."""
    return time.time_ns() // 1_000_000


class Snapshot:
    """One version of a table. Safe to keep: it never moves to another version.

    A checkpoint that turns out to be unreadable is left aside for an older one or the commits alone;
    `CheckpointUnusableError` is raised only when nothing else stands for it.
    """

    def __init__(
        self,
        store: LogStore,
        segment: LogSegment,
        staged: Sequence[CommitFile] = (),
        clock: Clock = milliseconds_now,
        tail: TableTail | None = None,
    ) -> None:
        """`tail` is what the caller has read of this very version already."""
        self.store = store
        self._segment = segment
        self._staged = tuple(staged)
        self.clock = clock
        """What retention is reckoned from."""
        self._unusable: tuple[CheckpointFiles, ...] = ()
        self._earlier_files: tuple[LiveFiles, tuple[CommitFile, ...]] | None = None
        if tail is not None:
            self.__dict__["_tail"] = tail

    def __repr__(self) -> str:
        return f"Snapshot({self.store.location!r}, version {self.table_version})"

    @property
    def table_version(self) -> int:
        """The version of the table."""
        return self._segment.table_version

    @property
    def segment(self) -> LogSegment:
        """The files this version is built from."""
        return self._segment

    @property
    def protocol(self) -> Protocol:
        """The protocol in force at this version."""
        return self._tail.protocol

    @property
    def metadata(self) -> Metadata:
        """The metadata in force at this version."""
        return self._tail.metadata

    @cached_property
    def timestamp_ms(self) -> int:
        """When this version was committed: its in-commit timestamp, else its file's time."""
        from deltaresolver.log.timestamps import read_version_timestamp

        return read_version_timestamp(self.store, self._segment, self.metadata)

    @property
    def min_file_retention_timestamp(self) -> int:
        """Files removed before this moment may be gone, and checkpoints forget them. Raises `PropertyInvalidError`."""
        from deltaresolver.log.upkeep.retention import tombstone_retention_ms

        return self.clock() - tombstone_retention_ms(self.metadata)

    @cached_property
    def transactions(self) -> Mapping[str, SetTransaction]:
        """The last transaction of every application, by its id, without those past their retention."""
        from deltaresolver.log.upkeep.retention import remembered_transactions

        return remembered_transactions(self._full_tail.transactions or {}, self.metadata, self.clock)

    @cached_property
    def domains(self) -> Mapping[str, DomainMetadata]:
        """The domain metadata in force, by domain."""
        return self._full_tail.domains or {}

    def files(self, predicate: Predicate | None = None, *, columns: FileColumns = FileColumns.ALL) -> pa.Table:
        """The live files that may hold a row `predicate` is true for: `arrow_schema.ADD_FILES` with `columns`.

        Partition values and statistics decide; a file that could match is never left out. All columns together
        are kept for later calls and updates, a choice of columns alone is read afresh. Raises
        `CommitMalformedError`, `CheckpointUnusableError`, and `UnknownColumnError` for the predicate's columns.
        """
        if predicate is not None:
            from deltaresolver.log.pruning.prune import prune

            return prune(self._live.table, self.metadata, predicate).select(list(columns.value))
        if columns is FileColumns.ALL or "_live" in self.__dict__:
            return self._live.table.select(list(columns.value))
        from deltaresolver.log.columnar.read_files import read_files

        return self.read_from(lambda segment: read_files(self.store, self._compacted(segment), columns))

    def chosen_files(self, keep: Callable[[pa.Table], pa.Table]) -> pa.Table:
        """What `keep` leaves of the live files, with all columns; `keep` takes all of what it has left.

        A large checkpoint that was not read before is read part by part, and only what is chosen is kept. Raises as
        `files`.
        """
        if not self.holds_files and self._segment.checkpoint is not None:
            from deltaresolver.log.pruning.chosen_files import is_large, read_chosen

            if self.read_from(partial(is_large, self.store)):
                return self.read_from(lambda segment: read_chosen(self.store, self._compacted(segment), keep))
        return keep(self.files())

    def tombstones(self) -> pa.Table:
        """The removed files the log still remembers, shaped `arrow_schema.TOMBSTONES`."""
        from deltaresolver.log.columnar.read_files import read_tombstones

        return self.read_from(lambda segment: read_tombstones(self.store, self._compacted(segment)))

    def add_actions(self) -> Iterator[AddFile]:
        """The live files as actions, made one by one."""
        if not self.holds_files and self._few_files is not None:
            yield from self._few_files
            return
        from deltaresolver.log.columnar.file_rows import add_from_row, iterate_rows

        for row in iterate_rows(self._live.table):
            yield add_from_row(row)

    def remove_actions(self) -> Iterator[RemoveFile]:
        """The tombstones as actions, made one by one."""
        from deltaresolver.log.columnar.file_rows import iterate_rows, remove_from_row

        for row in iterate_rows(self.tombstones()):
            yield remove_from_row(row)

    @property
    def holds_files(self) -> bool:
        """Whether the live files were read and are kept."""
        return "_live" in self.__dict__ or self._earlier_files is not None

    def let_files_go(self) -> None:
        """Keep the live files no longer, if they take much memory: whoever asks for them again has them read again."""
        live: LiveFiles | None = self.__dict__.get("_live")
        if live is not None and live.table.nbytes > MAX_BYTES_KEPT_UNASKED:
            import pyarrow as pa

            del self.__dict__["_live"], live
            pa.default_memory_pool().release_unused()

    def update(self) -> Snapshot:
        """The latest snapshot: this one if nothing was committed since.

        What this one has read is carried over, so that only the new commits are read. Raises as
        `build_segment` when the log was replaced or damaged meanwhile.
        """
        files = list_log(self.store, self.table_version, None, self._staged)
        if not files.commits or files.commits[0] != self._segment.last_commit:
            return self._rebuilt()
        added = files.commits[1:]
        if not added:
            return self
        try:
            segment = extend_segment(self._segment, files, self.store.location)
        except (LogGapError, LogTruncatedError):
            return self._rebuilt()  # which lists until the listing is whole, if it ever is
        later = Snapshot(self.store, segment, self._staged, self.clock)
        if len(added) <= MAX_COMMITS_CARRIED:
            self._hand_over(later, added)
        return later

    def _rebuilt(self) -> Snapshot:
        segment = build_segment(self.store, staged=self._staged)
        return self if segment == self._segment else Snapshot(self.store, segment, self._staged, self.clock)

    def _hand_over(self, later: Snapshot, added: tuple[CommitFile, ...]) -> None:
        loaded = self.__dict__
        if "_full_tail" in loaded:
            tail = extend_tail(self.store, self._full_tail, added)
            later.__dict__.update(_full_tail=tail, _tail=tail)
        elif "_tail" in loaded:
            later.__dict__["_tail"] = extend_tail(self.store, self._tail, added)
        if "_live" in loaded:
            later._earlier_files = (self._live, added)

    @cached_property
    def _tail(self) -> TableTail:
        if "_full_tail" in self.__dict__:
            return self._full_tail
        return self.read_from(lambda segment: read_tail(self.store, segment))

    @cached_property
    def _full_tail(self) -> TableTail:
        known = self.__dict__.get("_tail")
        return self.read_from(lambda segment: read_tail(self.store, segment, known, transactions=True, domains=True))

    @cached_property
    def _few_files(self) -> list[AddFile] | None:
        """The live files of a small log, read without Arrow; None for any other."""
        from deltaresolver.log.replay.small_log import is_small, live_files

        return self.read_from(lambda segment: live_files(self.store, segment) if is_small(segment) else None)

    @cached_property
    def _live(self) -> LiveFiles:
        earlier, self._earlier_files = self._earlier_files, None
        if earlier is not None:
            from deltaresolver.log.columnar.incremental import apply_commits

            return apply_commits(self.store, *earlier)
        from deltaresolver.log.columnar.read_files import read_live

        return self.read_from(lambda segment: read_live(self.store, self._compacted(segment)))

    def _compacted(self, segment: LogSegment) -> LogSegment:
        from deltaresolver.log.compactions import prefer_compactions

        return prefer_compactions(self.store, segment)

    def read_from(self, reader: Callable[[LogSegment], T]) -> T:
        """What `reader` makes of the segment, or of another for the same version where files turn out unusable."""
        while True:
            try:
                return reader(self._segment)
            except CheckpointUnusableError as error:
                self._segment = self._without_checkpoint(error)
            except StoredFileMissingError as error:
                self._segment = self._without_missing(error)
            except CommitMalformedError as error:
                # The lines of a V2 checkpoint's JSON are read like a commit's.
                checkpoint = self._segment.checkpoint
                if checkpoint is None or error.details.get("path") not in checkpoint.paths:
                    raise
                self._segment = self._without_checkpoint(error)

    def _without_checkpoint(self, error: LogError) -> LogSegment:
        if self._segment.checkpoint is None:
            raise error
        self._unusable = (*self._unusable, self._segment.checkpoint)
        try:
            return build_segment(self.store, self.table_version, staged=self._staged, avoid=self._unusable)
        except StorageUnavailableError:
            raise
        except LogError:
            # A storage that did not answer may answer later; a checkpoint that is broken stays so.
            cause = error.__cause__
            raise cause if isinstance(cause, StorageUnavailableError) else error from None

    def _without_missing(self, error: StoredFileMissingError) -> LogSegment:
        """The segment after a file listed before is gone: cleaned up, or a sidecar that never was."""
        path = str(error.details.get("path", ""))
        if not any(path.endswith(commit.path) for commit in self._segment.commits):
            return self._without_checkpoint(error)
        segment = build_segment(self.store, self.table_version, staged=self._staged, avoid=self._unusable)
        if segment == self._segment:
            raise error
        return segment
