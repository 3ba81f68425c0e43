"""What delta.tables has for the upkeep of a table, as methods of DeltaTable."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime
from typing import TYPE_CHECKING, Any

from deltaresolver.errors import ArgumentInvalidError
from deltaresolver.planning.rewriting_files.drop import drop_with_rewriting
from deltaresolver.resolution.instructions import MIN_READER_VERSION, MIN_WRITER_VERSION
from deltaresolver.spark.block.active import ensure_no_block
from deltaresolver.spark.changes.arguments import ensure_flag, ensure_text, ensure_whole
from deltaresolver.spark.changes.last_commit import LastCommit
from deltaresolver.spark.maintenance.clone import Clone, clone
from deltaresolver.spark.maintenance.file_rewriting import SparkRewriter
from deltaresolver.spark.maintenance.history_rows import history_rows
from deltaresolver.spark.maintenance.optimize_builder import DeltaOptimizeBuilder
from deltaresolver.spark.maintenance.table_detail import table_detail
from deltaresolver.spark.reading.read_options import as_moment
from deltaresolver.spark.session import session_time_zone
from deltaresolver.spark.spark_errors import told_as_spark
from deltaresolver.table import Table

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

    from deltaresolver.spark.tables import DeltaTable
    from deltaresolver.transaction.commit.committed import Committed
    from deltaresolver.transaction.restore_table import RestoreOutcome

SYMLINKS = "symlink_format_manifest"


class TableUpkeep:
    """Methods that look at a table as a whole. They return what those of `delta.tables` return."""

    _spark: SparkSession
    _table: Table
    _last: LastCommit

    @property
    def last_commit(self) -> Committed | None:
        """The commit of the last DELETE, UPDATE, MERGE, OPTIMIZE or RESTORE by this DeltaTable or an alias of it.

        None before the first, and where it changed nothing.
        """
        return self._last.committed

    @told_as_spark()
    def history(self, limit: int | None = None) -> DataFrame:
        """DESCRIBE HISTORY: one row for each of the last `limit` commits, newest first."""
        return history_rows(self._spark, self._table.history(limit))

    @told_as_spark()
    def detail(self) -> DataFrame:
        """DESCRIBE DETAIL: one row about the latest version, in the columns delta-spark gives."""
        return table_detail(self._spark, self._table.update(), self._table.catalog)

    @told_as_spark()
    def generate(self, mode: str) -> None:
        """Write manifests for engines that cannot read the log. The only mode is "symlink_format_manifest".

        Raises `ArgumentInvalidError`, and `PostCommitError` for a table with deletion vectors.
        """
        ensure_text(mode, "mode")
        if mode.lower() != SYMLINKS:
            raise ArgumentInvalidError(
                f"Specified mode '{mode}' is not supported. Supported modes are: {SYMLINKS}.",
                fix=f'Give "{SYMLINKS}".',
                details={"argument": "mode", "found": mode},
                delta_class="DeltaIllegalArgumentException",
                delta_condition="DELTA_MODE_NOT_SUPPORTED",
            )
        ensure_no_block(self._table, "generate")
        self._table.generate_symlink_manifests()

    @told_as_spark()
    def vacuum(self, retentionHours: float | None = None) -> DataFrame:
        """Delete files that no retained version needs and give an empty DataFrame. Raises as `Table.vacuum`."""
        from pyspark.sql.types import StructType

        ensure_no_block(self._table, "vacuum")
        self._table.vacuum(retentionHours)
        return self._spark.createDataFrame([], StructType([]))

    def optimize(self) -> DeltaOptimizeBuilder:
        """Begin an OPTIMIZE: `executeCompaction()` carries it out."""
        return DeltaOptimizeBuilder(self._spark, self._table, self._last)

    @told_as_spark()
    def restoreToVersion(self, version: int) -> DataFrame:
        """Commit the state of an earlier version as the newest one, and give its metrics. Raises as `Table.restore`.

        The latest version is there already: nothing is committed, and there is no row of metrics.
        """
        ensure_whole(version, "version")
        ensure_no_block(self._table, "restoreToVersion")
        return self._restored(self._table.restore(version))

    @told_as_spark()
    def restoreToTimestamp(self, timestamp: str) -> DataFrame:
        """The same for the version that was current at a moment, in the session's zone where it names none."""
        ensure_text(timestamp, "timestamp")
        ensure_no_block(self._table, "restoreToTimestamp")
        moment = as_moment(timestamp, session_time_zone(self._spark))
        assert isinstance(moment, datetime), "a text is a day or a moment"
        return self._restored(self._table.restore(timestamp=moment.isoformat(sep=" ")))

    def upgradeTableProtocol(self, readerVersion: int, writerVersion: int) -> None:
        """Raise the protocol to at least these versions, as ALTER TABLE does: one that is higher stays.

        Raises `ArgumentInvalidError`, and as `Table.alter`.
        """
        for name, value in (("readerVersion", readerVersion), ("writerVersion", writerVersion)):
            if not isinstance(value, int):
                raise ArgumentInvalidError(
                    f"The {name} needs to be an integer but got '{type(value)}'.",
                    fix=f"Give {name} as a whole number.",
                    details={"argument": name, "type": type(value).__name__},
                )
        ensure_no_block(self._table, "upgradeTableProtocol")
        versions = {MIN_READER_VERSION: str(readerVersion), MIN_WRITER_VERSION: str(writerVersion)}
        with told_as_spark():
            self._table.alter(versions)

    def addFeatureSupport(self, featureName: str | None = None, *, feature: str | None = None) -> None:
        """Add support for a table feature by name. Raises `ArgumentInvalidError`, and as `Table.alter`."""
        name = feature if featureName is None else featureName
        ensure_text(name, "featureName")
        ensure_no_block(self._table, "addFeatureSupport")
        with told_as_spark():
            self._table.alter(add_features=[str(name)])

    def dropFeatureSupport(self, featureName: str, truncateHistory: bool | None = None) -> None:
        """Take a table feature away; where data files hold it in use, they are written again first.

        Raises `ArgumentInvalidError`, and as `deltaresolver.planning.rewriting_files.drop.drop_with_rewriting`.
        """
        ensure_text(featureName, "featureName")
        if truncateHistory is not None:
            ensure_flag(truncateHistory, "truncateHistory")
        ensure_no_block(self._table, "dropFeatureSupport")
        with told_as_spark():
            drop_with_rewriting(
                self._table, featureName, SparkRewriter(self._spark), truncate_history=bool(truncateHistory)
            )

    @told_as_spark()
    def clone(
        self, target: str, isShallow: bool = False, replace: bool = False, properties: Mapping[str, str] | None = None
    ) -> DeltaTable:
        """Make a table at `target`, a path, that names the files of the latest version; `isShallow` must be true.

        Raises `ArgumentInvalidError`, `MaintenanceUnsupportedError` for a deep clone, and as `Table.clone`.
        """
        return self._cloned(Clone(target, isShallow, replace, properties))

    @told_as_spark()
    def cloneAtVersion(
        self,
        version: int,
        target: str,
        isShallow: bool = False,
        replace: bool = False,
        properties: Mapping[str, str] | None = None,
    ) -> DeltaTable:
        """The same for an earlier version. Raises as `clone`, and `VersionNotFoundError`."""
        ensure_whole(version, "version")
        return self._cloned(Clone(target, isShallow, replace, properties, version))

    @told_as_spark()
    def cloneAtTimestamp(
        self,
        timestamp: str,
        target: str,
        isShallow: bool = False,
        replace: bool = False,
        properties: Mapping[str, str] | None = None,
    ) -> DeltaTable:
        """The same for the version of a moment, in the session's zone where it names none. Raises as `clone`."""
        ensure_text(timestamp, "timestamp")
        moment = as_moment(timestamp, session_time_zone(self._spark))
        return self._cloned(Clone(target, isShallow, replace, properties, timestamp=moment))

    def _cloned(self, wanted: Clone) -> DeltaTable:
        from deltaresolver.spark.tables import DeltaTable

        ensure_no_block(self._table, "clone")
        path = wanted.ensured_path()
        clone(self._spark, self._table, wanted)
        return DeltaTable.forPath(self._spark, path, storage_options=self._table.storage_options)

    def _restored(self, outcome: RestoreOutcome) -> DataFrame:
        self._last.committed = outcome.committed
        metrics = outcome.metrics()
        rows: list[tuple[Any, ...]] = [] if outcome.committed is None else [tuple(metrics.values())]
        return self._spark.createDataFrame(rows, ", ".join(f"{name} bigint" for name in metrics))
