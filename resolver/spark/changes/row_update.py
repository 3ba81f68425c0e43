"""Rows changed in place: files are marked where rows were and get new ones, or are written anew as a whole."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING

import attrs

from deltaresolver.expressions.names import TargetCondition
from deltaresolver.model.actions import Action
from deltaresolver.model.facts.keys import CHANGE_DATA_FEED, DELETION_VECTORS
from deltaresolver.spark.changes.change_metrics import FileChanges
from deltaresolver.spark.changes.changed_table import (
    CHANGE_TYPE,
    POSTIMAGE,
    PREIMAGE,
    Candidates,
    ChangedTable,
    are_few,
)
from deltaresolver.spark.changes.conditions import Given, as_column, is_repeatable
from deltaresolver.spark.changes.copied_rows import is_tracked, kept_ids
from deltaresolver.spark.changes.marked_files import take_out
from deltaresolver.spark.changes.new_rows import CLAUSE, Making, NewRows
from deltaresolver.spark.changes.row_places import Positions, positions_of
from deltaresolver.spark.changes.row_removal import as_table
from deltaresolver.spark.reading.file_facts import FILE, ROW
from deltaresolver.spark.reading.marked_rows import RowSets
from deltaresolver.spark.reading.scan import ROW_COMMIT_VERSION, TableScan
from deltaresolver.spark.writing.row_balance import ensure_counted
from deltaresolver.spark.writing.row_plan import PlannedRows
from deltaresolver.spark.writing.row_violations import RuleBook
from deltaresolver.spark.writing.table_write import explained
from deltaresolver.spark.writing.written_data import WrittenData

if TYPE_CHECKING:
    from pyspark.sql import Column, DataFrame

_MAX_KEPT = 1 << 29
"""Bytes of files of which the rows found are kept, so that they are read once: executors must have room for all."""


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
        given = changed.as_given(self.condition, self.name, self.on_table)
        among = changed.candidates(self.on_table.text, given=given)
        if not among.adds:
            return UpdatedRows()
        if self.on_table.is_all and among.all_hold:
            rows, actions = self._write_changed(lambda scan: scan.rows(among.files))
            return UpdatedRows((*changed.removals(among.adds), *actions), rows)
        columns = {field.name.lower() for field in changed.metadata.schema.fields}
        feeds = changed.is_on(CHANGE_DATA_FEED)
        by_row = feeds or changed.is_on(DELETION_VECTORS) or not is_repeatable(self.condition, columns)
        keeps = by_row and not feeds and sum(add.size for add in among.adds) <= _MAX_KEPT
        with explained(RuleBook(), changed.location):
            scan = changed.scan(positions=True, row_tracking=keeps and is_tracked(changed.metadata))
            hits = self._named(scan.rows(among.files)).where(self._holds)
            if by_row:
                hits = hits.localCheckpoint() if keeps else hits
                return self._by_row(among, positions_of(hits, among.keys, among.adds), hits if keeps else None)
            counted = {among.keys[row[FILE]]: int(row["count"]) for row in hits.groupBy(FILE).count().collect()}
        return self._by_file(among, counted)

    def _by_row(self, among: Candidates, places: Positions, kept: DataFrame | None) -> UpdatedRows:
        """The rows at these places get files of their own. The condition is not evaluated again: it may name a time.

        `kept` is these rows themselves, with their places, where they need not be read again.
        """
        if not places:
            return UpdatedRows()
        found = sum(map(len, places.values()))
        gathers = found if are_few(found, [among.adds[number] for number in places]) else None
        files, rows = among.take(places), RowSets(places.values())

        def read(scan: TableScan) -> DataFrame:
            return scan.only(files, rows) if kept is None else kept.drop(FILE, ROW)

        count, actions = self._write_changed(read, gathers=gathers)
        ensure_counted(self.changed.location, "updated rows", found, count)
        taken, copies = take_out(self.changed, among, places)
        return UpdatedRows((*taken, *actions), count, copies)

    def _by_file(self, among: Candidates, hits: Mapping[int, int]) -> UpdatedRows:
        """Files with rows that change are written anew, in one go."""
        if not hits:
            return UpdatedRows()
        touched, updated = sorted(hits), sum(hits.values())
        rows = self._named(self._tracking.rows(among.take(touched)))
        written = self._write(self._made(rows, everywhere=False))
        removals = self.changed.removals(among.adds[number] for number in touched)
        return UpdatedRows((*removals, *written.adds), updated, written.rows - updated)

    # --- rows ----------------------------------------------------------------------------------

    @property
    def _holds(self) -> Column:
        from pyspark.sql import functions

        return functions.lit(True) if self.condition is None else as_column(self.condition)

    def _named(self, rows: DataFrame) -> DataFrame:
        return rows if self.name is None else rows.alias(self.name)

    @property
    def _tracking(self) -> TableScan:
        """Gives rows with the ids that they keep."""
        return self.changed.scan(row_tracking=is_tracked(self.changed.metadata))

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
        rules = changed.rules
        before = {field.name: field for field in changed.metadata.schema.fields}
        with explained(RuleBook(), changed.location):
            return NewRows(rules, {0: self.making}, before, kept).of(frame)

    # --- files ---------------------------------------------------------------------------------

    def _write_changed(
        self, read: Callable[[TableScan], DataFrame], *, gathers: int | None = None
    ) -> tuple[int, Sequence[Action]]:
        """New files for rows that all change, and change data; how many rows there are."""
        from pyspark.sql import functions

        changed = self.changed
        written = self._write(self._made(self._named(read(self._tracking)), everywhere=True), gathers=gathers)
        if not changed.is_on(CHANGE_DATA_FEED):
            return written.rows, written.adds
        before = read(changed.scan()).withColumn(CHANGE_TYPE, functions.lit(PREIMAGE))
        # Values are computed once: the change feed gets the values that the new files hold.
        after = changed.scan().rows(as_table(written.adds)).withColumn(CHANGE_TYPE, functions.lit(POSTIMAGE))
        with explained(RuleBook(), changed.location):
            return written.rows, (*written.adds, *changed.write_changes(before.unionByName(after)))

    def _write(self, planned: PlannedRows, *, gathers: int | None = None) -> WrittenData:
        with explained(planned.rules, self.changed.location):
            return self.changed.write(planned.frame, gathers=gathers)
