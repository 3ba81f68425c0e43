"""A table whose rows a statement changes: files that may hold them, scans of them, what is written and undone."""

from __future__ import annotations

import time
from collections.abc import Iterable, Mapping, Sequence
from functools import cached_property
from typing import TYPE_CHECKING

import attrs
import pyarrow as pa

from deltaresolver.errors import RewriteMismatchError, TableNotFoundError
from deltaresolver.expressions.names import TargetCondition
from deltaresolver.expressions.text.reading import SqlReading
from deltaresolver.log.columnar.arrow_schema import ADD_FILES
from deltaresolver.log.columnar.file_rows import add_from_row, iterate_rows
from deltaresolver.log.snapshot import Snapshot, milliseconds_now
from deltaresolver.model.actions import Action, AddFile, ChangeFile, RemoveFile
from deltaresolver.model.metadata import Metadata
from deltaresolver.model.schema import quoted
from deltaresolver.model.support import Task
from deltaresolver.spark.block.active import block_at
from deltaresolver.spark.changes.conditions import Given
from deltaresolver.spark.changes.copied_rows import KEEPS_ROW_IDS, is_tracked
from deltaresolver.spark.changes.live_records import live_records
from deltaresolver.spark.changes.partition_answers import AsGiven, narrowed
from deltaresolver.spark.changes.shuffle_parts import parts_for
from deltaresolver.spark.changes.whole_files import whole_files
from deltaresolver.spark.declared_lengths import keeps_lengths
from deltaresolver.spark.held_settings import session_settings
from deltaresolver.spark.maintenance.auto_compaction import AutoCompaction
from deltaresolver.spark.maintenance.optimized_write import gathered, is_wanted, task_settings
from deltaresolver.spark.reading.file_location import TableRoot
from deltaresolver.spark.reading.outside import read_outside
from deltaresolver.spark.reading.readable import ensure_readable
from deltaresolver.spark.reading.scan import TableScan
from deltaresolver.spark.reading.select_files import texts_read
from deltaresolver.spark.session import session_reading, session_time_zone
from deltaresolver.spark.writing.data_folder import DataFolder
from deltaresolver.spark.writing.row_balance import ensure_all_named, ensure_balanced
from deltaresolver.spark.writing.row_plan import TableRules, stored
from deltaresolver.spark.writing.statistics.file_layout import layout_of
from deltaresolver.spark.writing.written_data import CountedKinds, FileLayout, WrittenData, write_changes, write_data
from deltaresolver.table import Table
from deltaresolver.transaction.commit.removed_files import removal
from deltaresolver.transaction.transaction import OptimisticTransaction

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

CHANGE_TYPE = "_change_type"
PREIMAGE, POSTIMAGE = "update_preimage", "update_postimage"
CHANGE_FOLDER = "_change_data/"
_FEW = 4


@attrs.frozen(slots=True, eq=False)
class Candidates:
    """Files that may hold rows of a condition, as a table and as actions, and their numbers by Spark's names.

    all_hold   whether all rows of them satisfy the condition
    """

    files: pa.Table
    adds: Sequence[AddFile]
    keys: Mapping[str, int]
    all_hold: bool = False

    def take(self, numbers: Iterable[int]) -> pa.Table:
        """Some of the files, in this order."""
        return self.files.take(pa.array(list(numbers), pa.int64()))


class FileNumbers(dict[str, int]):
    """The number of each file by the name that Spark has for it."""

    def __missing__(self, name: str) -> int:
        raise RewriteMismatchError(
            f"Spark found rows in {name}, and no file of the table is known by that name.",
            fix="Look for a file in the log whose path is written in another way, such as with .. or //.",
            details={"file": name},
        )


