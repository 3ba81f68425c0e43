"""Which rows an overwrite replaces: all, those of a condition, or whole partitions that get new rows."""

from __future__ import annotations

from collections.abc import Hashable, Mapping, Sequence
from typing import TYPE_CHECKING

import attrs

from deltaresolver.expressions.allowed import CheckedExpression
from deltaresolver.expressions.names import TargetNames
from deltaresolver.log.snapshot import milliseconds_now
from deltaresolver.model.actions import Action, AddFile
from deltaresolver.model.row_rules import RowCondition, RowRuleKind
from deltaresolver.model.schema import DataType, quoted
from deltaresolver.spark.changes.changed_table import ChangedTable
from deltaresolver.spark.changes.conditions import target_condition
from deltaresolver.spark.changes.row_removal import RemovedRows, RowRemoval, as_table
from deltaresolver.spark.changes.statement_checks import ensure_condition
from deltaresolver.spark.writing.statistics.replaced_metrics import replaced_metrics
from deltaresolver.spark.writing.write_options import WriteOptions
from deltaresolver.table import Table
from deltaresolver.transaction.commit.removed_files import removals
from deltaresolver.transaction.transaction import OptimisticTransaction

if TYPE_CHECKING:
    from pyspark.sql import Column, DataFrame, SparkSession

MODE_BY_SESSION = "spark.sql.sources.partitionOverwriteMode"


class Replacement:
    """Nothing is replaced."""

    conditions: tuple[RowCondition, ...] = ()
    """What the new rows must satisfy."""

    def actions(self, adds: Sequence[AddFile]) -> Sequence[Action]:
        """The actions that take out what the rows in `adds` replace."""
        return ()

    def metrics(self) -> Mapping[str, str]:
        """For history, after the actions; in place of what the write itself says."""
        return {}

    def undo(self) -> None:
        """Delete files that were written; for a transaction that is not committed."""


class WholeTable(Replacement):
    """Every row is replaced."""

    def __init__(self, transaction: OptimisticTransaction, *, data_change: bool) -> None:
        self._transaction = transaction
        self._data_change = data_change
        self._removed: Sequence[AddFile] = ()

    def actions(self, adds: Sequence[AddFile]) -> Sequence[Action]:
        """Every file goes that the transaction has read."""
        self._removed = self._find(adds)
        return removals(self._removed, milliseconds_now(), data_change=self._data_change)

    def _find(self, adds: Sequence[AddFile]) -> Sequence[AddFile]:
        return self._transaction.filter_files() if self._transaction.read_version >= 0 else ()

    def metrics(self) -> Mapping[str, str]:
        """Files and bytes."""
        if self._transaction.read_version < 0:
            return {}
        size = sum(file.size for file in self._removed)
        return {"numRemovedFiles": str(len(self._removed)), "numRemovedBytes": str(size)}


class WrittenPartitions(WholeTable):
    """Only partitions that get rows are replaced."""

    def _find(self, adds: Sequence[AddFile]) -> Sequence[AddFile]:
        assert self._transaction.snapshot is not None
        files = list(self._transaction.snapshot.add_actions())
        partitions = self._partitions([*adds, *files])
        written = set(partitions[: len(adds)])
        places = enumerate(partitions[len(adds) :])
        found = [files[place] for place, partition in places if partition in written]
        # What others put into these partitions meanwhile would have been replaced too.
        self._transaction.read_whole_table()
        self._transaction.track_files_read(found)
        return found

    def _partitions(self, files: Sequence[AddFile]) -> Sequence[Hashable]:
        """For each file something that is equal for equal partitions: other writers spell values in other ways."""
        raise NotImplementedError


