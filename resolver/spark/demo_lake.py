"""A small lake for `script/demo`: five tables written from PySpark, with no JAR of Delta's."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from deltaresolver.spark.delta_table import DeltaTable
from deltaresolver.spark.writing.write import write

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

ROWS = 1_000


def quiet_session() -> SparkSession:
    """A small local session that prints only errors."""
    from pyspark.sql import SparkSession

    builder = SparkSession.builder.master("local[2]").appName("deltaresolver demo")
    settings = {
        "spark.ui.enabled": "false",
        "spark.ui.showConsoleProgress": "false",
        "spark.log.level": "ERROR",
        "spark.sql.shuffle.partitions": "2",
        "spark.driver.host": "127.0.0.1",
        "spark.driver.bindAddress": "127.0.0.1",
    }
    for key, value in settings.items():
        builder = builder.config(key, value)
    return builder.getOrCreate()


def build_demo_lake(spark: SparkSession, folder: Path) -> dict[str, Path]:
    """Write the tables below `folder`, and say where each is. Raises as `write`."""
    orders = _orders(spark)
    tables = {name: folder / name for name in ("plain", "checked", "changes", "deleted", "renamed")}

    write(orders, tables["plain"], partition_by=("country",))

    write(orders, tables["checked"], properties={"delta.constraints.positive": "total > 0"})

    write(orders, tables["changes"], properties={"delta.enableChangeDataFeed": "true"})
    write(
        orders.where("country = 'FR'"), tables["changes"], mode="overwrite", options={"replaceWhere": "country = 'FR'"}
    )

    write(orders, tables["deleted"], properties={"delta.enableDeletionVectors": "true"})
    DeltaTable.forPath(spark, tables["deleted"]).delete("order_id % 10 = 3")

    write(orders, tables["renamed"], properties={"delta.columnMapping.mode": "name"})
    return tables


def _orders(spark: SparkSession) -> DataFrame:
    return spark.range(ROWS).selectExpr(
        "id AS order_id",
        "element_at(array('FR', 'PT', 'SE'), cast(id % 3 + 1 AS int)) AS country",
        "cast(id + 1 AS decimal(12, 2)) AS total",
    )
