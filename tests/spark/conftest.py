"""One Spark session for all tests of this folder: small, quiet, and without any JAR of Delta's."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from typing import TYPE_CHECKING

import pytest

from tests.peers.delta_spark import start_delta_spark

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

SETTINGS = {
    "spark.ui.enabled": "false",
    "spark.ui.showConsoleProgress": "false",
    "spark.sql.shuffle.partitions": "2",
    "spark.default.parallelism": "2",
    "spark.sql.session.timeZone": "UTC",
    "spark.driver.memory": "1g",
    # A busy machine takes its time to start Python.
    "spark.python.authenticate.socketTimeout": "120s",
    "spark.driver.host": "127.0.0.1",
    "spark.driver.bindAddress": "127.0.0.1",
}

QUIET = """\
rootLogger.level = error
rootLogger.appenderRef.none.ref = none
appender.none.type = Null
appender.none.name = none
"""


@pytest.fixture(scope="session")
def spark(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[SparkSession]:
    """A classic session with two cores, whose warehouse is a temporary folder.

    A process has one JVM: where tests of this run also need delta-spark, it is delta-spark's.
    """
    from pyspark.sql import SparkSession

    if any(item.get_closest_marker("peer") for item in request.session.items):
        yield start_delta_spark().spark
        return

    # Before the JVM starts: later, the level can only be set through calls that Spark Connect has not.
    folder = tmp_path_factory.mktemp("spark")
    logging = folder / "log4j2.properties"
    logging.write_text(QUIET)
    os.environ["SPARK_LOCAL_DIRS"] = str(folder)
    # Workers run this very Python, and not the first one of the path.
    os.environ.setdefault("PYSPARK_PYTHON", sys.executable)
    builder = SparkSession.builder.master("local[2]").appName("deltaresolver tests")
    for key, value in SETTINGS.items():
        builder = builder.config(key, value)
    builder = builder.config("spark.driver.extraJavaOptions", f"-Dlog4j2.configurationFile=file:{logging}")
    session = builder.config("spark.sql.warehouse.dir", str(folder / "warehouse")).getOrCreate()
    yield session
    session.stop()
