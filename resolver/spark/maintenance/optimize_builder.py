"""DeltaOptimizeBuilder: OPTIMIZE under the names that PySpark users know."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Any

import attrs

from deltaresolver.errors import MaintenanceUnsupportedError
from deltaresolver.model.actions import AddFile
from deltaresolver.spark.block.active import ensure_no_block
from deltaresolver.spark.changes.arguments import ensure_text, ensure_texts
from deltaresolver.spark.changes.last_commit import LastCommit
from deltaresolver.spark.maintenance.optimize import OptimizeOutcome, compact
from deltaresolver.table import Table

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

_SIZES = "struct<min:bigint,max:bigint,avg:double,totalFiles:bigint,totalSize:bigint>"
_CUBES = "struct<num:bigint,size:bigint>"
_CLUSTERED = (
    f"struct<strategyName:string,inputCubeFiles:{_CUBES},inputOtherFiles:{_CUBES},inputNumCubes:bigint,"
    f"mergedFiles:{_CUBES},numOutputCubes:bigint,mergedNumCubes:bigint>"
)
_CLUSTERED_FILES = "struct<numFiles:bigint,size:bigint>"
_CLUSTERING = (
    f"struct<inputZCubeFiles:{_CLUSTERED_FILES},inputOtherFiles:{_CLUSTERED_FILES},inputNumZCubes:bigint,"
    f"mergedFiles:{_CLUSTERED_FILES},numOutputZCubes:bigint>"
)
_PARALLELISM = (
    "struct<maxClusterActiveParallelism:bigint,minClusterActiveParallelism:bigint,maxSessionActiveParallelism:bigint,"
    "minSessionActiveParallelism:bigint>"
)
COLUMNS = (
    f"path string, metrics struct<numFilesAdded:bigint,numFilesRemoved:bigint,filesAdded:{_SIZES},"
    f"filesRemoved:{_SIZES},partitionsOptimized:bigint,zOrderStats:{_CLUSTERED},clusteringStats:{_CLUSTERING},"
    "numBins:bigint,numBatches:bigint,totalConsideredFiles:bigint,totalFilesSkipped:bigint,"
    "preserveInsertionOrder:boolean,numFilesSkippedToReduceWriteAmplification:bigint,"
    "numBytesSkippedToReduceWriteAmplification:bigint,startTimeMs:bigint,endTimeMs:bigint,"
    "totalClusterParallelism:bigint,totalScheduledTasks:bigint,"
    f"autoCompactParallelismStats:{_PARALLELISM},"
    "deletionVectorStats:struct<numDeletionVectorsRemoved:bigint,numDeletionVectorRowsRemoved:bigint>,"
    "numTableColumns:bigint,numTableColumnsWithStats:bigint>"
)
"""Of the row that OPTIMIZE returns, as delta-spark names them."""


@attrs.frozen(slots=True, eq=False)
class DeltaOptimizeBuilder:
    """An OPTIMIZE put together; `deltaresolver.spark.maintenance.optimize.compact` carries it out."""

    _spark: SparkSession
    _table: Table
    _last: LastCommit
    _where: tuple[str, ...] = ()

    def where(self, partitionFilter: str) -> DeltaOptimizeBuilder:
        """Only files of partitions for which this Spark SQL on partition columns is true."""
        ensure_text(partitionFilter, "partitionFilter")
        return attrs.evolve(self, where=(*self._where, partitionFilter))

    def executeCompaction(self) -> DataFrame:
        """Write small files together, and give one row with delta-spark's metrics.

        Raises `OptimizePredicateError`, `RowsUnaccountedError`, and what a write and a commit raise.
        """
        ensure_no_block(self._table, "executeCompaction")
        condition = " AND ".join(f"({each})" for each in self._where) if len(self._where) > 1 else None
        outcome = compact(self._spark, self._table, condition or next(iter(self._where), None))
        self._last.committed = outcome.committed
        row = (self._table.log.store.location, _metrics(outcome, len(self._table.metadata.schema.fields)))
        return self._spark.createDataFrame([row], COLUMNS)

    def executeZOrderBy(self, *cols: str | list[str] | tuple[str, ...]) -> DataFrame:
        """Not available. Raises `MaintenanceUnsupportedError`, and `ArgumentTypeError` for what is not text."""
        names: Sequence[Any] = cols[0] if len(cols) == 1 and isinstance(cols[0], (list, tuple)) else cols
        ensure_texts(names, "Z-order column")
        raise MaintenanceUnsupportedError(
            f"Z-ordering {self._table.log.store.location} by {', '.join(names)} is not available.",
            fix="Call executeCompaction(), or write the rows again sorted by these columns with the option dataChange "
            "set to false.",
            details={"columns": list(names)},
        )


def _metrics(outcome: OptimizeOutcome, columns: int) -> tuple[Any, ...]:
    removed, added = outcome.removed, outcome.added
    vectors = [file.deletion_vector for file in removed if file.deletion_vector is not None]
    partitions = {str(sorted(group[0].partition_values.items(), key=str)) for group in outcome.bins}
    return (
        len(added),
        len(removed),
        _sizes(added),
        _sizes(removed),
        len(partitions),
        None,
        None,
        len(outcome.bins),
        1,
        outcome.considered,
        outcome.considered - len(removed),
        False,
        0,
        0,
        outcome.started_ms,
        outcome.ended_ms,
        0,
        0,
        None,
        (len(vectors), sum(vector.cardinality for vector in vectors)) if vectors else None,
        columns,
        min(columns, 32),
    )


def _sizes(files: Iterable[AddFile]) -> tuple[int | None, int | None, float, int, int]:
    sizes = [file.size for file in files]
    if not sizes:
        return None, None, 0.0, 0, 0
    return min(sizes), max(sizes), sum(sizes) / len(sizes), len(sizes), sum(sizes)
