"""DeltaOptimizeBuilder: OPTIMIZE under the names that PySpark users know."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Any

import attrs

from deltaresolver.model.actions import AddFile
from deltaresolver.spark.block.active import ensure_no_block
from deltaresolver.spark.changes.arguments import ensure_text, ensure_texts
from deltaresolver.spark.changes.last_commit import LastCommit
from deltaresolver.spark.maintenance.bins import partition_key
from deltaresolver.spark.maintenance.cubes import ClusteredFiles
from deltaresolver.spark.maintenance.layouts import Clustered, ZOrder
from deltaresolver.spark.maintenance.optimize import Optimize, OptimizeOutcome, optimize
from deltaresolver.spark.spark_errors import told_as_spark
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
    """An OPTIMIZE put together; `deltaresolver.spark.maintenance.optimize.optimize` carries it out."""

    _spark: SparkSession
    _table: Table
    _last: LastCommit
    _where: tuple[str, ...] = ()

    def where(self, partitionFilter: str) -> DeltaOptimizeBuilder:
        """Only files of partitions for which this Spark SQL on partition columns is true."""
        ensure_text(partitionFilter, "partitionFilter")
        return attrs.evolve(self, where=(*self._where, partitionFilter))

    @told_as_spark()
    def executeCompaction(self) -> DataFrame:
        """Write small files together, or cluster the files of a clustered table; one row with delta-spark's metrics.

        Raises as `optimize`.
        """
        return self._executed(Optimize(self._where))

    @told_as_spark()
    def executeZOrderBy(self, *cols: str | list[str] | tuple[str, ...]) -> DataFrame:
        """Write all files again with rows ordered by these columns at once. Raises as `optimize`."""
        names: Sequence[Any] = cols[0] if len(cols) == 1 and isinstance(cols[0], (list, tuple)) else cols
        ensure_texts(names, "Z-order column")
        return self._executed(Optimize(self._where, tuple(names)))

    def _executed(self, asked: Optimize) -> DataFrame:
        ensure_no_block(self._table, "optimize")
        outcome = optimize(self._spark, self._table, asked)
        self._last.committed = outcome.committed
        return metrics_row(self._spark, self._table, outcome)


def metrics_row(spark: SparkSession, table: Table, outcome: OptimizeOutcome) -> DataFrame:
    """One row in `COLUMNS`."""
    row = (table.log.store.location, _metrics(outcome, len(table.metadata.schema.fields)))
    return spark.createDataFrame([row], COLUMNS)


def _metrics(outcome: OptimizeOutcome, columns: int) -> tuple[Any, ...]:
    removed, added = outcome.removed, outcome.added
    vectors = [file.deletion_vector for file in removed if file.deletion_vector is not None]
    partitions = len({partition_key(group[0]) for group in outcome.bins})
    return (
        len(added),
        len(removed),
        _sizes(added),
        _sizes(removed),
        partitions,
        _z_order_counts(outcome, partitions),
        _cluster_counts(outcome),
        len(outcome.bins),
        1,
        len(outcome.considered),
        len(outcome.considered) - len(removed),
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


def _z_order_counts(outcome: OptimizeOutcome, partitions: int) -> tuple[Any, ...] | None:
    if not isinstance(outcome.layout, ZOrder):
        return None
    files = attrs.astuple(ClusteredFiles.of(outcome.removed))
    return ("all", (0, 0), files, 0, files, partitions, None)


def _cluster_counts(outcome: OptimizeOutcome) -> tuple[Any, ...] | None:
    if not isinstance(outcome.layout, Clustered):
        return None
    inside, outside, cubes = outcome.layout.cubes.counts(outcome.considered)
    merged = attrs.astuple(ClusteredFiles.of(outcome.removed))
    return (attrs.astuple(inside), attrs.astuple(outside), cubes, merged, len(outcome.bins))


def _sizes(files: Iterable[AddFile]) -> tuple[int | None, int | None, float, int, int]:
    sizes = [file.size for file in files]
    if not sizes:
        return None, None, 0.0, 0, 0
    return min(sizes), max(sizes), sum(sizes) / len(sizes), len(sizes), sum(sizes)
