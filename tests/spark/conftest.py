"""One Spark session for all tests of this folder: small, quiet, and without any JAR of Delta's."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from typing import TYPE_CHECKING

import pytest

from tests.peers.delta_spark import start_delta_spark
from tests.spark_job import QUIET, configure

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

SETTINGS = {
    **QUIET,
    "spark.default.parallelism": "2",
    "spark.sql.session.timeZone": "UTC",
    "spark.driver.memory": "1g",
    "spark.driver.bindAddress": "127.0.0.1",
}

NO_LOG = """\
rootLogger.level = error
rootLogger.appenderRef.none.ref = none
appender.none.type = Null
appender.none.name = none
"""

OF_DELTA = "spark.databricks.delta."
_AS_STARTED: dict[str, str] = {}
"""The settings of the session when it came up; empty where there is none."""


@pytest.fixture(scope="session")
def spark(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[SparkSession]:
    """A classic session with two cores, whose warehouse is a temporary folder.

    A process has one JVM: where tests of this run also need delta-spark, it is delta-spark's.
    """
    from pyspark.sql import SparkSession

    if any(item.get_closest_marker("peer") for item in request.session.items):
        session = start_delta_spark().spark
        _AS_STARTED.update(session.conf.getAll)
        yield session
        return

    # Before the JVM starts: later, the level can only be set through calls that Spark Connect has not.
    folder = tmp_path_factory.mktemp("spark")
    logging = folder / "log4j2.properties"
    logging.write_text(NO_LOG)
    os.environ["SPARK_LOCAL_DIRS"] = str(folder)
    # Workers run this very Python, and not the first one of the path.
    os.environ.setdefault("PYSPARK_PYTHON", sys.executable)
    builder = configure(SparkSession.builder.master("local[2]").appName("deltaresolver tests"), SETTINGS)
    builder = builder.config("spark.driver.extraJavaOptions", f"-Dlog4j2.configurationFile=file:{logging}")
    session = builder.config("spark.sql.warehouse.dir", str(folder / "warehouse")).getOrCreate()
    _AS_STARTED.update(session.conf.getAll)
    yield session
    _AS_STARTED.clear()
    session.stop()


@pytest.fixture(scope="module", autouse=True)
def settings_as_started() -> Iterator[None]:
    """No module finds the session with settings that another one has left."""
    yield
    if not _AS_STARTED:
        return
    from pyspark.sql import SparkSession

    conf = SparkSession.active().conf
    left = conf.getAll
    # Others may be the session's own, such as those that delta-spark's extension sets when it is first used.
    for key in left.keys() - _AS_STARTED.keys():
        if key.startswith(OF_DELTA):
            conf.unset(key)
    for key, value in _AS_STARTED.items():
        if left.get(key) != value:
            conf.set(key, value)
