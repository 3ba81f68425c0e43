"""Data files written again with the rows they have, each time in one commit that changes no row."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import attrs
import pyarrow as pa
import pyarrow.compute as pc

from deltaresolver.errors import RewriteMismatchError
from deltaresolver.log.columnar.file_rows import add_from_row, iterate_rows
from deltaresolver.log.snapshot import Snapshot, milliseconds_now
from deltaresolver.model.actions import Action, AddFile
from deltaresolver.model.metadata import Metadata
from deltaresolver.model.operation import Operation
from deltaresolver.model.support import Task
from deltaresolver.planning.rewriting_files.rewriter import MetadataChange
from deltaresolver.spark.audit_tasks import session
from deltaresolver.spark.changes.copied_rows import KEEPS_ROW_IDS, copied, is_tracked
from deltaresolver.spark.changes.live_records import live_records
from deltaresolver.spark.every_row import every_row
from deltaresolver.spark.reading.read import table_scan
from deltaresolver.spark.reading.readable import ensure_readable
from deltaresolver.spark.writing.data_folder import DataFolder
from deltaresolver.spark.writing.row_balance import ensure_all_named
from deltaresolver.spark.writing.row_violations import RuleBook
from deltaresolver.spark.writing.statistics.file_layout import layout_of
from deltaresolver.spark.writing.table_write import explained, undone_on_failure
from deltaresolver.spark.writing.written_data import WrittenData, write_data
from deltaresolver.table import Table
from deltaresolver.transaction.commit.removed_files import removals
from deltaresolver.transaction.transaction import OptimisticTransaction

if TYPE_CHECKING:
    from pyspark.sql import SparkSession


@attrs.frozen(slots=True)
class SparkRewriter:
    """Carries out the steps of a plan that write data files again; see `planning.file_rewriting.FileRewriter`.

    Without a session it takes the one there is, or starts one as the environment configures it, when first needed.
    """

    spark: SparkSession | None = None

    def purge(self, table: Table, operation: Operation) -> int:
        """Files with deletion vectors, without the rows that those delete. Returns the version of the table.

        Raises `RewriteMismatchError`, `WriteJobFailedError`, `SparkReadError` kinds, and what a commit raises.
        """
        transaction = table.start_transaction()
        snapshot = _read_by(transaction)
        files = snapshot.files()
        marked = files.filter(pc.is_valid(files.column("deletionVector").combine_chunks()))
        adds = _adds(marked)
        if not adds:
            return snapshot.table_version
        transaction.track_files_read(adds)
        return self._write_again(table, transaction, snapshot.metadata, marked, adds, operation)

    def rewrite(self, table: Table, change: MetadataChange, operation: Operation) -> int:
        """Every file, as the metadata after `change` has its columns, and that metadata. Raises as `purge`."""
        transaction = table.start_transaction()
        snapshot = _read_by(transaction)
        adds = transaction.filter_files()
        transaction.update_metadata(change(snapshot))
        return self._write_again(table, transaction, transaction.metadata, snapshot.files(), adds, operation)

    def _write_again(
        self,
        table: Table,
        transaction: OptimisticTransaction,
        metadata: Metadata,
        files: pa.Table,
        adds: Sequence[AddFile],
        operation: Operation,
    ) -> int:
        location = table.log.store.location
        snapshot = _read_by(transaction)
        tracked = is_tracked(metadata)
        ensure_readable(snapshot.protocol, snapshot.metadata, Task.REWRITE)
        scan = table_scan(
            self.spark or session(),
            snapshot,
            location,
            row_tracking=tracked,
            storage_options=table.storage_options,
        )
        folder = DataFolder.fresh(table.log.store)
        layout = layout_of(metadata, transaction.protocol, table.catalog)
        with undone_on_failure(transaction, [folder.remove]), every_row(scan.spark, scan.metadata.schema):
            with explained(RuleBook(), location):
                rows = copied(scan.rows(files), metadata)
                written = write_data(rows, folder, layout, {}, data_change=False)
            _ensure_same_rows(location, adds, written)
            named = [add.path for add in written.adds]
            actions: list[Action] = [*removals(adds, milliseconds_now(), data_change=False), *written.adds]
            ensure_all_named(location, named, actions)
            tags = KEEPS_ROW_IDS if tracked else {}
            return transaction.commit(actions, attrs.evolve(operation, metrics=_metrics(adds, written)), tags)


def _read_by(transaction: OptimisticTransaction) -> Snapshot:
    snapshot = transaction.snapshot
    assert snapshot is not None, "a plan is made of a table that exists"
    return snapshot


def _adds(files: pa.Table) -> list[AddFile]:
    return [add_from_row(row) for row in iterate_rows(files)]


def _ensure_same_rows(location: str, before: Sequence[AddFile], written: WrittenData) -> None:
    """No row is lost or doubled, where the statistics of all files say how many there are."""
    counts = [live_records(add) for add in before]
    known = [count for count in counts if count is not None]
    if len(known) == len(counts) and sum(known) != written.rows:
        raise RewriteMismatchError(
            f"The files of {location} have {sum(known):,} rows by their statistics, and {written.rows:,} were read, "
            "so nothing was changed.",
            fix="Find out which file has wrong statistics or lost rows before you rewrite the table.",
            details={"location": location, "expected": sum(known), "read": written.rows},
        )


def _metrics(before: Sequence[AddFile], written: WrittenData) -> dict[str, str]:
    return {
        **written.metrics,
        "numRemovedFiles": str(len(before)),
        "numRemovedBytes": str(sum(add.size for add in before)),
        "numAddedFiles": str(len(written.adds)),
        "numAddedBytes": str(written.bytes),
        "numDeletionVectorsRemoved": str(sum(add.deletion_vector is not None for add in before)),
    }
