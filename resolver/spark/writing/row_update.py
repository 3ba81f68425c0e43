"""Rows changed in place: files are marked where rows were and get new ones, or are written anew as a whole."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

import attrs
import pyarrow as pa

from deltaresolver.model.actions import Action, AddFile
from deltaresolver.spark.reading.file_facts import FILE
from deltaresolver.spark.reading.scan import ROW_COMMIT_VERSION
from deltaresolver.spark.writing.change_metrics import FileChanges
from deltaresolver.spark.writing.changed_table import (
    CHANGE_FEED,
    CHANGE_TYPE,
    POSTIMAGE,
    PREIMAGE,
    VECTORS,
    Candidates,
    ChangedTable,
)
from deltaresolver.spark.writing.conditions import Given, as_column
from deltaresolver.spark.writing.copied_rows import copied, is_tracked, kept_ids
from deltaresolver.spark.writing.marked_files import mark, positions_of
from deltaresolver.spark.writing.new_rows import CLAUSE, Making, NewRows
from deltaresolver.spark.writing.row_plan import PlannedRows, TableRules
from deltaresolver.spark.writing.row_removal import as_table
from deltaresolver.spark.writing.row_violations import RuleBook
from deltaresolver.spark.writing.table_write import explained
from deltaresolver.transaction.predicate_names import TargetCondition

if TYPE_CHECKING:
    from pyspark.sql import Column, DataFrame


@attrs.frozen(slots=True, eq=False)
class UpdatedRows:
    """The actions of an update, and what they amount to."""

    actions: tuple[Action, ...] = ()
    rows_updated: int = 0
    rows_copied: int = 0

    def metrics(self) -> Mapping[str, str]:
        """For history."""
        rows = {"numUpdatedRows": str(self.rows_updated), "numCopiedRows": str(self.rows_copied)}
        return {**FileChanges.of(self.actions).metrics(), **rows}


@attrs.frozen(slots=True, eq=False)
class RowUpdate:
    """Changes the rows of a table for which a condition is true. Nothing is committed.

    on_table   what the condition says of the table alone
    name       what condition and values call the table
    """

    changed: ChangedTable
    making: Making
    condition: Given | None
    on_table: TargetCondition
    name: str | None = None

    def run(self) -> UpdatedRows:
        """Find and change. Raises `PredicateUnreadableError`, `DataWriteError` kinds, and `SparkReadError` kinds."""
        changed = self.changed
        among = changed.candidates(self.on_table.text)
        if not among.adds:
            return UpdatedRows()
        if self.on_table.is_all and changed.all_satisfy(self.on_table.text, among.adds):
            new, actions = self._write_changed(among.files)
            return UpdatedRows((*changed.removals(among.adds), *actions), new)
        with explained(RuleBook(), changed.location):
            hits = self._named(changed.scan(positions=True).rows(among.files)).where(self._holds)
            if changed.is_on(VECTORS):
                return self._marked(among, hits)
            counted = {among.keys[row[FILE]]: int(row["count"]) for row in hits.groupBy(FILE).count().collect()}
        return self._rewritten(among, counted)

    def _marked(self, among: Candidates, hits: DataFrame) -> UpdatedRows:
        rows = positions_of(hits, among.keys)
        if not rows:
            return UpdatedRows()
        new, actions = self._write_changed(among.take(sorted(rows)))
        return UpdatedRows((*mark(self.changed, among, rows), *actions), new)

    def _rewritten(self, among: Candidates, hits: Mapping[int, int]) -> UpdatedRows:
        if not hits:
            return UpdatedRows()
        changed, touched = self.changed, sorted(hits)
        files, updated = among.take(touched), sum(hits.values())
        removals = changed.removals(among.adds[number] for number in touched)
        if not changed.is_on(CHANGE_FEED):
            adds, rows = self._write(self._made(self._tracked(files), everywhere=False))
            return UpdatedRows((*removals, *adds), updated, rows - updated)
        # Change data is read from the files of the new rows, so these hold no others.
        _, actions = self._write_changed(files)
        with explained(RuleBook(), changed.location):
            kept = changed.write(copied(self._tracked(files).where(~self._surely), changed.metadata))
        return UpdatedRows((*removals, *kept.adds, *actions), updated, kept.rows)

    # --- rows ----------------------------------------------------------------------------------

    @property
    def _holds(self) -> Column:
        from pyspark.sql import functions

        return functions.lit(True) if self.condition is None else as_column(self.condition)

    @property
    def _surely(self) -> Column:
        """Whether the condition is true, null being no."""
        from pyspark.sql import functions

        return functions.coalesce(self._holds, functions.lit(False))

    def _named(self, rows: DataFrame) -> DataFrame:
        return rows if self.name is None else rows.alias(self.name)

    def _tracked(self, files: pa.Table) -> DataFrame:
        """The rows of files with the ids that they keep."""
        return self._named(self.changed.scan(row_tracking=is_tracked(self.changed.metadata)).rows(files))

    def _made(self, rows: DataFrame, *, everywhere: bool) -> PlannedRows:
        """The rows after the update; if not `everywhere`, those that do not satisfy the condition as they were."""
        from pyspark.sql import functions

        changed = self.changed
        number = functions.lit(0) if everywhere else functions.when(self._holds, 0)
        frame = rows.withColumn(CLAUSE, number)
        kept = kept_ids(changed.metadata)
        if ROW_COMMIT_VERSION in kept:
            version = functions.when(functions.col(CLAUSE).isNull(), functions.col(ROW_COMMIT_VERSION))
            frame = frame.withColumn(ROW_COMMIT_VERSION, version)
        rules = TableRules.of(changed.metadata, changed.transaction.protocol, changed.catalog)
        before = {field.name: field for field in changed.metadata.schema.fields}
        with explained(RuleBook(), changed.location):
            return NewRows(rules, {0: self.making}, before, kept).of(frame)

    # --- files ---------------------------------------------------------------------------------

    def _write_changed(self, files: pa.Table) -> tuple[int, Sequence[Action]]:
        """New files for the rows of `files` that satisfy the condition, and change data; how many rows there are."""
        adds, rows = self._write(self._made(self._tracked(files).where(self._holds), everywhere=True))
        if not self.changed.is_on(CHANGE_FEED):
            return rows, adds
        from pyspark.sql import functions

        scan = self.changed.scan()
        before = self._named(scan.rows(files)).where(self._holds).withColumn(CHANGE_TYPE, functions.lit(PREIMAGE))
        after = scan.rows(as_table(adds)).withColumn(CHANGE_TYPE, functions.lit(POSTIMAGE))
        with explained(RuleBook(), self.changed.location):
            return rows, (*adds, *self.changed.write_changes(before.unionByName(after)))

    def _write(self, planned: PlannedRows) -> tuple[Sequence[AddFile], int]:
        with explained(planned.rules, self.changed.location):
            written = self.changed.write(planned.frame)
        return written.adds, written.rows
