"""`read`: a Delta table, or its changes, as a DataFrame."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING

import attrs

from deltaresolver.defaults import without_plugins as without_packages
from deltaresolver.errors import ReadOptionInvalidError, UnknownColumnError
from deltaresolver.log.log import DeltaLog
from deltaresolver.log.snapshot import Snapshot
from deltaresolver.log.storage.locations import open_store
from deltaresolver.model.facts.columns import mapping_mode
from deltaresolver.model.facts.keys import ROW_TRACKING
from deltaresolver.model.metadata import Metadata
from deltaresolver.model.schema import StructField, quoted
from deltaresolver.model.support import Task
from deltaresolver.spark.block.active import TransactionBlock, block_at
from deltaresolver.spark.call_sites import no_call_sites
from deltaresolver.spark.folding import METADATA
from deltaresolver.spark.names.named_table import location_of
from deltaresolver.spark.names.partition_path import PartitionPath, split_partitions
from deltaresolver.spark.names.travel_path import ensure_said_once, split_travel
from deltaresolver.spark.reading.change_feed import change_rows
from deltaresolver.spark.reading.change_range import (
    ensure_one_schema,
    ensure_recorded,
    find_range,
    read_commits,
)
from deltaresolver.spark.reading.file_location import TableRoot
from deltaresolver.spark.reading.outside import read_outside
from deltaresolver.spark.reading.read_marks import ReadMark, marked, place_of
from deltaresolver.spark.reading.read_options import (
    ChangeFeed,
    Moment,
    ReadRequest,
    as_moment,
    check_request,
    ensure_read_options,
    parse_read_options,
)
from deltaresolver.spark.reading.readable import ensure_readable, shown_rows
from deltaresolver.spark.reading.scan import ROW_COMMIT_VERSION, ROW_ID, TableScan
from deltaresolver.spark.reading.select_files import ensure_partition, select_files
from deltaresolver.spark.session import is_connect, session_time_zone, standard_condition

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

EMPTY: Mapping[str, str] = {}
_ID_NAMES = {ROW_ID: "row_id", ROW_COMMIT_VERSION: "row_commit_version"}
"""What users know the ids by."""


@no_call_sites()
def read(  # noqa: PLR0913 - one argument a choice, most of them rarely made
    spark: SparkSession,
    path: str | os.PathLike[str],
    *,
    version: int | None = None,
    timestamp: Moment | None = None,
    where: str | None = None,
    columns: Sequence[str] | None = None,
    change_feed: ChangeFeed | None = None,
    row_tracking: bool = False,
    options: Mapping[str, str] = EMPTY,
    storage_options: Mapping[str, str] | None = None,
    without_plugins: Iterable[str] = (),
) -> DataFrame:
    """A table as a DataFrame: its latest version, an earlier one, or its changes.

    path                 the table's; `path@v3` and `path@20260101000000000` name a version or moment, `path/p=1` a
                         partition, a text such as `db.events` a table of the session catalog, unless a folder of that
                         name has a log
    version, timestamp   the version to read; a moment without a zone is in the session's
    where                a condition in Spark SQL; files that cannot hold a match are not even opened
    columns              the columns to give, in this order
    change_feed          the range of changes to read, with `_change_type`, `_commit_version`, `_commit_timestamp`
    row_tracking         also give `row_id` and `row_commit_version`
    options              the same as `DataFrameReader.option` takes them: `versionAsOf`, `readChangeFeed`, ...
    storage_options      for reading the log in an object store; Spark has its own settings for the data
    without_plugins      installed packages to do without: nothing of them is imported

    The log is read now, the data when Spark runs the query. Raises the errors of `DeltaLog.snapshot`,
    `ReadUnsupportedError`, `ReadOptionInvalidError`, `UnknownColumnError`, `PredicateUnreadableError`,
    `DataFileMissingError`, `HiddenDataFileError`, `DeletionVectorUnreadableError`, `FieldIdsNeededError` and the three
    of change feeds.
    """
    ensure_read_options(options)
    with without_packages(without_plugins):
        location, request = _request(spark, path, version, timestamp, change_feed, options)
        partition = split_partitions(location, storage_options)
        if partition.condition:
            where = f"({where}\n) AND {partition.condition}" if where else partition.condition
        log = DeltaLog(open_store(partition.table, storage_options))
        reading = _Reading(spark, log, partition, request, where, storage_options, gives_ids=row_tracking)
        return _narrowed(reading.rows(), where, columns)


@attrs.frozen
class _Reading:
    """What `read` was asked for, once the location, the version and the range are known."""

    spark: SparkSession
    log: DeltaLog
    named: PartitionPath
    request: ReadRequest
    where: str | None
    storage_options: Mapping[str, str] | None
    gives_ids: bool = attrs.field(kw_only=True)

    def rows(self) -> DataFrame:
        """All columns of the rows, or of the changes, and all rows of the files that may match."""
        block = None if self.request.is_of_a_moment else block_at(self.log.store)
        snapshot = self._snapshot(block)
        ensure_partition(self.named, snapshot, session_time_zone(self.spark), self.spark)
        if self.request.changes is None:
            return self._table_rows(snapshot, block)
        location = os.fspath(self.named.table)
        return read_changes(self.spark, self.log, snapshot, location, self.request.changes, self.storage_options)

    def _snapshot(self, block: TransactionBlock | None) -> Snapshot:
        if block is not None:
            return block.snapshot()
        if self.request.timestamp is not None:
            return self.log.snapshot(timestamp=as_moment(self.request.timestamp, session_time_zone(self.spark)))
        return self.log.snapshot(self.request.version)

    def _table_rows(self, snapshot: Snapshot, block: TransactionBlock | None) -> DataFrame:
        zone, options = session_time_zone(self.spark), self.storage_options
        location = os.fspath(self.named.table)
        scan = table_scan(self.spark, snapshot, location, row_tracking=self.gives_ids, storage_options=options)
        scan = attrs.evolve(scan, shows_not_null=True, hides_metadata=_may_hide(self.spark, scan), as_session=True)
        shown = shown_rows(snapshot.protocol, snapshot.metadata)
        # Statistics are about what is stored, and a condition about what is shown.
        narrows = self.where and standard_condition(self.spark, self.where) if shown.changes_nothing else None
        rows = shown.applied_to(scan.rows(shown.files(select_files(snapshot, narrows, zone, self.spark))))
        if self.gives_ids:
            _ensure_ids_named(snapshot.metadata)
            rows = rows.withColumnsRenamed(_ID_NAMES)
        if self.request.is_of_a_moment:
            return rows
        staged = block.id if block is not None and block.is_staged else None
        place, table_id = place_of(self.log.store), snapshot.metadata.id
        return marked(rows, ReadMark(place, table_id, snapshot.table_version, narrows, zone, staged))


def table_scan(
    spark: SparkSession,
    snapshot: Snapshot,
    location: str,
    *,
    row_tracking: bool = False,
    positions: bool = False,
    storage_options: Mapping[str, str] | None = None,
) -> TableScan:
    """All columns of a snapshot, ready to read any of its files; `location` is as the user wrote it.

    Raises `ReadUnsupportedError`, `ProtocolMismatchError`, and `ReadOptionInvalidError` for row tracking that is off.
    """
    metadata = snapshot.metadata
    ensure_readable(snapshot.protocol, metadata)
    if row_tracking:
        _check_row_tracking(metadata)
    root = TableRoot.of(location, snapshot.store)
    outside = read_outside(snapshot.store, storage_options)
    fields = metadata.schema.fields
    return TableScan(spark, snapshot.store, root, metadata, fields, row_tracking, positions, outside, storage_options)


def read_changes(
    spark: SparkSession,
    log: DeltaLog,
    snapshot: Snapshot,
    location: str,
    feed: ChangeFeed,
    storage_options: Mapping[str, str] | None = None,
) -> DataFrame:
    """The changes that `feed` asks for, in the schema of `snapshot`; by column mapping in that of the last version.

    Raises `ChangeFeedRangeError`, `ChangeFeedUnavailableError`, `ChangeFeedSchemaError`.
    """
    scan = attrs.evolve(table_scan(spark, snapshot, location, storage_options=storage_options), as_session=True)
    versions = find_range(log, snapshot, feed, session_time_zone(spark))
    if versions.last < versions.first:
        return change_rows(scan, [])
    start = log.snapshot(versions.first)
    ensure_readable(start.protocol, start.metadata, Task.CHANGE_FEED)
    ensure_readable(snapshot.protocol, snapshot.metadata, Task.CHANGE_FEED)
    commits = read_commits(snapshot, versions)
    ensure_recorded(start.metadata, commits, versions)
    mapped = {mapping_mode(snapshot.metadata), mapping_mode(start.metadata)} != {"none"}
    shown = log.snapshot(versions.last).metadata if mapped else snapshot.metadata
    ensure_one_schema(shown, start.metadata, commits, versions)
    return change_rows(attrs.evolve(scan, metadata=shown, fields=shown.schema.fields), commits)


def _request(
    spark: SparkSession,
    path: str | os.PathLike[str],
    version: int | None,
    timestamp: Moment | None,
    change_feed: ChangeFeed | None,
    options: Mapping[str, str],
) -> tuple[str | os.PathLike[str], ReadRequest]:
    location, named_version, named_moment = split_travel(location_of(spark, path), spark)
    by_option = parse_read_options(options)
    request = ReadRequest(
        by_option.version if version is None else version,
        by_option.timestamp if timestamp is None else timestamp,
        by_option.changes if change_feed is None else change_feed,
    )
    check_request(request)
    if named_version is None and named_moment is None:
        return location, request
    ensure_said_once(location, is_asked=request.is_of_a_moment)
    return location, attrs.evolve(request, version=named_version, timestamp=named_moment)


def _may_hide(spark: SparkSession, scan: TableScan) -> bool:
    return not is_connect(spark) and all(field.name.lower() != METADATA for field in scan.fields)


def _narrowed(rows: DataFrame, where: str | None, columns: Sequence[str] | None) -> DataFrame:
    if where is not None:
        rows = rows.where(where)
    if columns is None:
        return rows
    known = {name.lower(): name for name in rows.columns}
    unknown = [name for name in columns if name.lower() not in known]
    if unknown:
        raise UnknownColumnError(
            f"The table has no column {', '.join(unknown)}.",
            fix=f"Use some of: {', '.join(rows.columns)}.",
            details={"unknown": unknown, "known": rows.columns},
        )
    return rows.select(*(quoted(known[name.lower()]) for name in columns))


def _ensure_ids_named(metadata: Metadata) -> None:
    fields: Sequence[StructField] = metadata.schema.fields
    taken = sorted({field.name.lower() for field in fields}.intersection(_ID_NAMES.values()))
    if taken:
        raise ReadOptionInvalidError(
            f"Row tracking gives columns that the table has already: {', '.join(taken)}.",
            fix="Read the table without row_tracking, or rename the columns.",
            details={"taken": taken},
        )


def _check_row_tracking(metadata: Metadata) -> None:
    if not metadata.is_on(ROW_TRACKING):
        raise ReadOptionInvalidError(
            "Row ids are asked for, and the table does not track rows.",
            fix=f"Set {ROW_TRACKING} to true first, or read without row_tracking.",
            details={"property": ROW_TRACKING},
        )