class ChangedTable:
    """One table as a transaction has read it, while a statement changes its rows. Nothing is committed here."""

    def __init__(self, transaction: OptimisticTransaction, table: Table, spark: SparkSession) -> None:
        self.transaction = transaction
        self.spark = spark
        self.catalog = table.catalog
        self.location = table.log.store.location
        self._storage_options = table.storage_options
        self.snapshot = _existing(transaction, self.location)
        self.now_ms = milliseconds_now()
        self._session = table.starter.session
        if block_at(table.log.store) is None:
            transaction.register_post_commit_hook(AutoCompaction(spark, table))
        self._folders: list[DataFolder] = []
        self._vector_paths: list[str] = []
        self._written: list[str] = []
        self._started = time.monotonic()
        self._first_written: float | None = None

    @property
    def metadata(self) -> Metadata:
        """The metadata that rows are written under."""
        return self.transaction.metadata

    @property
    def rules(self) -> TableRules:
        """What the table demands of rows. Raises `TableExpressionRefusedError`."""
        trusts = self.transaction.trusts_expressions
        lengths = keeps_lengths(self.spark, self.metadata.schema.fields)
        protocol = self.transaction.protocol
        return TableRules.of(self.metadata, protocol, self.catalog, trusts=trusts, keeps_lengths=lengths)

    @cached_property
    def zone(self) -> str:
        """The session's time zone."""
        return session_time_zone(self.spark)

    @cached_property
    def reading(self) -> SqlReading:
        """How the session reads literals."""
        return session_reading(self.spark)

    def is_on(self, key: str) -> bool:
        """Whether a property of the table is true."""
        return self.metadata.is_on(key)

    @property
    def tags(self) -> Mapping[str, str]:
        """What the commit says of row ids: that rows which moved have kept theirs."""
        return KEEPS_ROW_IDS if is_tracked(self.metadata) else {}

    # --- reading -------------------------------------------------------------------------------

    def candidates(self, condition: str, also: str | None = None, given: AsGiven | None = None) -> Candidates:
        """The files that may hold rows of `condition`; the transaction has then read what it selects.

        `also` is a condition by which only files are left out: rows of others' files that do not satisfy it are
        read all the same. `given` is what somebody wrote that has come to `condition`.
        Raises `PredicateUnreadableError`, `PartitionReadingError`, and `SparkReadError` kinds.
        """
        ensure_readable(self.snapshot.protocol, self.snapshot.metadata, Task.REWRITE)
        wanted = condition if also is None else f"({condition}) AND ({also})"
        found = narrowed(self.snapshot, self._scan_as_read, wanted, self.zone, given)
        files = found.files
        adds = [add_from_row(row) for row in iterate_rows(files)]
        self.transaction.track_read_predicates(*texts_read(condition, self.metadata, self.zone))
        self.transaction.track_files_read(adds)
        root = TableRoot.of(self.location, self.snapshot.store)
        numbers = FileNumbers((root.file(add.path).key, place) for place, add in enumerate(adds))
        return Candidates(files, adds, numbers, found.all_hold)

    def as_given(
        self, condition: Given | None, name: str | None, on_table: TargetCondition, beside: DataFrame | None = None
    ) -> AsGiven | None:
        """A condition for `candidates`, if it is text; `name` is what it calls the table."""
        if not isinstance(condition, str):
            return None
        is_all = on_table.is_all and beside is None
        return AsGiven(condition, name, self.reading, is_all, on_table.text, beside)

    def _scan_as_read(self) -> TableScan:
        return self.scan(metadata=self.snapshot.metadata)

    def scan(
        self, *, positions: bool = False, row_tracking: bool = False, metadata: Metadata | None = None
    ) -> TableScan:
        """The table's columns, by the metadata that rows are written under if no other is given."""
        store = self.snapshot.store
        metadata = self.metadata if metadata is None else metadata
        root = TableRoot.of(self.location, store)
        fields = metadata.schema.fields
        outside, options = read_outside(store, self._storage_options), self._storage_options
        return TableScan(self.spark, store, root, metadata, fields, row_tracking, positions, outside, options)

    def no_rows(self, alias: str | None = None, metadata: Metadata | None = None) -> DataFrame:
        """The table's columns without a row, for Spark to check conditions and values against."""
        rows = self.scan(metadata=metadata).rows(ADD_FILES.empty_table())
        return rows if alias is None else rows.alias(alias)

    def whole_files(self, among: Candidates, found: Mapping[int, int]) -> frozenset[int]:
        """Of which files so many rows are all there are. Raises as `whole_files`."""
        return whole_files(self.spark, self.snapshot.store, among.adds, found)

    # --- writing -------------------------------------------------------------------------------

    @property
    def layout(self) -> FileLayout:
        """How new files look."""
        return layout_of(self.metadata, self.transaction.protocol, self.catalog)

    def write(
        self,
        rows: DataFrame,
        *,
        gathers: int | None = None,
        counted: CountedKinds | None = None,
        stays_as_laid_out: bool = False,
    ) -> WrittenData:
        """Put rows, as data files have them, into new files; about `gathers` rows into few, at the price of a shuffle.

        Where the table or the session wants optimized writes, rows are gathered as well, unless they stay in the tasks
        they are in. Raises as `write_data`.
        """
        layout = self.layout
        settings: Mapping[str, str] = {}
        if not stays_as_laid_out and is_wanted(None, self.metadata, self._session):
            rows = gathered(rows, [name for name, _ in layout.partition_columns])
            settings = task_settings(self._session)
        elif gathers is not None and layout.partition_columns:
            rows = rows.repartition(*(quoted(name) for name, _ in layout.partition_columns))
        elif gathers is not None:
            rows = rows.hint("rebalance", parts_for(gathers))
        with session_settings(self.spark, settings):
            written = write_data(rows, self._folder(), layout, {}, counted=counted)
        self.transaction.mark_written()
        self._written.extend(add.path for add in written.adds)
        return written

    def write_changes(self, rows: DataFrame) -> Sequence[ChangeFile]:
        """Put rows of the table, each with its `CHANGE_TYPE`, into files of change data."""
        ready = stored(rows, self.metadata, more=(CHANGE_TYPE,))
        files = write_changes(ready, self._folder(CHANGE_FOLDER), self.layout, {})
        self._written.extend(file.path for file in files)
        return files

    def put_vectors(self, path: str, data: bytes) -> None:
        """Store deletion vectors."""
        self._first_written = self._first_written or time.monotonic()
        self._vector_paths.append(path)
        self.snapshot.store.put(path, data)

    def removals(self, adds: Iterable[AddFile]) -> list[RemoveFile]:
        """The actions that take out these files."""
        return [removal(add, self.now_ms) for add in adds]

    def ensure_balanced(
        self, actions: Sequence[Action], *, inserted: int = 0, deleted: int | None = 0
    ) -> Mapping[str, str]:
        """Check a change before its commit: rows add up, and every file written is named. Its metric for the commit.

        Raises `RowsUnaccountedError`.
        """
        ensure_all_named(self.location, self._written, actions)
        return ensure_balanced(self.location, actions, inserted=inserted, deleted=deleted)

    def times(self) -> Mapping[str, str]:
        """How long the statement took so far: to find rows until it first wrote, and to write."""
        now = time.monotonic()
        wrote_at = now if self._first_written is None else self._first_written
        seconds = {
            "executionTimeMs": now - self._started,
            "scanTimeMs": wrote_at - self._started,
            "rewriteTimeMs": now - wrote_at,
        }
        return {name: str(round(value * 1000)) for name, value in seconds.items()}

    def undo(self) -> None:
        """Delete the files that were written; for a transaction that is not committed."""
        for folder in self._folders:
            folder.remove()
        for path in self._vector_paths:
            self.snapshot.store.delete(path)

    def _folder(self, parent: str = "") -> DataFolder:
        self._first_written = self._first_written or time.monotonic()
        folder = DataFolder.fresh(self.snapshot.store, parent)
        self._folders.append(folder)
        return folder


def are_few(count: int, adds: Iterable[AddFile]) -> bool:
    """Whether so many rows are a small part of these files, so that each task that reads them finds few."""
    return count * _FEW < sum(live_records(add) or 0 for add in adds)


def _existing(transaction: OptimisticTransaction, location: str) -> Snapshot:
    if transaction.snapshot is None:
        raise TableNotFoundError(
            f"There is no Delta table at {location}.", fix="Check the location.", details={"location": location}
        )
    return transaction.snapshot
