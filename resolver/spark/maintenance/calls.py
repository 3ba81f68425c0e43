"""OPTIMIZE and REORG as functions: what `delta.tables` has no method for, or only a builder."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, NoReturn

from deltaresolver.errors import MaintenanceUnsupportedError
from deltaresolver.spark.block.active import ensure_no_block
from deltaresolver.spark.maintenance.optimize import Optimize
from deltaresolver.spark.maintenance.optimize import optimize as carry_out
from deltaresolver.spark.settings.session_values import SessionValues
from deltaresolver.table import Table

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

    from deltaresolver.transaction.commit.committed import Committed

Location = str | os.PathLike[str] | Table


def optimize(
    spark: SparkSession,
    table: Location,
    where: str | None = None,
    *,
    z_order_by: Sequence[str] = (),
    full: bool = False,
    storage_options: Mapping[str, str] | None = None,
) -> Committed | None:
    """OPTIMIZE: write files again, better laid out; the commit, None where there was nothing to do.

    Small files are written together. With `z_order_by`, all files are written again with rows ordered by these columns
    at once. A clustered table is clustered by its own columns, with `full` also the files that are clustered by others.
    `where` is Spark SQL on partition columns. Raises as `deltaresolver.spark.maintenance.optimize.optimize`.
    """
    found = opened(spark, table, storage_options)
    ensure_no_block(found, "optimize")
    asked = Optimize(() if where is None else (where,), tuple(z_order_by), is_full=full)
    return carry_out(spark, found, asked).committed


def reorg_purge(
    spark: SparkSession,
    table: Location,
    where: str | None = None,
    *,
    storage_options: Mapping[str, str] | None = None,
) -> Committed | None:
    """REORG TABLE APPLY (PURGE): write files again without deleted rows and dropped columns; None without any.

    The old files stay until VACUUM. Raises as `optimize`.
    """
    found = opened(spark, table, storage_options)
    ensure_no_block(found, "reorg_purge")
    return carry_out(spark, found, Optimize(() if where is None else (where,), purges=True)).committed


def reorg_upgrade_uniform(table: Location, version: int) -> NoReturn:
    """REORG TABLE APPLY (UPGRADE UNIFORM). Raises `MaintenanceUnsupportedError`, whatever the Iceberg `version`."""
    location = table.log.store.location if isinstance(table, Table) else os.fspath(table)
    raise MaintenanceUnsupportedError(
        f"{location} cannot be upgraded to UniForm with IcebergCompatV{version}: nothing here writes the metadata that "
        "Iceberg's readers need.",
        fix="Run the statement with delta-spark and its Iceberg package.",
        details={"location": location, "version": version},
        delta_condition="DELTA_UNIVERSAL_FORMAT_VIOLATION",
    )


def opened(spark: SparkSession, table: Location, storage_options: Mapping[str, str] | None) -> Table:
    """The table itself, or the one at a location."""
    return table if isinstance(table, Table) else Table(table, storage_options, session=SessionValues(spark))
