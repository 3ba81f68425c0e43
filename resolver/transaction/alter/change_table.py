"""Carry out a change of columns, constraints or layout as one commit, or only say what would happen."""

from __future__ import annotations

from collections.abc import Callable

from deltaresolver.errors import ConstraintRefusedError
from deltaresolver.log.snapshot import Snapshot
from deltaresolver.model.row_rules import RowCondition
from deltaresolver.resolution.resolve import resolve_upgrade
from deltaresolver.transaction.alter.alter_table import AlterOutcome
from deltaresolver.transaction.alter.table_change import TableChange
from deltaresolver.transaction.conflicts.in_flight import InFlight, Rivalry, judge_rivals
from deltaresolver.transaction.metadata.kept_expressions import ensure_expressions_usable
from deltaresolver.transaction.preparatory import MadeCommit
from deltaresolver.transaction.starter import TransactionStarter
from deltaresolver.transaction.transaction import OptimisticTransaction

RowCheck = Callable[[int, RowCondition], None]
"""Raises if a row of this table version breaks the condition; `deltaresolver.spark.row_check` makes one."""


def change_table(
    starter: TransactionStarter, change: TableChange, *, row_check: RowCheck | None = None, dry_run: bool = False
) -> AlterOutcome:
    """Commit the change; on a table where there is nothing to do the outcome has no commit.

    `row_check` looks at the rows for a change that takes it. With `dry_run` nothing is written, and everything
    else is the same: checks, policies, errors. Raises what the change, the resolver and a commit raise, and
    `TableExpressionRefusedError` for an expression that no writer would evaluate.
    """
    snapshot = starter.log.snapshot()
    transaction = (starter.pretending() if dry_run else starter).start(snapshot)
    planned = change.plan(transaction.state, starter.catalog)
    if planned is None:
        return _nothing_done(starter, snapshot, dry_run=dry_run)
    if planned.row_condition is not None:
        _check_rows(transaction, snapshot, planned.row_condition, row_check)
    if planned.metadata is not None:
        transaction.update_metadata(planned.metadata)
        ensure_expressions_usable(transaction, starter.catalog)
    preview = transaction.preview(planned.actions, planned.operation)
    version = transaction.commit(planned.actions, planned.operation)
    assert transaction.committed is not None
    return AlterOutcome(
        snapshot.protocol,
        transaction.committed.protocol,
        snapshot.metadata.configuration,
        transaction.committed.metadata.configuration,
        (MadeCommit(version, planned.operation.name),),
        resolve_upgrade(
            planned.metadata or snapshot.metadata, snapshot.protocol, starter.catalog, before=snapshot.metadata
        ),
        judge_rivals(starter, snapshot, preview, transaction.read_scope),
        dry_run,
        snapshot.table_version,
    )


def _nothing_done(starter: TransactionStarter, snapshot: Snapshot, *, dry_run: bool) -> AlterOutcome:
    return AlterOutcome(
        snapshot.protocol,
        snapshot.protocol,
        snapshot.metadata.configuration,
        snapshot.metadata.configuration,
        (),
        resolve_upgrade(snapshot.metadata, snapshot.protocol, starter.catalog, before=snapshot.metadata),
        Rivalry(InFlight(), InFlight(), InFlight()),
        dry_run,
        snapshot.table_version,
    )


def _check_rows(
    transaction: OptimisticTransaction, snapshot: Snapshot, condition: RowCondition, row_check: RowCheck | None
) -> None:
    """Every row satisfies the condition; rows that others add meanwhile conflict. Raises `ConstraintRefusedError`."""
    transaction.read_whole_table()
    if next(snapshot.add_actions(), None) is None:
        return
    if row_check is None:
        raise ConstraintRefusedError(
            f"The constraint {condition.name} ({condition.sql}) cannot be added: nobody has checked the table's rows.",
            fix="Pass row_check=deltaresolver.spark.row_check(spark, location), or run the statement in Spark.",
            details={"constraint": condition.name, "condition": condition.sql, "table_version": snapshot.table_version},
        )
    row_check(snapshot.table_version, condition)
