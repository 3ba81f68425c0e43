"""The sessions that programs run in: small, quiet, one for the process."""

from __future__ import annotations

import functools
import os
import sys
from typing import TYPE_CHECKING

from tests.peers.delta_spark import start_delta_spark
from tests.spark_job import SILENT, configure

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

FOR_FEW_ROWS = {
    "spark.sql.shuffle.partitions": "1",
    "spark.sql.adaptive.enabled": "false",
    "spark.sql.codegen.wholeStage": "false",
    "spark.sql.codegen.factoryMode": "NO_CODEGEN",
}
"""Tables of a few rows: generating code for them takes longer than reading them."""
PEER_FOR_FEW_ROWS = {
    "spark.databricks.delta.snapshotPartitions": "1",
    "spark.databricks.delta.writeChecksumFile.enabled": "false",
    # VACUUM makes as many tasks, 10,000 by default, whatever it finds.
    "spark.sql.sources.parallelPartitionDiscovery.parallelism": "2",
}
SETTINGS = {
    **SILENT,
    "spark.default.parallelism": "2",
    "spark.sql.session.timeZone": "UTC",
    "spark.driver.memory": "1g",
}


@functools.cache
def start(*, with_peer: bool = False) -> SparkSession:
    """The session of this process; with delta-spark's JARs if asked for."""
    os.environ.setdefault("PYSPARK_PYTHON", sys.executable)
    if with_peer:
        spark = start_delta_spark().spark
        for key, value in PEER_FOR_FEW_ROWS.items():
            spark.conf.set(key, value)
    else:
        from pyspark.sql import SparkSession

        spark = configure(SparkSession.builder.master("local[2]").appName("differential"), SETTINGS).getOrCreate()
    for_few_rows(spark)
    return spark


def for_few_rows(spark: SparkSession) -> None:
    """Settings that can be made at any time."""
    for key, value in FOR_FEW_ROWS.items():
        spark.conf.set(key, value)
