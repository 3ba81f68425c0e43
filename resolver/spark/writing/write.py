"""write: rows of a DataFrame into a Delta table, in one transaction."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING

from deltaresolver.defaults import without_plugins as without_packages
from deltaresolver.spark.foreign_rows import spark_rows
from deltaresolver.spark.names.named_table import location_of
from deltaresolver.spark.settings.check import check_settings
from deltaresolver.spark.settings.session_values import SessionValues
from deltaresolver.spark.writing.table_write import TableWrite
from deltaresolver.spark.writing.write_options import parse_write_options
from deltaresolver.table import Table

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

    from deltaresolver.transaction.commit.committed import Committed

EMPTY: Mapping[str, str] = {}


def write(  # noqa: PLR0913 - one argument a part of DataFrameWriter
    df: DataFrame | object,
    path: str | os.PathLike[str],
    *,
    mode: str = "error",
    partition_by: Sequence[str] | str | None = (),
    options: Mapping[str, object] | None = None,
    properties: Mapping[str, str] = EMPTY,
    storage_options: Mapping[str, str] | None = None,
    trust_expressions: bool = False,
    spark: SparkSession | None = None,
    without_plugins: Iterable[str] = (),
) -> Committed | None:
    """Write the rows to the Delta table at `path` and return the commit; the table is created where there is none.

    `df` may also be a DataFrame of pandas or polars, a Table of Arrow, or whatever gives a stream of Arrow: `spark`, or
    the active session, then writes it. `path` may be the name of a table in the session catalog, such as `db.events`,
    unless there is a folder with a log of that name.

    `mode` is `append`, `overwrite`, `error` (the table must not exist) or `ignore` (nothing happens where it does).
    `options` are those of Delta's DataFrameWriter, in any case: replaceWhere, partitionOverwriteMode, mergeSchema,
    overwriteSchema, userMetadata, txnAppId with txnVersion, dataChange, maxRecordsPerFile, compression.
    `properties` are those of a new table. None is returned where nothing is to be written: the mode is `ignore`, the
    application's write was made before, or there are no rows to add and none to replace.

    Expressions that the table keeps may call harmless functions of SQL only, unless `trust_expressions`: they run with
    the rights of whoever writes.

    `without_plugins` names installed packages to do without: nothing of them is imported, no policy of theirs asked.

    Raises `DataWriteError` kinds, what the resolver raises, and what a commit raises; the table is then unchanged
    and the files of the write are deleted, unless it is not known whether the commit was made.
    """
    asked = parse_write_options(mode, partition_by, options, properties)
    rows = spark_rows(df, spark)
    session = SessionValues(rows.sparkSession, trust_expressions=trust_expressions)
    check_settings(session)
    with without_packages(without_plugins):
        table = Table(location_of(rows.sparkSession, path), storage_options, session=session)
        return TableWrite(table, rows, asked).run()
