"""delete: rows that satisfy a condition leave the table, in one transaction."""

from __future__ import annotations

import os
from collections.abc import Mapping
from typing import TYPE_CHECKING

import attrs

from deltaresolver.expressions.names import TargetNames
from deltaresolver.model.operation import Operation
from deltaresolver.spark.call_sites import no_call_sites
from deltaresolver.spark.changes.arguments import LeftOut, checked_condition
from deltaresolver.spark.changes.changed_table import ChangedTable
from deltaresolver.spark.changes.conditions import Given, shown, target_condition
from deltaresolver.spark.changes.row_removal import RowRemoval
from deltaresolver.spark.changes.statement_checks import ensure_condition
from deltaresolver.spark.every_row import every_row
from deltaresolver.spark.names.named_table import location_of
from deltaresolver.spark.settings.session_values import SessionValues
from deltaresolver.spark.writing.applications import ApplicationWrite
from deltaresolver.spark.writing.row_violations import RuleBook
from deltaresolver.spark.writing.table_reads import start_changing
from deltaresolver.spark.writing.table_write import explained, undone_on_failure
from deltaresolver.table import Table
from deltaresolver.transaction import operation as operations

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

    from deltaresolver.transaction.commit.committed import Committed

_TRUNCATE_METRICS = ("numRemovedFiles", "executionTimeMs")


def delete(
    spark: SparkSession,
    path: str | os.PathLike[str],
    condition: Given | LeftOut = LeftOut.CONDITION,
    *,
    storage_options: Mapping[str, str] | None = None,
) -> Committed | None:
    """Delete the rows for which `condition` is true, all where it is left out; None where there are none.

    `path` may be the name of a table in the session catalog.
    The condition is Spark SQL or a Column; only of text can be told which files it needs. Where
    the table has deletion vectors enabled, the rows are only marked; else files that keep rows are written anew.
    It must give the same answer whenever it is evaluated: Spark's `AnalysisException` refuses `rand()`, and whatever
    else Spark cannot make sense of. None is refused: a variable without a value empties no table. Raises
    `ArgumentInvalidError`, `ArgumentTypeError`, `TableNotFoundError`, `PredicateUnreadableError`,
    `WriteJobFailedError`, and what a commit raises.
    """
    rows = checked_condition(condition)
    table = Table(location_of(spark, path), storage_options, session=SessionValues(spark))
    return delete_rows(spark, table, rows)


def truncate(spark: SparkSession, table: Table) -> Committed | None:
    """Delete all rows, as TRUNCATE TABLE notes it; None where there are none."""
    return delete_rows(spark, table, None, truncates=True)


@no_call_sites()
def delete_rows(
    spark: SparkSession, table: Table, condition: Given | None, alias: str | None = None, *, truncates: bool = False
) -> Committed | None:
    """As `delete`; conditions may call the table `alias`."""
    transaction = start_changing(table, spark, [condition], alias)
    changed = ChangedTable(transaction, table, spark)
    names = TargetNames.of(changed.metadata, alias, reading=changed.reading)
    application = ApplicationWrite.of(spark)
    if application.is_done(transaction, table):
        return None
    if condition is not None:
        ensure_condition(changed.no_rows(alias), condition)
    removal = RowRemoval(changed, condition, target_condition(condition, names), alias)
    with undone_on_failure(transaction, [changed.undo]), every_row(spark, changed.metadata.schema):
        with explained(RuleBook(), changed.location):
            removed = removal.run()
        if not removed.actions:
            return None  # as in delta-spark, which then does not note the application's write either
        actions = [*removed.actions, *application.actions()]
        if truncates:
            operation = Operation("TRUNCATE")
        else:
            operation = operations.with_predicate("DELETE", [] if condition is None else [shown(condition)])
        checked = changed.ensure_balanced(removed.actions, deleted=removed.rows_removed)
        metrics = {**removed.metrics(), **changed.times()}
        if truncates:
            metrics = {key: value for key, value in metrics.items() if key in _TRUNCATE_METRICS}
        metrics |= checked
        transaction.commit(actions, attrs.evolve(operation, metrics=metrics), changed.tags)
    application.finish()
    return transaction.committed
