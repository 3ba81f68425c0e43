"""What delta-spark's tests derive from: sessions without its JARs, in which this library answers for Delta tables."""

from __future__ import annotations

import shutil
import tempfile
import uuid
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from pyspark import SparkConf
from pyspark.testing.connectutils import ReusedConnectTestCase
from pyspark.testing.sqlutils import ReusedSQLTestCase

import deltaresolver.spark as ds

SETTINGS = {
    "spark.ui.enabled": "false",
    "spark.sql.shuffle.partitions": "2",
    "spark.databricks.delta.snapshotPartitions": "2",
    "spark.databricks.delta.delta.log.cacheSize": "3",
}


class _Enabled:
    """As theirs, whatever the kind of session."""

    spark: Any

    @classmethod
    def conf(cls) -> SparkConf:
        settings: SparkConf = super().conf()  # type: ignore[misc]
        for key, value in SETTINGS.items():
            settings.set(key, value)
        return settings

    @classmethod
    def setUpClass(cls) -> None:
        super().setUpClass()  # type: ignore[misc]
        ds.enable(cls.spark)

    def setUp(self) -> None:
        super().setUp()  # type: ignore[misc]
        self.tempPath = tempfile.mkdtemp()
        self.tempFile = str(Path(self.tempPath) / "tempFile")

    def tearDown(self) -> None:
        super().tearDown()  # type: ignore[misc]
        shutil.rmtree(self.tempPath, ignore_errors=True)

    @contextmanager
    def tempTable(self) -> Iterator[str]:  # noqa: N802 - their name
        name = "table_" + str(uuid.uuid4()).replace("-", "_")
        with super().table(name):  # type: ignore[misc]
            yield name


class ClassicTestCase(_Enabled, ReusedSQLTestCase):
    """In a session of this process."""


class ConnectTestCase(_Enabled, ReusedConnectTestCase):
    """In a client of a Spark Connect server that PySpark starts itself."""
