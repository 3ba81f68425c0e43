"""Rows taken out of a table by a condition: whole files go, others are marked or written anew without the rows."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING

import attrs
import pyarrow as pa

from deltaresolver.expressions.names import TargetCondition
from deltaresolver.log.columnar.arrow_schema import ADD_FILES
from deltaresolver.model.actions import Action, AddFile, ChangeFile
from deltaresolver.model.facts.keys import CHANGE_DATA_FEED, DELETION_VECTORS
from deltaresolver.spark.changes.change_metrics import FileChanges
from deltaresolver.spark.changes.changed_table import CHANGE_TYPE, Candidates, ChangedTable
from deltaresolver.spark.changes.conditions import Given, as_column, is_repeatable
from deltaresolver.spark.changes.copied_rows import copied, is_tracked
from deltaresolver.spark.changes.live_records import live_records
from deltaresolver.spark.changes.marked_files import take_out
from deltaresolver.spark.changes.row_places import Positions, positions_of
from deltaresolver.spark.reading.file_facts import FILE
from deltaresolver.spark.reading.marked_rows import RowSets

if TYPE_CHECKING:
    from pyspark.sql import DataFrame


@attrs.frozen(slots=True, eq=False)
class RemovedRows:
    """The actions that take rows out, and what they amount to."""

    actions: tuple[Action, ...] = ()
    rows_removed: int | None = None
    rows_copied: int = 0

    @property
    def has_change_files(self) -> bool:
        """Whether change data tells of the rows."""
        return any(isinstance(action, ChangeFile) for action in self.actions)

    def metrics(self) -> Mapping[str, str]:
        """For history."""
        found = {**FileChanges.of(self.actions).metrics(), "numCopiedRows": str(self.rows_copied)}
        return found if self.rows_removed is None else {**found, "numDeletedRows": str(self.rows_removed)}


class RowRemoval:
    """Takes the rows for which a condition is true out of what a transaction has read. Nothing is committed.

    `on_table` is what the condition says of the table alone; `name` is what it calls the table.
    """

    def __init__(
        self, changed: ChangedTable, condition: Given | None, on_table: TargetCondition, name: str | None = None
    ) -> None:
        self._changed = changed
        self._condition = condition
        self._on_table = on_table
        self._name = name

    def run(self) -> RemovedRows:
        """Find and remove. Raises `PredicateUnreadableError`, `SparkReadError` kinds, and what Spark raises."""
        changed = self._changed
        given = changed.as_given(self._condition, self._name, self._on_table)
        among = changed.candidates(self._on_table.text, given=given)
        if not among.adds:
            return RemovedRows()
        if self._on_table.is_all and among.all_hold:
            return RemovedRows(tuple(changed.removals(among.adds)), _sum(live_records(add) for add in among.adds))
        hits = self._hits(changed.scan(positions=True).rows(among.files))
        if changed.is_on(DELETION_VECTORS) or changed.is_on(CHANGE_DATA_FEED) or not self._is_repeatable:
            return self._by_row(among, positions_of(hits, among.keys, among.adds))
        counted = hits.groupBy(FILE).count().collect()
        return self._rewritten(among, {among.keys[row[FILE]]: row["count"] for row in counted})

    def _hits(self, rows: DataFrame) -> DataFrame:
        assert self._condition is not None, "without a condition all files go"
        return (rows if self._name is None else rows.alias(self._name)).where(as_column(self._condition))

    def _by_row(self, among: Candidates, places: Positions) -> RemovedRows:
        """The rows at these places go. The condition is not evaluated again: it may name the time."""
        changed = self._changed
        taken, copies = take_out(changed, among, places)
        if copies and changed.is_on(CHANGE_DATA_FEED):
            gone = changed.scan().only(among.take(places), RowSets(places.values()))
            taken.extend(self.changes(gone, "delete"))
        return RemovedRows(tuple(taken), sum(map(len, places.values())), copies)

    @property
    def _is_repeatable(self) -> bool:
        return is_repeatable(self._condition, {field.name.lower() for field in self._changed.metadata.schema.fields})

    def _rewritten(self, among: Candidates, hits: Mapping[int, int]) -> RemovedRows:
        changed = self._changed
        partly = sorted(hits.keys() - changed.whole_files(among, hits))
        actions: list[Action] = [*changed.removals(among.adds[number] for number in sorted(hits))]
        if not partly:
            return RemovedRows(tuple(actions), sum(hits.values()))
        written = changed.write(self._survivors(among.take(partly)))
        return RemovedRows((*actions, *written.adds), sum(hits.values()), written.rows)

    def _survivors(self, files: pa.Table) -> DataFrame:
        from pyspark.sql import functions

        metadata = self._changed.metadata
        rows = self._changed.scan(row_tracking=is_tracked(metadata)).rows(files)
        named = rows if self._name is None else rows.alias(self._name)
        assert self._condition is not None, "without a condition all files go"
        stays = ~functions.coalesce(as_column(self._condition), functions.lit(False))
        return copied(named.where(stays), metadata)

    def changes(self, rows: DataFrame, kind: str) -> Sequence[Action]:
        """Change data of rows of the table, all of one kind."""
        from pyspark.sql import functions

        return self._changed.write_changes(rows.withColumn(CHANGE_TYPE, functions.lit(kind)))

    def inserted(self, adds: Sequence[AddFile]) -> Sequence[Action]:
        """Change data for rows that were just written to these files."""
        return self.changes(self._changed.scan().rows(as_table(adds)), "insert")


def as_table(adds: Sequence[AddFile]) -> pa.Table:
    """New files in the shape that scans take."""
    rows = [
        {"path": add.path, "partitionValues": list(add.partition_values.items()), "size": add.size, "stats": add.stats}
        for add in adds
    ]
    return pa.Table.from_pylist(rows, schema=ADD_FILES)


def _sum(counts: Iterable[int | None]) -> int | None:
    known = list(counts)
    return None if None in known else sum(count or 0 for count in known)
