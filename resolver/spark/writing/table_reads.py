"""Where the transaction of a statement starts: at the version that its rows were read from, knowing what was read."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from functools import reduce
from typing import TYPE_CHECKING

from deltaresolver.errors import (
    LogTruncatedError,
    ReadTableGoneError,
    ReadVersionsDifferError,
    VersionNotFoundError,
    WriteOptionError,
)
from deltaresolver.log.columnar.arrow_schema import ADD_FILES
from deltaresolver.log.columnar.file_rows import add_from_row, iterate_rows
from deltaresolver.log.snapshot import Snapshot
from deltaresolver.log.storage.locations import open_store
from deltaresolver.spark.block.active import TransactionBlock, block_at, ended_block
from deltaresolver.spark.changes.conditions import Given, as_column
from deltaresolver.spark.reading.plan_reads import PlanReads, plan_reads
from deltaresolver.spark.reading.read import table_scan
from deltaresolver.spark.reading.read_marks import ReadMark, place_of
from deltaresolver.spark.reading.readable import shown_rows
from deltaresolver.spark.reading.select_files import select_files, texts_read

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

    from deltaresolver.table import Table
    from deltaresolver.transaction.transaction import OptimisticTransaction

_SUBQUERY = re.compile(r"\bselect\b", re.IGNORECASE)
_TRAVEL = ("versionasof", "timestampasof", "readchangefeed", "readchangedata")


def start_reading(table: Table, *frames: DataFrame) -> OptimisticTransaction:
    """A transaction on the version that the frames read of this table, or on the latest; what they read is registered.

    Reads of a version or moment that the user named do not count, as in delta-spark: what they give cannot change.
    In a `ds.transaction` of the table it is one of the block's. Raises `ReadVersionsDifferError`,
    `ReadTableGoneError`, `TransactionBlockError`, and as `Table.start_transaction`.
    """
    reads = reduce(PlanReads.with_reads, map(plan_reads, frames), PlanReads())
    block = block_at(table.log.store)
    place = place_of(table.log.store)
    marks = [mark for mark in reads.marks if mark.place == place]
    ended = next((mark for mark in marks if mark.block is not None and (block is None or mark.block != block.id)), None)
    if ended is not None:
        raise ended_block(ended.place)
    if block is not None:
        _ensure_one_version(marks, block)
        transaction = block.start()
    elif marks:
        transaction = table.starter.start(_snapshot_read(table, marks))
    else:
        transaction = table.start_transaction()
    base = transaction.snapshot if block is None else block.base
    _register(transaction, marks, base, frames[0].sparkSession if frames else None)
    _register_sources(transaction, reads, place)
    return transaction


def ensure_read_as_stored(transaction: OptimisticTransaction, table: Table, rows: DataFrame) -> None:
    """What features show of a table's rows does not replace the rows themselves. Raises `WriteOptionError`."""
    snapshot = transaction.snapshot
    shown = None if snapshot is None else shown_rows(snapshot.protocol, snapshot.metadata)
    if shown is None or shown.changes_nothing:
        return
    place, location = place_of(table.log.store), table.log.store.location
    if any(mark.place == place for mark in plan_reads(rows).marks):
        raise WriteOptionError(
            f"The rows were read from {location}, which shows its rows as {', '.join(shown.names)} has them; written "
            "back, they would replace the rows that are stored.",
            fix="Change rows in place with ds.update or ds.delete, or write these to another table.",
            details={"location": location, "features": shown.names},
        )


def start_changing(
    table: Table, spark: SparkSession, conditions: Sequence[Given | None], alias: str | None = None
) -> OptimisticTransaction:
    """As `start_reading`, for a statement whose conditions or values may read the table in a subquery."""
    asked = [each for each in conditions if each is not None and _may_hold_subquery(each)]
    frame = _evaluated(table, spark, asked, alias) if asked else None
    return start_reading(table) if frame is None else start_reading(table, frame)


def _may_hold_subquery(given: Given) -> bool:
    return not isinstance(given, str) or _SUBQUERY.search(given) is not None


def _evaluated(table: Table, spark: SparkSession, asked: Sequence[Given], alias: str | None) -> DataFrame | None:
    """The conditions over no rows of the table; None where Spark does not take them, which the statement will find."""
    from pyspark.errors import PySparkException

    block = block_at(table.log.store)
    snapshot = table.update() if block is None else block.snapshot()
    empty = table_scan(spark, snapshot, table.log.store.location).rows(ADD_FILES.empty_table())
    try:
        frame = (empty if alias is None else empty.alias(alias)).select(*map(as_column, asked))
        frame.schema  # noqa: B018 - a session on Connect analyzes it only now
    except PySparkException:
        return None
    return frame


def _ensure_one_version(marks: Iterable[ReadMark], block: TransactionBlock) -> None:
    for mark in marks:
        if mark.block is None and mark.version != block.base.table_version:
            raise _versions_differ(mark.place, [mark.version, block.base.table_version])


def _snapshot_read(table: Table, marks: Sequence[ReadMark]) -> Snapshot:
    """The version that all marks name. Raises `ReadVersionsDifferError`, `ReadTableGoneError`."""
    versions = sorted({mark.version for mark in marks})
    if len(versions) > 1:
        raise _versions_differ(table.log.store.location, versions)
    (version,) = versions
    try:
        latest = table.update()
        snapshot = latest if latest.table_version == version else table.snapshot(version)
    except (VersionNotFoundError, LogTruncatedError) as error:
        raise _gone(table, marks[0], error.message) from error
    other = next((mark for mark in marks if mark.table_id != snapshot.metadata.id), None)
    if other is not None:
        raise _gone(table, other, f"the table there has the id {snapshot.metadata.id}.")
    return snapshot


def _register(
    transaction: OptimisticTransaction,
    marks: Iterable[ReadMark],
    snapshot: Snapshot | None,
    spark: SparkSession | None,
) -> None:
    for where, zone in sorted({(mark.where or "", mark.zone) for mark in marks}):
        if not where or snapshot is None:
            transaction.read_whole_table()
            continue
        transaction.track_read_predicates(*texts_read(where, snapshot.metadata, zone))
        files = select_files(snapshot, where, zone, spark)
        transaction.track_files_read(add_from_row(row) for row in iterate_rows(files))


def _register_sources(transaction: OptimisticTransaction, reads: PlanReads, place: str) -> None:
    """Reads by the data source. It looks for the latest version when the query runs, which is after the beginning."""
    if reads.has_unknown_source:
        transaction.track_unknown_reads()
    for options in reads.sources:
        if any(options.get(key, "false").lower() != "false" for key in _TRAVEL):
            continue
        storage = {key[8:]: value for key, value in options.items() if key.startswith("storage.")}
        if place_of(open_store(options["path"], storage)) == place:
            transaction.read_whole_table()


def _versions_differ(location: str, versions: Sequence[int]) -> ReadVersionsDifferError:
    shown = " and ".join(map(str, versions)) if len(versions) < 3 else ", ".join(map(str, versions))
    return ReadVersionsDifferError(
        f"The rows were read from {location} at versions {shown}, and are to be written to that very table.",
        fix="Read the table once; an older version that is meant is read by ds.read(spark, path, version=...).",
        details={"location": location, "versions": list(versions)},
    )


def _gone(table: Table, mark: ReadMark, reason: str) -> ReadTableGoneError:
    location = table.log.store.location
    return ReadTableGoneError(
        f"The rows were read from table {mark.table_id} at {location}, version {mark.version}, which is gone: {reason}",
        fix="Read the table again and repeat.",
        details={"location": location, "table": mark.table_id, "version": mark.version},
    )
