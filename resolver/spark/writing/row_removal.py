"""Rows taken out of a table by a condition: whole files go, others are marked or written anew without the rows."""

from __future__ import annotations

import uuid
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import attrs
import msgspec
import numpy as np
import pyarrow as pa

from deltaresolver.log.columnar.arrow_schema import ADD_FILES
from deltaresolver.log.columnar.file_rows import add_from_row, iterate_rows
from deltaresolver.log.deletion_vector_encoding import vector_file
from deltaresolver.log.deletion_vectors import Rows
from deltaresolver.log.snapshot import milliseconds_now
from deltaresolver.model.actions import Action, AddFile
from deltaresolver.model.rules import read_boolean
from deltaresolver.spark.reading.file_facts import FILE, ROW
from deltaresolver.spark.reading.file_location import TableRoot
from deltaresolver.spark.reading.readable import ensure_readable
from deltaresolver.spark.reading.scan import TableScan
from deltaresolver.spark.reading.select_files import partition_judge, select_files, texts_read, zoned_parts
from deltaresolver.spark.session import session_time_zone
from deltaresolver.spark.writing.copied_rows import copied, is_tracked
from deltaresolver.spark.writing.data_folder import DataFolder
from deltaresolver.spark.writing.file_layout import layout_of
from deltaresolver.spark.writing.row_plan import stored
from deltaresolver.spark.writing.written_data import write_changes, write_data
from deltaresolver.table import Table
from deltaresolver.transaction.predicate_sql import SqlPredicate
from deltaresolver.transaction.removed_files import removal
from deltaresolver.transaction.transaction import OptimisticTransaction

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

VECTORS = "delta.enableDeletionVectors"
CHANGE_FEED = "delta.enableChangeDataFeed"
CHANGE_TYPE = "_change_type"
CHANGE_FOLDER = "_change_data/"


@attrs.frozen(slots=True, eq=False)
class RemovedRows:
    """The actions that take rows out, and what they amount to."""

    actions: tuple[Action, ...] = ()
    files_removed: int = 0
    files_rewritten: int = 0
    files_marked: int = 0
    rows_removed: int | None = None
    has_change_files: bool = False

    def metrics(self) -> Mapping[str, str]:
        """For history."""
        found = {
            "numRemovedFiles": str(self.files_removed),
            "numCopiedFiles": str(self.files_rewritten),
            "numDeletionVectorsAdded": str(self.files_marked),
        }
        return found if self.rows_removed is None else {**found, "numDeletedRows": str(self.rows_removed)}


