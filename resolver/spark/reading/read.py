"""`read`: a Delta table, or its changes, as a DataFrame."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import TYPE_CHECKING

from deltaresolver.errors import UnknownColumnError
from deltaresolver.log.log import DeltaLog
from deltaresolver.log.snapshot import Snapshot
from deltaresolver.log.storage.locations import open_store
from deltaresolver.model.metadata import Metadata
from deltaresolver.model.schema import StructField
from deltaresolver.spark.reading.file_location import TableRoot
from deltaresolver.spark.reading.readable import ensure_readable
from deltaresolver.spark.reading.scan import TableScan
from deltaresolver.spark.reading.select_files import select_files
from deltaresolver.spark.session import session_time_zone

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

NOTHING: Mapping[str, str] = {}


def read(
    spark: SparkSession,
    path: str | os.PathLike[str],
    *,
    version: int | None = None,
    timestamp: int | str | datetime | None = None,
    where: str | None = None,
    columns: Sequence[str] | None = None,
    storage_options: Mapping[str, str] | None = None,
) -> DataFrame:
    log = DeltaLog(open_store(path, storage_options))
    snapshot = log.snapshot(version, timestamp)
    return read_snapshot(spark, snapshot, os.fspath(path), where=where, columns=columns)


def read_snapshot(
    spark: SparkSession,
    snapshot: Snapshot,
    location: str,
    *,
    where: str | None = None,
    columns: Sequence[str] | None = None,
) -> DataFrame:
    """The rows of one version of a table for which `where` (Spark SQL) is true, with the `columns` asked for."""
    ensure_readable(snapshot)
    asked = None if columns is None else [find_field(snapshot.metadata, name).name for name in columns]
    files = select_files(snapshot, where, session_time_zone(spark))
    root = TableRoot.of(location, snapshot.store)
    scan = TableScan(spark, snapshot.store, root, snapshot.metadata, snapshot.metadata.schema.fields)
    rows = scan.rows(files)
    if where is not None:
        rows = rows.where(where)
    return rows if asked is None else rows.select(*("`" + name.replace("`", "``") + "`" for name in asked))


def find_field(metadata: Metadata, name: str) -> StructField:
    """The column called `name`, upper and lower case alike. Raises `UnknownColumnError`."""
    folded = name.lower()
    for field in metadata.schema.fields:
        if field.name.lower() == folded:
            return field
    known = [field.name for field in metadata.schema.fields]
    raise UnknownColumnError(
        f"The table has no column {name}.",
        fix=f"Use one of: {', '.join(known)}.",
        details={"name": name, "known": known},
    )
