"""update: rows that satisfy a condition get other values, in one transaction."""

from __future__ import annotations

import os
from collections.abc import Mapping
from typing import TYPE_CHECKING

import attrs

from deltaresolver.expressions.names import TargetNames
from deltaresolver.spark.call_sites import no_call_sites
from deltaresolver.spark.changes.arguments import LeftOut, checked_condition, checked_values
from deltaresolver.spark.changes.assignments import parse_assignments
from deltaresolver.spark.changes.changed_table import ChangedTable
from deltaresolver.spark.changes.conditions import Given, shown, target_condition
from deltaresolver.spark.changes.new_rows import Making
from deltaresolver.spark.changes.row_update import RowUpdate
from deltaresolver.spark.changes.statement_checks import ensure_condition, ensure_values
from deltaresolver.spark.every_row import every_row
from deltaresolver.spark.names.named_table import location_of
from deltaresolver.spark.settings.session_values import SessionValues
from deltaresolver.spark.writing.applications import ApplicationWrite
from deltaresolver.spark.writing.table_reads import start_changing
from deltaresolver.spark.writing.table_write import undone_on_failure
from deltaresolver.table import Table
from deltaresolver.transaction import operation as operations

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

    from deltaresolver.transaction.commit.committed import Committed


def update(
    spark: SparkSession,
    path: str | os.PathLike[str],
    set: Mapping[str, Given],  # noqa: A002 - the name that PySpark users know
    condition: Given | LeftOut = LeftOut.CONDITION,
    *,
    storage_options: Mapping[str, str] | None = None,
    trust_expressions: bool = False,
) -> Committed | None:
    """Change the rows for which `condition` is true, all where it is left out; None where there are none.

    `path` may be the name of a table in the session catalog.
    `set` gives columns, or fields of structs as `s.a`, their values: Spark SQL or Columns over the rows as they were.
    Conditions are Spark SQL or Columns; only of text can be told which files it needs. Values are brought to the
    column's type, generated columns are computed again, and rows are held to the table's rules. Where
    the table has deletion vectors enabled, only changed rows are written; else files that hold some are written anew.
    Condition and values must be the same whenever they are evaluated: Spark's `AnalysisException` refuses `rand()`, and
    whatever else Spark cannot make sense of. Expressions that the table keeps may call harmless functions of SQL only,
    unless `trust_expressions`.
    Raises `ArgumentInvalidError` (also for a condition that is None), `ArgumentTypeError`, `TableNotFoundError`,
    `AssignmentInvalidError`, `PredicateUnreadableError`, `DataWriteError` kinds, and what a commit raises; the table
    is then unchanged.
    """
    values, chosen = checked_values(set, "'set'"), checked_condition(condition)
    session = SessionValues(spark, trust_expressions=trust_expressions)
    return update_rows(spark, Table(location_of(spark, path), storage_options, session=session), values, chosen)


@no_call_sites()
def update_rows(
    spark: SparkSession,
    table: Table,
    values: Mapping[str, Given],
    condition: Given | None = None,
    alias: str | None = None,
) -> Committed | None:
    """As `update`; conditions and values may call the table `alias`."""
    transaction = start_changing(table, spark, [condition, *values.values()], alias)
    changed = ChangedTable(transaction, table, spark)
    application = ApplicationWrite.of(spark)
    if application.is_done(transaction, table):
        return None
    making = Making(parse_assignments(values, changed.metadata.schema, alias))
    rows = changed.no_rows(alias)
    if condition is not None:
        ensure_condition(rows, condition)
    ensure_values(rows, values.values(), repeatable=True)
    on_table = target_condition(condition, TargetNames.of(changed.metadata, alias, reading=changed.reading))
    with undone_on_failure(transaction, [changed.undo]), every_row(spark, changed.metadata.schema):
        updated = RowUpdate(changed, making, condition, on_table, alias).run()
        actions = [*updated.actions, *application.actions()]
        if not actions:
            return None
        operation = operations.with_predicate("UPDATE", [] if condition is None else [shown(condition)])
        metrics = {**updated.metrics(), **changed.times(), **changed.ensure_balanced(updated.actions)}
        transaction.commit(actions, attrs.evolve(operation, metrics=metrics), changed.tags)
    application.finish()
    return transaction.committed
