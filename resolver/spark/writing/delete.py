"""delete: rows that satisfy a condition leave the table, in one transaction."""

from __future__ import annotations

import os
from collections.abc import Mapping
from typing import TYPE_CHECKING

import attrs

from deltaresolver.spark.writing.applications import ApplicationWrite
from deltaresolver.spark.writing.changed_table import ChangedTable
from deltaresolver.spark.writing.conditions import Given, shown, target_condition
from deltaresolver.spark.writing.row_removal import RowRemoval
from deltaresolver.spark.writing.row_violations import RuleBook
from deltaresolver.spark.writing.session_values import SessionValues
from deltaresolver.spark.writing.statement_checks import ensure_condition
from deltaresolver.spark.writing.table_write import explained, undone_on_failure
from deltaresolver.table import Table
from deltaresolver.transaction import operation as operations
from deltaresolver.transaction.predicate_names import TargetNames

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

    from deltaresolver.transaction.committed import Committed


def delete(
    spark: SparkSession,
    path: str | os.PathLike[str],
    condition: Given | None = None,
    *,
    storage_options: Mapping[str, str] | None = None,
) -> Committed | None:
    """Delete the rows for which `condition` is true, all without one; None where there are none.

    The condition is Spark SQL or a Column; only of text can be told which files it needs. Where
    `delta.enableDeletionVectors` is set, the rows are only marked; else files that keep rows are written anew.
    It must give the same answer whenever it is evaluated: Spark's `AnalysisException` refuses `rand()`, and whatever
    else Spark cannot make sense of. Raises `TableNotFoundError`, `PredicateUnreadableError`, `WriteJobFailedError`, and
    what a commit raises.
    """
    return delete_rows(spark, Table(path, storage_options, session=SessionValues(spark)), condition)


def delete_rows(
    spark: SparkSession, table: Table, condition: Given | None, alias: str | None = None
) -> Committed | None:
    """As `delete`; conditions may call the table `alias`."""
    transaction = table.start_transaction()
    changed = ChangedTable(transaction, table, spark)
    application = ApplicationWrite.of(spark)
    if application.is_done(transaction):
        return None
    if condition is not None:
        ensure_condition(changed.no_rows(alias), condition)
    removal = RowRemoval(
        changed, condition, target_condition(condition, TargetNames.of(changed.metadata, alias)), alias
    )
    with undone_on_failure(transaction, [changed.undo]):
        with explained(RuleBook(), changed.location):
            removed = removal.run()
        actions = [*removed.actions, *application.actions()]
        if not actions:
            return None
        operation = operations.with_predicate("DELETE", [] if condition is None else [shown(condition)])
        tags = changed.tags
        transaction.commit(actions, attrs.evolve(operation, metrics=removed.metrics()), tags)
    application.finish()
    return transaction.committed
