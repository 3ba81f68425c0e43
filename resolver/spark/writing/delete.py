"""delete: rows that satisfy a condition leave the table, in one transaction."""

from __future__ import annotations

import os
from collections.abc import Mapping
from typing import TYPE_CHECKING

import attrs

from deltaresolver.errors import TableNotFoundError
from deltaresolver.spark.writing.row_removal import RemovedRows, RowRemoval
from deltaresolver.spark.writing.row_violations import RuleBook
from deltaresolver.spark.writing.session_values import SessionValues
from deltaresolver.spark.writing.table_write import explained, undone_on_failure
from deltaresolver.table import Table
from deltaresolver.transaction import operation as operations
from deltaresolver.transaction.removed_files import removals

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

    from deltaresolver.transaction.committed import Committed


def delete(
    spark: SparkSession,
    path: str | os.PathLike[str],
    condition: str | None = None,
    *,
    storage_options: Mapping[str, str] | None = None,
) -> Committed | None:
    """Delete the rows for which `condition` (Spark SQL) is true, all without one; None where there are none.

    Where `delta.enableDeletionVectors` is set, the rows are only marked; else files that keep rows are written anew.
    Raises `TableNotFoundError`, `PredicateUnreadableError`, `WriteJobFailedError`, and what a commit raises.
    """
    table = Table(path, storage_options, session=SessionValues(spark))
    transaction = table.start_transaction()
    if transaction.snapshot is None:
        location = table.log.store.location
        raise TableNotFoundError(
            f"There is no Delta table at {location}.", fix="Check the location.", details={"location": location}
        )
    removal = RowRemoval(transaction, table, spark, "true" if condition is None else condition)
    with undone_on_failure(transaction, [removal.undo]):
        with explained(RuleBook(), table.log.store.location):
            if condition is None:
                files = transaction.filter_files()
                removed = RemovedRows(tuple(removals(files, removal.now_ms)), files_removed=len(files))
            else:
                removed = removal.run()
        if not removed.actions:
            return None
        shown = operations.with_predicate("DELETE", [] if condition is None else [condition])
        transaction.commit(removed.actions, attrs.evolve(shown, metrics=removed.metrics()))
    return transaction.committed
