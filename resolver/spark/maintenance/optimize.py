"""OPTIMIZE: many small files become few large ones with the same rows, in one commit that changes no row."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

import attrs
import pyarrow as pa
import pyarrow.compute as pc

from deltaresolver.errors import MaintenanceUnsupportedError, OptimizePredicateError
from deltaresolver.expressions.conditions import parse_predicate, standard_text
from deltaresolver.log.columnar.file_rows import add_from_row, iterate_rows
from deltaresolver.log.snapshot import Snapshot, milliseconds_now
from deltaresolver.model.actions import Action, AddFile
from deltaresolver.model.metadata import Metadata
from deltaresolver.model.schema import quoted
from deltaresolver.model.support import Task
from deltaresolver.spark.changes.changed_table import ChangedTable
from deltaresolver.spark.changes.copied_rows import copied, is_tracked
from deltaresolver.spark.maintenance.bins import BinSizes
from deltaresolver.spark.maintenance.table_detail import clustering_columns
from deltaresolver.spark.reading.readable import ensure_readable
from deltaresolver.spark.reading.select_files import select_files
from deltaresolver.spark.writing.row_violations import RuleBook
from deltaresolver.spark.writing.table_write import explained, undone_on_failure
from deltaresolver.transaction import operation as operations

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

    from deltaresolver.table import Table
    from deltaresolver.transaction.commit.committed import Committed

Bin = tuple[AddFile, ...]

MAX_TASKS = 200
"""Of one job; a task may write the files of several partitions."""


@attrs.frozen(slots=True, eq=False)
class OptimizeOutcome:
    """What OPTIMIZE did: the files it wrote together, bin by bin, and those that came of them."""

    committed: Committed | None
    considered: int
    bins: Sequence[Bin] = ()
    added: Sequence[AddFile] = ()
    started_ms: int = 0
    ended_ms: int = 0

    @property
    def removed(self) -> list[AddFile]:
        """The files that were written again."""
        return [file for group in self.bins for file in group]


def compact(
    spark: SparkSession, table: Table, where: str | None = None, *, sizes: BinSizes | None = None
) -> OptimizeOutcome:
    """Write small files together, up to a size, each partition by itself; nothing is committed where there are none.

    Rows that deletion vectors delete are left out of the new files; rows keep their ids. `where` is Spark SQL on
    partition columns. Raises `MaintenanceUnsupportedError` for a clustered table, `OptimizePredicateError`,
    `PredicateUnreadableError`, `RowsUnaccountedError`, and what a write and a commit raise.
    """
    started_ms = milliseconds_now()
    transaction = table.start_transaction()
    changed = ChangedTable(transaction, table, spark)
    ensure_readable(changed.snapshot.protocol, changed.snapshot.metadata, Task.REWRITE)
    _ensure_not_clustered(changed.snapshot)
    condition = None if where is None else standard_text(where, changed.reading)
    if condition is not None:
        _ensure_on_partitions(condition, changed.metadata)
    sizes = BinSizes.of(changed.metadata, table.starter.session) if sizes is None else sizes
    files = select_files(changed.snapshot, condition, changed.zone)
    bins = sizes.bins(add_from_row(row) for row in iterate_rows(files))
    if not bins:
        return OptimizeOutcome(None, len(files), started_ms=started_ms, ended_ms=milliseconds_now())
    # What else is in the table or comes to it makes no difference to these.
    transaction.track_files_read([file for group in bins for file in group])
    with undone_on_failure(transaction, [changed.undo]):
        with explained(RuleBook(), changed.location):
            added = [file for group in _rounds(bins) for file in _written(changed, files, group)]
        removed = [file for group in bins for file in group]
        gone = [attrs.evolve(each, data_change=False) for each in changed.removals(removed)]
        actions: list[Action] = [*added, *gone]
        checked = changed.ensure_balanced(actions)
        operation = operations.optimize([] if where is None else [where])
        metrics = {**_metrics(removed, added), **checked}
        transaction.commit(actions, attrs.evolve(operation, metrics=metrics), changed.tags)
    return OptimizeOutcome(transaction.committed, len(files), bins, added, started_ms, milliseconds_now())


def _rounds(bins: Sequence[Bin]) -> list[list[Bin]]:
    """Bins that one job can write, since no two of them are of one partition."""
    rounds: list[list[Bin]] = []
    seen: Counter[str] = Counter()
    for group in bins:
        partition = str(sorted(group[0].partition_values.items(), key=str))
        number, seen[partition] = seen[partition], seen[partition] + 1
        if number == len(rounds):
            rounds.append([])
        rounds[number].append(group)
    return rounds


def _written(changed: ChangedTable, files: pa.Table, bins: Sequence[Bin]) -> list[AddFile]:
    """One file for each bin. Raises as `write_data`."""
    paths = pa.array([file.path for group in bins for file in group])
    chosen = files.filter(pc.is_in(files.column("path"), paths))
    scan = changed.scan(row_tracking=is_tracked(changed.metadata))
    rows = copied(scan.rows(chosen), changed.metadata)
    if len(bins) == 1:
        rows = rows.coalesce(1)
    else:
        columns = [quoted(name) for name, _ in changed.layout.partition_columns]
        rows = rows.repartition(min(len(bins), MAX_TASKS), *columns)
    return [attrs.evolve(file, data_change=False) for file in changed.write(rows).adds]


def _ensure_not_clustered(snapshot: Snapshot) -> None:
    """OPTIMIZE of a clustered table clusters its files; to write them together as they lie would undo that."""
    columns = clustering_columns(snapshot)
    if columns:
        location = snapshot.store.location
        raise MaintenanceUnsupportedError(
            f"{location} is clustered by {', '.join(columns)}, and OPTIMIZE of clustered tables is not available.",
            fix="Run OPTIMIZE with delta-spark, or stop clustering with ALTER TABLE ... CLUSTER BY NONE first.",
            details={"location": location, "columns": columns},
        )


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