class PartitionsBySpark(WrittenPartitions):
    """The same, and Spark itself says which texts are equal values of the partition columns."""

    def __init__(self, transaction: OptimisticTransaction, table: Table, spark: SparkSession, *, data_change: bool):
        super().__init__(transaction, data_change=data_change)
        self._changed = ChangedTable(transaction, table, spark)

    def _partitions(self, files: Sequence[AddFile]) -> Sequence[Hashable]:
        known: dict[frozenset[tuple[str, str | None]], int] = {}
        numbers = [known.setdefault(frozenset(file.partition_values.items()), len(known)) for file in files]
        firsts = {number: file for file, number in zip(reversed(files), reversed(numbers), strict=True)}
        scan = self._changed.scan()
        names = {name.lower() for name in scan.metadata.partition_columns}
        fields = tuple(field for field in scan.metadata.schema.fields if field.name.lower() in names)
        examples = as_table([firsts[number] for number in range(len(known))])
        rows = attrs.evolve(scan, fields=fields).partition_rows(examples)
        found = rows.select(*(_comparable(rows, field.name, field.type) for field in fields)).collect()
        return [tuple(found[number]) for number in numbers]


class MatchingRows(Replacement):
    """The rows of a condition are replaced."""

    def __init__(self, transaction: OptimisticTransaction, table: Table, spark: SparkSession, condition: str) -> None:
        self.conditions = (
            RowCondition(condition, CheckedExpression.of_user(condition), (), RowRuleKind.REPLACE_WHERE),
        )
        self._changed = None if transaction.read_version < 0 else ChangedTable(transaction, table, spark)
        if self._changed is not None:
            ensure_condition(self._changed.no_rows(), condition)
        self._condition = condition
        self._removed = RemovedRows()
        self._metrics: Mapping[str, str] = {}

    def actions(self, adds: Sequence[AddFile]) -> Sequence[Action]:
        """Files go or are written anew; where that takes change data, the new rows need some too."""
        if self._changed is None:
            return ()
        names = TargetNames.of(self._changed.metadata, reading=self._changed.reading)
        on_table = target_condition(self._condition, names)
        removal = RowRemoval(self._changed, self._condition, on_table)
        self._removed = removal.run()
        more = removal.inserted(adds) if self._removed.has_change_files and adds else ()
        actions = [*self._removed.actions, *more]
        self._changed.ensure_balanced(actions, deleted=self._removed.rows_removed)
        self._metrics = replaced_metrics(adds, actions)
        return actions

    def metrics(self) -> Mapping[str, str]:
        """Of the rows that went, and all files written."""
        return self._metrics

    def undo(self) -> None:
        """Delete what was written anew."""
        if self._changed is not None:
            self._changed.undo()


def plan_replacement(
    transaction: OptimisticTransaction,
    table: Table,
    spark: SparkSession,
    asked: WriteOptions,
    session: Mapping[str, str],
) -> Replacement:
    """What the write replaces."""
    if not asked.replaces:
        return Replacement()
    if asked.replace_where is not None:
        return MatchingRows(transaction, table, spark, asked.replace_where)
    if _is_dynamic(transaction, asked, session):
        return PartitionsBySpark(transaction, table, spark, data_change=asked.data_change)
    return WholeTable(transaction, data_change=asked.data_change)


def _is_dynamic(transaction: OptimisticTransaction, asked: WriteOptions, session: Mapping[str, str]) -> bool:
    if not transaction.metadata.partition_columns or transaction.read_version < 0 or asked.overwrite_schema:
        return False
    if asked.overwrite_dynamic is not None:
        return asked.overwrite_dynamic
    return session.get(MODE_BY_SESSION, "static").lower() == "dynamic"


def _comparable(rows: DataFrame, name: str, kind: DataType) -> Column:
    """A column so that equal values, and no others, are equal in Python; moments as such, whatever the zone."""
    from pyspark.sql import functions

    column = rows[quoted(name)]
    if kind == "timestamp":
        return functions.unix_micros(column)
    # So that -0.0 is 0.0.
    return (column + functions.lit(0.0) if kind in ("float", "double") else column).cast("string")
