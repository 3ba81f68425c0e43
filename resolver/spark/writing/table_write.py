"""One write to one table: what is staged, written, removed and committed, and what is undone if that fails."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING

import attrs

from deltaresolver.errors import (
    CommitOutcomeUnknownError,
    PutOutcomeUnknownError,
    TableExistsError,
)
from deltaresolver.model.actions import Action
from deltaresolver.model.metadata import Metadata
from deltaresolver.model.operation import Operation
from deltaresolver.model.schema import StructType
from deltaresolver.spark.block.active import block_at
from deltaresolver.spark.call_sites import no_call_sites
from deltaresolver.spark.declared_lengths import keeps_lengths
from deltaresolver.spark.every_row import every_row
from deltaresolver.spark.held_settings import session_settings
from deltaresolver.spark.maintenance.auto_compaction import AutoCompaction
from deltaresolver.spark.maintenance.optimized_write import gathered, is_wanted, task_settings
from deltaresolver.spark.schema import delta_schema
from deltaresolver.spark.session import is_of_spark
from deltaresolver.spark.writing.applications import ApplicationWrite
from deltaresolver.spark.writing.data_folder import DataFolder
from deltaresolver.spark.writing.identity_values import with_marks
from deltaresolver.spark.writing.replaced_rows import Replacement, plan_replacement
from deltaresolver.spark.writing.row_balance import ensure_all_named
from deltaresolver.spark.writing.row_plan import PlannedRows, TableRules, plan_rows
from deltaresolver.spark.writing.row_violations import RuleBook
from deltaresolver.spark.writing.statistics.file_layout import layout_of
from deltaresolver.spark.writing.table_change import clustering_ended, ensure_condition, stage_table
from deltaresolver.spark.writing.table_reads import ensure_read_as_stored, start_reading
from deltaresolver.spark.writing.write_operation import write_operation
from deltaresolver.spark.writing.write_options import WriteOptions
from deltaresolver.spark.writing.written_data import WrittenData, write_data
from deltaresolver.table import Table
from deltaresolver.transaction.commit.committed import Committed
from deltaresolver.transaction.transaction import OptimisticTransaction

if TYPE_CHECKING:
    from pyspark.sql import DataFrame


class TableWrite:
    """Writes rows once."""

    def __init__(self, table: Table, rows: DataFrame, asked: WriteOptions) -> None:
        self._table = table
        self._rows = rows
        self._asked = asked
        self._session = table.starter.session

    @no_call_sites()
    def run(self) -> Committed | None:
        """Write and commit. None where nothing is to be done."""
        transaction = start_reading(self._table, self._rows)
        if block_at(self._table.log.store) is None:
            transaction.register_post_commit_hook(AutoCompaction(self._rows.sparkSession, self._table))
        self._application = ApplicationWrite.of(self._rows.sparkSession, self._asked.application)
        if not self._is_wanted(transaction):
            return None
        if self._asked.mode == "overwrite":
            ensure_read_as_stored(transaction, self._table, self._rows)
        given = delta_schema(self._rows.schema)
        metadata = self._stage(transaction, given)
        ensure_condition(metadata, self._asked)
        trusts = transaction.trusts_expressions
        lengths, protocol = keeps_lengths(self._rows.sparkSession, metadata.schema.fields), transaction.protocol
        rules = TableRules.of(metadata, protocol, self._table.catalog, trusts=trusts, keeps_lengths=lengths)
        replacement = plan_replacement(transaction, self._table, self._rows.sparkSession, self._asked, self._session)
        planned = plan_rows(self._rows, given, rules, replacement.conditions)
        folder = DataFolder.fresh(self._table.log.store)
        with undone_on_failure(transaction, [folder.remove, replacement.undo]):
            written = self._write(planned, folder, metadata, transaction)
            transaction.mark_written()
            compared = metadata.schema if self._asked.replace_where is not None else StructType()
            found = every_row(self._rows.sparkSession, compared)
            with explained(planned.rules, self._table.log.store.location), found:
                replaced = replacement.actions(written.adds)
            actions = [*self._application.actions(), *self._more_actions(transaction), *written.adds, *replaced]
            ensure_all_named(self._table.log.store.location, [add.path for add in written.adds], actions)
            if planned.counted:
                marked = with_marks(transaction.metadata, planned.counted, written.adds)
                if marked != transaction.metadata:
                    transaction.replace_staged_metadata(marked)
            self._commit(transaction, actions, written, replacement)
        return transaction.committed

    def _stage(self, transaction: OptimisticTransaction, given: StructType) -> Metadata:
        """The metadata that rows of this schema are written under."""
        return stage_table(transaction, given, self._asked, self._session, self._table.catalog)

    def _more_actions(self, transaction: OptimisticTransaction) -> Sequence[Action]:
        """What else is committed."""
        return clustering_ended(transaction, self._asked, self._table.catalog)

    def _operation(self, transaction: OptimisticTransaction) -> Operation:
        """What the commit is called."""
        del transaction
        return write_operation(self._asked, self._session)

    def _is_wanted(self, transaction: OptimisticTransaction) -> bool:
        if self._application.is_done(transaction, self._table):
            return False
        if transaction.read_version < 0 or self._asked.mode in ("append", "overwrite"):
            return True
        if self._asked.mode == "ignore":
            return False
        location = self._table.log.store.location
        raise TableExistsError(
            f"There is a Delta table at {location} already.",
            fix="Write with mode append or overwrite, or to another location.",
            details={"location": location},
            delta_class="DeltaAnalysisException",
            delta_condition="DELTA_PATH_EXISTS",
        )

    def _write(
        self, planned: PlannedRows, folder: DataFolder, metadata: Metadata, transaction: OptimisticTransaction
    ) -> WrittenData:
        layout = layout_of(metadata, transaction.protocol, self._table.catalog)
        frame = planned.frame
        settings: Mapping[str, str] = {}
        if is_wanted(self._asked.optimize_write, metadata, self._session):
            frame = gathered(frame, [name for name, _ in layout.partition_columns])
            settings = task_settings(self._session)
        with explained(planned.rules, self._table.log.store.location), session_settings(frame.sparkSession, settings):
            return write_data(frame, folder, layout, self._asked.for_files, data_change=self._asked.data_change)

    def _commit(
        self,
        transaction: OptimisticTransaction,
        actions: Sequence[Action],
        written: WrittenData,
        replacement: Replacement,
    ) -> None:
        shown = self._operation(transaction)
        metrics = {
            "numFiles": str(len(written.adds)),
            "numOutputRows": str(written.rows),
            "numOutputBytes": str(written.bytes),
            **written.metrics,
            **replacement.metrics(),
        }
        told = attrs.evolve(shown, metrics=metrics, user_metadata=self._asked.user_metadata)
        transaction.commit_if_needed(actions, told)
        self._application.finish()


@contextmanager
def explained(rules: RuleBook, location: str) -> Iterator[None]:
    """What Spark raises inside as an error of this library. Interrupts and our own errors go through."""
    try:
        yield
    except Exception as error:
        if not is_of_spark(error):
            raise
        raise rules.explain(error, location) from error


@contextmanager
def undone_on_failure(transaction: OptimisticTransaction, undo: Sequence[Callable[[], None]]) -> Iterator[None]:
    """Delete what was written if the block fails, unless a commit may refer to them."""
    try:
        yield
    except (CommitOutcomeUnknownError, PutOutcomeUnknownError):
        raise
    except Exception:
        _undo_unless_committed(transaction, undo)
        raise
    except BaseException:
        # Interrupted: a commit that was already prepared may have been put.
        if transaction.is_blind_append is None:
            _undo_unless_committed(transaction, undo)
        raise


def _undo_unless_committed(transaction: OptimisticTransaction, undo: Sequence[Callable[[], None]]) -> None:
    if transaction.committed is None:
        for step in undo:
            step()
