"""OPTIMIZE and REORG: files are written again with the same rows, in one commit that changes none."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from typing import TYPE_CHECKING

import attrs

from deltaresolver.errors import OptimizePredicateError
from deltaresolver.expressions.conditions import parse_predicate, standard_text
from deltaresolver.expressions.text.shown_predicate import shown_predicate
from deltaresolver.log.columnar.file_rows import add_from_row, iterate_rows
from deltaresolver.log.snapshot import milliseconds_now
from deltaresolver.model.actions import Action, AddFile
from deltaresolver.model.metadata import Metadata
from deltaresolver.model.support import Task
from deltaresolver.spark.changes.changed_table import ChangedTable
from deltaresolver.spark.every_row import every_row
from deltaresolver.spark.maintenance.bins import BinSizes, partition_key
from deltaresolver.spark.maintenance.hidden_parts import hiding_files
from deltaresolver.spark.maintenance.layouts import Bin, Layout, Purge
from deltaresolver.spark.maintenance.order_columns import chosen_layout
from deltaresolver.spark.reading.readable import ensure_readable
from deltaresolver.spark.reading.select_files import select_files
from deltaresolver.spark.writing.row_violations import RuleBook
from deltaresolver.spark.writing.table_write import explained, undone_on_failure
from deltaresolver.transaction.progress import stage

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

    from deltaresolver.table import Table
    from deltaresolver.transaction.commit.committed import Committed


@attrs.frozen(slots=True, eq=False)
class Optimize:
    """An OPTIMIZE as it is asked for; with `purges`, a REORG TABLE APPLY (PURGE).

    where        Spark SQL on partition columns; all must hold
    z_order_by   names of columns
    is_full      of a clustered table, every file that is clustered by other columns too
    partitions   keys of `bins.partition_key`: only files of these
    """

    where: Sequence[str] = ()
    z_order_by: Sequence[str] = ()
    is_full: bool = False
    purges: bool = False
    is_auto: bool = False
    sizes: BinSizes | None = None
    partitions: Collection[str] | None = None


@attrs.frozen(slots=True, eq=False)
class OptimizeOutcome:
    """What OPTIMIZE did: the files it wrote again, group by group, and those that came of them."""

    layout: Layout
    committed: Committed | None
    considered: Sequence[AddFile]
    bins: Sequence[Bin] = ()
    added: Sequence[AddFile] = ()
    started_ms: int = 0
    ended_ms: int = 0

    @property
    def removed(self) -> list[AddFile]:
        """The files that were written again."""
        return [file for group in self.bins for file in group]


def optimize(spark: SparkSession, table: Table, asked: Optimize) -> OptimizeOutcome:
    """Write files again, better laid out; nothing is committed where there is nothing to do.

    Rows that deletion vectors delete are left out of the new files; rows keep their ids. Raises
    `OptimizePredicateError`, `ZOrderColumnError`, `ClusteredOptimizeError`, `PredicateUnreadableError`,
    `RowsUnaccountedError`, and what a write and a commit raise.
    """
    started_ms = milliseconds_now()
    transaction = table.start_transaction()
    changed = ChangedTable(transaction, table, spark)
    ensure_readable(changed.snapshot.protocol, changed.snapshot.metadata, Task.REWRITE)
    sizes = asked.sizes or BinSizes.of(changed.metadata, table.starter.session)
    layout = chosen_layout(changed, asked, sizes, table.starter.session)
    files = select_files(changed.snapshot, _condition(changed, asked.where), changed.zone, changed.spark)
    considered = [add_from_row(row) for row in iterate_rows(files)]
    if asked.partitions is not None:
        considered = [file for file in considered if partition_key(file) in asked.partitions]
    if asked.purges:
        layout = Purge(sizes, hiding_files(spark, changed, considered))
    bins = layout.bins(considered)
    if not bins:
        return OptimizeOutcome(layout, None, considered, started_ms=started_ms, ended_ms=milliseconds_now())
    removed = [file for group in bins for file in group]
    # Other files, present or added meanwhile, make no difference to these.
    transaction.track_files_read(removed)
    keeps_rows = every_row(changed.spark, changed.metadata.schema)
    with undone_on_failure(transaction, [changed.undo]), keeps_rows, stage(_doing(changed, layout, removed)):
        with explained(RuleBook(), changed.location):
            added = layout.write(changed, files, bins)
        gone = [attrs.evolve(each, data_change=False) for each in changed.removals(removed)]
        actions: list[Action] = [*added, *gone]
        checked = changed.ensure_balanced(actions)
        metrics = {**_metrics(removed, added), **checked}
        operation = attrs.evolve(layout.operation([shown_predicate(each) for each in asked.where]), metrics=metrics)
        transaction.commit(actions, operation, changed.tags)
    return OptimizeOutcome(layout, transaction.committed, considered, bins, added, started_ms, milliseconds_now())


def _doing(changed: ChangedTable, layout: Layout, removed: Sequence[AddFile]) -> str:
    return f"{layout.operation(()).name} {changed.location}: writing {len(removed):,} files again"


def _condition(changed: ChangedTable, where: Sequence[str]) -> str | None:
    if not where:
        return None
    condition = standard_text(" AND ".join(f"({each})" for each in where) if len(where) > 1 else where[0],
                              changed.reading)  # fmt: skip
    _ensure_on_partitions(condition, changed.metadata)
    return condition


def _ensure_on_partitions(condition: str, metadata: Metadata) -> None:
    predicate = parse_predicate(condition)
    others = sorted(predicate.columns - {name.lower() for name in metadata.partition_columns})
    if others or not predicate.looks_only_at(predicate.columns):
        shown = others[0] if others else condition
        raise OptimizePredicateError(
            f"Predicate references non-partition column '{shown}'. Only the partition columns may be referenced: "
            f"[{', '.join(metadata.partition_columns)}].",
            fix="Restrict OPTIMIZE by partition columns, or leave the restriction out.",
            details={"columns": others, "partition_columns": list(metadata.partition_columns)},
        )


def _metrics(removed: Sequence[AddFile], added: Sequence[AddFile]) -> Mapping[str, str]:
    """Under the names of OPTIMIZE."""
    sizes = sorted(file.size for file in added) or [0]
    found = {
        "minFileSize": sizes[0],
        "p25FileSize": sizes[len(sizes) // 4],
        "p50FileSize": sizes[len(sizes) // 2],
        "p75FileSize": sizes[len(sizes) * 3 // 4],
        "maxFileSize": sizes[-1],
        "numAddedFiles": len(added),
        "numRemovedFiles": len(removed),
        "numAddedBytes": sum(file.size for file in added),
        "numRemovedBytes": sum(file.size for file in removed),
        "numDeletionVectorsRemoved": sum(file.deletion_vector is not None for file in removed),
    }
    return {name: str(value) for name, value in found.items()}
