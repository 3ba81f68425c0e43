"""`transaction`: several statements on one table as one commit."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import partial
from typing import TYPE_CHECKING

import attrs

from deltaresolver.errors import TransactionBlockError
from deltaresolver.spark.block.active import (
    BlockStatement,
    TransactionBlock,
    open_blocks,
    show_blocks,
)
from deltaresolver.spark.block.staged_files import forget_left_over, forget_written
from deltaresolver.spark.settings.session_values import SessionValues
from deltaresolver.spark.writing.table_write import undone_on_failure
from deltaresolver.table import Table
from deltaresolver.transaction.behaviours import behaviours_of
from deltaresolver.transaction.commit.net_actions import net_actions
from deltaresolver.transaction.operation import together
from deltaresolver.transaction.symlink_manifest import ENABLED as MANIFESTS

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

    from deltaresolver.model.actions import Action
    from deltaresolver.model.operation import Operation


@contextmanager
def transaction(
    spark: SparkSession,
    path: str | os.PathLike[str],
    *,
    user_metadata: str | None = None,
    storage_options: Mapping[str, str] | None = None,
) -> Iterator[TransactionBlock]:
    """Everything that `ds.read`, `ds.write`, `ds.delete`, `ds.update` and `DeltaTable` do to this table is one commit.

        with ds.transaction(spark, path) as tx:
            old = ds.read(spark, path, where="day = '2024-05-01'")
            ds.delete(spark, path, "day = '2024-05-01'")
            ds.write(corrected(old), path, mode="append")
        tx.committed

    Reads without a version give the table as the block began, with what its statements did since. What is read counts:
    commits of others that concern it end the block with a `ConcurrentModificationError`. After an exception nothing is
    committed and the files that were written are deleted. What statements return inside is provisional: the commit is
    `tx.committed`, None if no statement changed anything.

    Other threads are outside. Changes of properties and features are refused inside, as is a second block on the same
    table, and what `format("deltaresolver")` writes does not belong to it. Raises `TransactionBlockError`,
    `TableNotFoundError`, and what a commit raises.
    """
    table = Table(path, storage_options, session=partial(SessionValues, spark))
    outside = open_blocks()
    block = TransactionBlock(table)
    _ensure_possible(block, outside)
    show_blocks({**outside, block.place: block})
    try:
        try:
            yield block
        finally:
            show_blocks(outside)
    except BaseException:
        forget_written(block)
        raise
    _commit(block, user_metadata)


def _ensure_possible(block: TransactionBlock, outside: Mapping[str, TransactionBlock]) -> None:
    problem = None
    if block.place in outside:
        problem = "a transaction on it is open already"
    elif block.base.metadata.is_on(MANIFESTS):
        problem = f"{MANIFESTS} writes files beside each commit"
    if problem is not None:
        raise TransactionBlockError(
            f"No transaction of several statements can begin on {block.place}: {problem}.",
            fix="End the other transaction first, or commit the statements one by one.",
            details={"location": block.place, "problem": problem},
        )


def _commit(block: TransactionBlock, user_metadata: str | None) -> None:
    """One transaction for all statements. Raises what a commit raises; the files are then deleted."""
    if not block.is_staged:
        return
    last = block.snapshot()
    whole = block.table.starter.start(block.base)
    with undone_on_failure(whole, [lambda: forget_written(block)]):
        for each in block.transactions:
            whole.track_scope(each.read_scope)
        if last.metadata != block.base.metadata:
            whole.update_metadata(last.metadata)
        protocols: list[Action] = [last.protocol] if last.protocol != whole.protocol else []
        own = behaviours_of(block.table.catalog).own_domains
        net = net_actions((each.committed.actions for each in block.statements), own)
        whole.commit([*protocols, *net.actions], _operation(block.statements, user_metadata), _tags(block.statements))
    block.committed = whole.committed
    forget_left_over(block, net.left_over)


def _operation(statements: Sequence[BlockStatement], user_metadata: str | None) -> Operation:
    found = together([each.operation for each in statements])
    return found if user_metadata is None else attrs.evolve(found, user_metadata=user_metadata)


def _tags(statements: Sequence[BlockStatement]) -> Mapping[str, str]:
    found: dict[str, str] = {}
    for each in statements:
        found |= each.committed.commit_info.fields.get("tags") or {}
    return found