class RowRemoval:
    """Takes the rows for which `condition` is true out of what a transaction has read. Nothing is committed."""

    def __init__(self, transaction: OptimisticTransaction, table: Table, spark: SparkSession, condition: str) -> None:
        assert transaction.snapshot is not None
        self._transaction = transaction
        self._snapshot = transaction.snapshot
        self._table = table
        self._spark = spark
        self._condition = condition
        self._metadata = transaction.metadata
        self.now_ms = milliseconds_now()
        self._folders: list[DataFolder] = []
        self._vector_paths: list[str] = []

    def run(self) -> RemovedRows:
        """Find and remove. Raises `PredicateUnreadableError`, `SparkReadError` kinds, and what Spark raises."""
        ensure_readable(self._snapshot.protocol, self._snapshot.metadata)
        zone = session_time_zone(self._spark)
        files = select_files(self._snapshot, self._condition, zone)
        adds = [add_from_row(row) for row in iterate_rows(files)]
        self._transaction.track_read_predicates(*texts_read(self._condition, self._metadata, zone))
        self._transaction.track_files_read(adds)
        if not adds:
            return RemovedRows()
        if self._surely_whole(adds):
            return self._whole(adds)
        return self._partly(files, adds)

    def undo(self) -> None:
        """Delete the files that were written; for a transaction that is not committed."""
        for folder in self._folders:
            folder.remove()
        for path in self._vector_paths:
            self._snapshot.store.delete(path)

    # --- whole files ---------------------------------------------------------------------------

    def _surely_whole(self, adds: Sequence[AddFile]) -> bool:
        """Whether partition values alone tell that every row of these files goes."""
        zone = session_time_zone(self._spark)
        names = frozenset(name.lower() for name in self._metadata.partition_columns)
        parts: list[SqlPredicate] = []
        for part in zoned_parts(self._condition, self._metadata, zone):
            if part is None or not part.looks_only_at(names):
                return False
            parts.append(part)
        judge = partition_judge(self._metadata, zone)
        return all(judge.surely_holds(part, add.partition_values) for add in adds for part in parts)

    def _whole(self, adds: Sequence[AddFile]) -> RemovedRows:
        return RemovedRows(tuple(removal(add, self.now_ms) for add in adds), files_removed=len(adds))

    # --- parts of files ------------------------------------------------------------------------

    def _scan(self, *, positions: bool = False, row_tracking: bool = False) -> TableScan:
        store = self._snapshot.store
        return TableScan(
            self._spark,
            store,
            TableRoot.of(store.location, store),
            self._metadata,
            self._metadata.schema.fields,
            row_tracking=row_tracking,
            positions=positions,
        )

    def _partly(self, files: pa.Table, adds: Sequence[AddFile]) -> RemovedRows:
        root = TableRoot.of(self._snapshot.store.location, self._snapshot.store)
        keys = {root.file(add.path).key: number for number, add in enumerate(adds)}
        hits = self._scan(positions=True).rows(files).where(self._condition)
        if self._is_on(VECTORS):
            return self._marked(files, adds, keys, hits)
        counted = hits.groupBy(FILE).count().collect()
        return self._rewritten(files, adds, {keys[row[FILE]]: row["count"] for row in counted})

    def _is_on(self, key: str) -> bool:
        return read_boolean(key, self._metadata.configuration.get(key, "false"))

    def _marked(
        self, files: pa.Table, adds: Sequence[AddFile], keys: Mapping[str, int], hits: DataFrame
    ) -> RemovedRows:
        from pyspark.sql import functions

        found = hits.groupBy(FILE).agg(functions.collect_list(ROW).alias(ROW)).toArrow()
        new = {
            keys[name]: np.sort(np.asarray(rows.values if hasattr(rows, "values") else rows, np.int64))
            for name, rows in zip(found.column(FILE).to_pylist(), found.column(ROW), strict=True)
        }
        if not new:
            return RemovedRows()
        merged = self._with_earlier(files, adds, new)
        emptied = {number for number, rows in merged.items() if len(rows) == _physical_records(adds[number])}
        marked = [number for number in sorted(merged) if number not in emptied]
        vectors = vector_file([merged[number] for number in marked], uuid.uuid4())
        if marked:
            self._vector_paths.append(vectors.path)
            self._snapshot.store.put(vectors.path, vectors.data)
        actions: list[Action] = [removal(adds[number], self.now_ms) for number in sorted(merged)]
        for number, vector in zip(marked, vectors.vectors, strict=True):
            stats = _with_wide_bounds(adds[number].stats)
            actions.append(attrs.evolve(adds[number], deletion_vector=vector, stats=stats, data_change=True))
        return RemovedRows(
            tuple(actions),
            files_removed=len(emptied),
            files_marked=len(marked),
            rows_removed=sum(len(rows) for rows in new.values()),
        )

    def _with_earlier(self, files: pa.Table, adds: Sequence[AddFile], new: Mapping[int, Rows]) -> dict[int, Rows]:
        """The new positions together with those that the files' vectors delete already."""
        before = [number for number in sorted(new) if adds[number].deletion_vector is not None]
        merged = dict(new)
        if before:
            earlier = self._scan().marked_rows(files.take(pa.array(before, pa.int64())))
            for number, rows in zip(before, earlier, strict=True):
                merged[number] = np.union1d(rows, new[number])
        return merged

    def _rewritten(self, files: pa.Table, adds: Sequence[AddFile], hits: Mapping[int, int]) -> RemovedRows:
        whole = [number for number, count in hits.items() if count == live_records(adds[number])]
        partly = sorted(set(hits) - set(whole))
        actions: list[Action] = [removal(adds[number], self.now_ms) for number in sorted(hits)]
        has_changes = bool(partly) and self._is_on(CHANGE_FEED)
        if partly:
            actions.extend(self._survivors(files.take(pa.array(partly, pa.int64()))))
        if has_changes:
            gone = self._scan().rows(files.take(pa.array(sorted(hits), pa.int64()))).where(self._condition)
            actions.extend(self.changes(gone, "delete"))
        return RemovedRows(
            tuple(actions),
            files_removed=len(whole) + len(partly),
            files_rewritten=len(partly),
            rows_removed=sum(hits.values()),
            has_change_files=has_changes,
        )

    def _survivors(self, files: pa.Table) -> Sequence[Action]:
        from pyspark.sql import functions

        rows = self._scan(row_tracking=is_tracked(self._metadata)).rows(files)
        stays = ~functions.coalesce(functions.expr(f"({self._condition})"), functions.lit(False))
        layout = layout_of(self._metadata, self._transaction.protocol, self._table.catalog)
        return write_data(copied(rows.where(stays), self._metadata), self._folder(), layout, {}).adds

    def changes(self, rows: DataFrame, kind: str) -> Sequence[Action]:
        """Change data of rows of the table, all of one kind."""
        from pyspark.sql import functions

        marked = rows.withColumn(CHANGE_TYPE, functions.lit(kind))
        layout = layout_of(self._metadata, self._transaction.protocol, self._table.catalog)
        folder = self._folder(CHANGE_FOLDER)
        return write_changes(stored(marked, self._metadata, more=(CHANGE_TYPE,)), folder, layout, {})

    def inserted(self, adds: Sequence[AddFile]) -> Sequence[Action]:
        """Change data for rows that were just written to these files."""
        return self.changes(self._scan().rows(_as_table(adds)), "insert")

    def _folder(self, parent: str = "") -> DataFolder:
        folder = DataFolder.fresh(self._snapshot.store, parent)
        self._folders.append(folder)
        return folder


def _as_table(adds: Sequence[AddFile]) -> pa.Table:
    """New files in the shape that scans take."""
    rows = [
        {"path": add.path, "partitionValues": list(add.partition_values.items()), "size": add.size, "stats": add.stats}
        for add in adds
    ]
    return pa.Table.from_pylist(rows, schema=ADD_FILES)


def _statistics(add: AddFile) -> dict[str, Any]:
    return msgspec.json.decode(add.stats) if add.stats else {}


def _physical_records(add: AddFile) -> int | None:
    found = _statistics(add).get("numRecords")
    return None if found is None else int(found)


def live_records(add: AddFile) -> int | None:
    """The rows of a file that are not deleted; None where its statistics do not say."""
    records = _physical_records(add)
    if records is None or add.deletion_vector is None:
        return records
    return records - add.deletion_vector.cardinality


def _with_wide_bounds(stats: str | None) -> str | None:
    if not stats:
        return stats
    return msgspec.json.encode({**_numbers_kept(stats), "tightBounds": msgspec.Raw(b"false")}).decode()


def _numbers_kept(stats: str) -> dict[str, msgspec.Raw]:
    """The parts of statistics as they stand, so that no decimal loses a digit."""
    return msgspec.json.decode(stats, type=dict[str, msgspec.Raw])
