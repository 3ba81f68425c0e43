"""A small lake for `script/demo`, written from PySpark with no JAR of Delta's."""

from __future__ import annotations

import contextlib
import os
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import TYPE_CHECKING

from deltaresolver.spark.start import start_session
from deltaresolver.spark.tables import DeltaTable
from deltaresolver.spark.writing.write import write

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

ROWS = 1_000
QUIET = {
    "spark.ui.enabled": "false",
    "spark.ui.showConsoleProgress": "false",
    "spark.log.level": "ERROR",
    "spark.sql.shuffle.partitions": "2",
    "spark.driver.host": "127.0.0.1",
    "spark.driver.bindAddress": "127.0.0.1",
}
"""Settings of a small local session that prints only errors."""


def build_demo_lake(
    paths: Mapping[str, Path], properties: Mapping[str, Mapping[str, str]], progress: Callable[[str], None], log: Path
) -> None:
    """Write a table to each path, with the properties of its name; start Spark for it, and stop it afterwards.

    What the JVM prints goes to the file `log`.
    Raises `PackageMissingError`, `SparkNotStartedError`, and what writing raises.
    """
    progress("starting Spark")
    with _stderr_in(log):
        spark = start_session("local[2]", "deltaresolver demo", QUIET)
    try:
        orders = _orders(spark)
        for name, path in paths.items():
            progress(f"writing {name}")
            write(orders, path, properties=properties[name], partition_by=("country",) if name == "plain" else ())
        progress("overwriting and deleting rows")
        french = "country = 'FR'"
        write(orders.where(french), paths["changes"], mode="overwrite", options={"replaceWhere": french})
        DeltaTable.forPath(spark, paths["deleted"]).delete("order_id % 10 = 3")
    finally:
        spark.stop()


@contextlib.contextmanager
def _stderr_in(log: Path) -> Iterator[None]:
    """Processes that are started inside inherit `log` as their standard error."""
    kept = os.dup(2)
    try:
        with log.open("wb") as file:
            os.dup2(file.fileno(), 2)
        yield
    finally:
        os.dup2(kept, 2)
        os.close(kept)


def _orders(spark: SparkSession) -> DataFrame:
    return spark.range(ROWS).selectExpr(
        "id AS order_id",
        "element_at(array('FR', 'PT', 'SE'), cast(id % 3 + 1 AS int)) AS country",
        "cast(id + 1 AS decimal(12, 2)) AS total",
    )
