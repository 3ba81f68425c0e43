"""The ways in which OPTIMIZE and REORG write files again: which files together, and how their rows are spread."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import TYPE_CHECKING, Protocol, TypeAlias

import attrs
import pyarrow as pa
import pyarrow.compute as pc

from deltaresolver.model.actions import AddFile
from deltaresolver.model.operation import Operation
from deltaresolver.model.schema import FieldPath, quoted
from deltaresolver.spark.changes.changed_table import ChangedTable
from deltaresolver.spark.changes.copied_rows import copied, is_tracked
from deltaresolver.spark.changes.live_records import live_records
from deltaresolver.spark.maintenance.bins import BinSizes, by_partition, partition_key
from deltaresolver.spark.maintenance.cubes import Cubes
from deltaresolver.spark.maintenance.z_order import spread
from deltaresolver.transaction import operation as operations

if TYPE_CHECKING:
    from pyspark.sql import DataFrame

Bin: TypeAlias = tuple[AddFile, ...]

MAX_TASKS = 200
"""Of one job; a task may write the files of several partitions."""


class Layout(Protocol):
    """One way to write files again."""

    def bins(self, files: Sequence[AddFile]) -> list[Bin]:
        """The files to write again, in groups."""

    def write(self, changed: ChangedTable, files: pa.Table, bins: Sequence[Bin]) -> list[AddFile]:
        """Write the groups. Raises as `write_data`."""

    def operation(self, predicates: Sequence[str]) -> Operation:
        """What history calls it."""


@attrs.frozen(slots=True)
class Compaction:
    """Small files together, up to a size."""

    sizes: BinSizes
    is_auto: bool = False

    def bins(self, files: Sequence[AddFile]) -> list[Bin]:
        """Groups of at least two."""
        return self.sizes.bins(files)

    def write(self, changed: ChangedTable, files: pa.Table, bins: Sequence[Bin]) -> list[AddFile]:
        """One file for each group."""
        return write_whole(changed, files, bins)

    def operation(self, predicates: Sequence[str]) -> Operation:
        """OPTIMIZE."""
        return operations.optimize(predicates, auto=self.is_auto)


@attrs.frozen(slots=True)
class Purge:
    """Files that hold something that no reader sees: deleted rows, or columns that were dropped."""

    sizes: BinSizes
    hiding: frozenset[str]
    """Their paths."""

    def bins(self, files: Sequence[AddFile]) -> list[Bin]:
        """Groups, of one file too."""
        return self.sizes.groups(file for file in files if file.path in self.hiding)

    def write(self, changed: ChangedTable, files: pa.Table, bins: Sequence[Bin]) -> list[AddFile]:
        """One file for each group."""
        return write_whole(changed, files, bins)

    def operation(self, predicates: Sequence[str]) -> Operation:
        """REORG."""
        return operations.reorg(predicates)


@attrs.frozen(slots=True)
class ZOrder:
    """All files of each partition, rows ordered by several columns at once."""

    names: Sequence[str]
    columns: Sequence[FieldPath]
    """In data files."""
    sizes: BinSizes

    def bins(self, files: Sequence[AddFile]) -> list[Bin]:
        """One group for each partition."""
        return by_partition(files)

    def write(self, changed: ChangedTable, files: pa.Table, bins: Sequence[Bin]) -> list[AddFile]:
        """As many files for each group as its size takes."""
        return [add for group in bins for add in write_ordered(changed, files, group, self.columns, self.sizes)]

    def operation(self, predicates: Sequence[str]) -> Operation:
        """OPTIMIZE ZORDER BY."""
        return operations.optimize(predicates, self.names)


@attrs.frozen(slots=True)
class Clustered:
    """Files of a clustered table that are not in a cube of their columns, or only in a small one."""

    cubes: Cubes
    columns: Sequence[FieldPath]
    sizes: BinSizes
    is_auto: bool = False

    def bins(self, files: Sequence[AddFile]) -> list[Bin]:
        """One group for each new cube."""
        return self.cubes.bins(self.cubes.chosen(files))

    def write(self, changed: ChangedTable, files: pa.Table, bins: Sequence[Bin]) -> list[AddFile]:
        """As many files for each group as its size takes, noted as one cube."""
        written = (write_ordered(changed, files, group, self.columns, self.sizes) for group in bins)
        return [add for adds in written for add in self.cubes.tagged(adds)]

    def operation(self, predicates: Sequence[str]) -> Operation:
        """OPTIMIZE, with the clustering columns."""
        columns, is_full = self.cubes.columns, self.cubes.is_full
        return operations.optimize(predicates, cluster_by=columns, auto=self.is_auto, is_full=is_full)


def write_whole(changed: ChangedTable, files: pa.Table, bins: Sequence[Bin]) -> list[AddFile]:
    """One file for each group. Raises as `write_data`."""
    return [add for round_ in _rounds(bins) for add in _written_together(changed, files, round_)]


def write_ordered(
    changed: ChangedTable, files: pa.Table, group: Bin, columns: Sequence[FieldPath], sizes: BinSizes
) -> list[AddFile]:
    """The rows of one group, ordered, in files of about the size wanted. Raises as `write_data`."""
    count = max(1, sum(file.size for file in group) // sizes.max_size)
    known = [live_records(file) for file in group]
    total = None if None in known else sum(each or 0 for each in known)
    rows = spread(_rows(changed, files, group), columns, count, total)
    return _as_moved(changed.write(rows, stays_as_laid_out=True).adds)


def _rounds(bins: Sequence[Bin]) -> list[list[Bin]]:
    """Bins that one job can write, since no two of them are of one partition."""
    rounds: list[list[Bin]] = []
    seen: Counter[str] = Counter()
    for group in bins:
        partition = partition_key(group[0])
        number, seen[partition] = seen[partition], seen[partition] + 1
        if number == len(rounds):
            rounds.append([])
        rounds[number].append(group)
    return rounds


def _written_together(changed: ChangedTable, files: pa.Table, bins: Sequence[Bin]) -> list[AddFile]:
    rows = _rows(changed, files, [file for group in bins for file in group])
    if len(bins) == 1:
        rows = rows.coalesce(1)
    else:
        columns = [quoted(name) for name, _ in changed.layout.partition_columns]
        rows = rows.repartition(min(len(bins), MAX_TASKS), *columns)
    return _as_moved(changed.write(rows, stays_as_laid_out=True).adds)


def _rows(changed: ChangedTable, files: pa.Table, chosen: Sequence[AddFile]) -> DataFrame:
    paths = pa.array([file.path for file in chosen], pa.string())
    scan = changed.scan(row_tracking=is_tracked(changed.metadata))
    return copied(scan.rows(files.filter(pc.is_in(files.column("path"), paths))), changed.metadata)


def _as_moved(adds: Sequence[AddFile]) -> list[AddFile]:
    return [attrs.evolve(file, data_change=False) for file in adds]
