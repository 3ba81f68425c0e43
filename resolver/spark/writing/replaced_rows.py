"""Which rows an overwrite replaces: all, those of a condition, or whole partitions that get new rows."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

import attrs

from deltaresolver.log.snapshot import milliseconds_now
from deltaresolver.model.actions import Action, AddFile, RemoveFile
from deltaresolver.model.row_rules import RowCondition, RowRuleKind
from deltaresolver.spark.writing.data_folder import DataFolder
from deltaresolver.spark.writing.removed_files import removals
from deltaresolver.spark.writing.write_options import PARTITION_OVERWRITE_MODE, WriteOptions
from deltaresolver.table import Table
from deltaresolver.transaction.transaction import OptimisticTransaction

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

MODE_BY_SESSION = "spark.sql.sources.partitionOverwriteMode"


@attrs.define(slots=True, eq=False)
class Replacement:
    """What is replaced. Whole files go; `kept` are rows of theirs that stay, in new files."""

    transaction: OptimisticTransaction
    conditions: tuple[RowCondition, ...] = ()
    """What the new rows must satisfy."""
    is_dynamic: bool = False
    removed: tuple[AddFile, ...] = ()
    kept: tuple[Action, ...] = ()
    folders: tuple[DataFolder, ...] = ()
    """Where those new files are."""
    data_change: bool = True

    def actions(self, adds: Sequence[AddFile]) -> list[Action]:
        """The actions that replace rows by those of `adds`."""
        if self.is_dynamic:
            self.removed = tuple(_in_partitions_of(self.transaction, adds))
        return [*self.kept, *self._removals]

    @property
    def _removals(self) -> list[RemoveFile]:
        return removals(self.removed, milliseconds_now(), data_change=self.data_change)

    def metrics(self) -> Mapping[str, str]:
        """For history."""
        if not self.removed:
            return {}
        return {
            "numRemovedFiles": str(len(self.removed)),
            "numRemovedBytes": str(sum(file.size for file in self.removed)),
        }


def plan_replacement(
    transaction: OptimisticTransaction,
    table: Table,
    spark: SparkSession,
    asked: WriteOptions,
    session: Mapping[str, str],
) -> Replacement:
    """What the write replaces. Raises `PredicateUnreadableError`, `WriteOptionError`."""
    if not asked.replaces:
        return Replacement(transaction)
    if asked.replace_where is not None:
        conditions = (RowCondition(asked.replace_where, asked.replace_where, (), RowRuleKind.REPLACE_WHERE),)
        if transaction.read_version < 0:
            return Replacement(transaction, conditions)
        return _replace_where(transaction, table, spark, asked, conditions)
    if _is_dynamic(transaction, asked, session):
        return Replacement(transaction, is_dynamic=True, data_change=asked.data_change)
    removed = tuple(transaction.filter_files()) if transaction.read_version >= 0 else ()
    return Replacement(transaction, removed=removed, data_change=asked.data_change)


def _is_dynamic(transaction: OptimisticTransaction, asked: WriteOptions, session: Mapping[str, str]) -> bool:
    if not transaction.metadata.partition_columns or transaction.read_version < 0 or asked.overwrite_schema:
        return False
    if asked.overwrite_dynamic is not None:
        return asked.overwrite_dynamic
    return session.get(MODE_BY_SESSION, "static").lower() == "dynamic"


def _in_partitions_of(transaction: OptimisticTransaction, adds: Sequence[AddFile]) -> list[AddFile]:
    written = {tuple(sorted(add.partition_values.items(), key=str)) for add in adds}
    assert transaction.snapshot is not None
    found = [
        file
        for file in transaction.snapshot.add_actions()
        if tuple(sorted(_emptied(file.partition_values).items(), key=str)) in written
    ]
    # Whatever others put into these partitions meanwhile would have been replaced too.
    transaction.read_whole_table()
    transaction.track_files_read(found)
    return found


def _emptied(values: Mapping[str, str | None]) -> dict[str, str | None]:
    return {name: value or None for name, value in values.items()}


def _replace_where(
    transaction: OptimisticTransaction,
    table: Table,
    spark: SparkSession,
    asked: WriteOptions,
    conditions: tuple[RowCondition, ...],
) -> Replacement:
    from deltaresolver.transaction.predicate_sql import parse_predicate

    assert asked.replace_where is not None
    predicate = parse_predicate(asked.replace_where)
    names = frozenset(name.lower() for name in transaction.metadata.partition_columns)
    candidates = transaction.filter_files(*(part.text for part in predicate.parts()))
    if predicate.looks_only_at(names):
        return Replacement(transaction, conditions, removed=tuple(candidates), data_change=asked.data_change)
    raise NotImplementedError(PARTITION_OVERWRITE_MODE)
