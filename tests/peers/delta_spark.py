"""The real delta-spark in this process: one Spark session with its JARs, started when somebody first asks for it.

There is one JVM in a process. A session started without these JARs, as the tests of `deltaresolver.spark` do, cannot
live beside this one: run the tests marked `peer` in a process of their own. Tests ask by the fixture of
`tests.peers.fixtures`.
"""

import atexit
import functools
import json
import os
import shutil
import tempfile
import warnings
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from tests.peers.jars import find_java, get_delta_jars, spark_home
from tests.peers.scala_program import (
    DELTA_CONF,
    LIGHT_CONF,
    PACKAGE,
    PLAIN_FILES,
    RESOLVER_ANSWERS,
    TEST_CONF,
    compile_scala,
)
from tests.peers.unavailable import PeerUnavailableError

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

Json = dict[str, Any]


class DeltaSpark:
    """A running delta-spark: its session, its tables by path, and its inner workings through py4j."""

    def __init__(self, spark: "SparkSession") -> None:
        self.spark = spark

    @property
    def jvm(self) -> Any:
        """The JVM by py4j; `jvm.org.apache.spark.sql.delta` holds delta-spark's own classes."""
        return self.spark._jvm

    def sql(self, statement: str, path: str | Path | None = None) -> "DataFrame":
        """Runs SQL; `{table}` in the statement stands for the Delta table at `path`."""
        if path is not None:
            statement = statement.replace("{table}", table_name(path))
        return self.spark.sql(statement)

    def read(self, path: str | Path, table_version: int | None = None) -> "DataFrame":
        """The rows of the Delta table at a path, newest or at a version."""
        reader = self.spark.read.format("delta")
        if table_version is not None:
            reader = reader.option("versionAsOf", table_version)
        return reader.load(str(path))

    def write(self, rows: "DataFrame", path: str | Path, mode: str = "append", **options: str) -> None:
        """Writes rows to the Delta table at a path."""
        rows.write.format("delta").mode(mode).options(**options).save(str(path))

    def delta_log(self, path: str | Path) -> Any:
        """delta-spark's own DeltaLog for a path, by py4j, without anything it cached before."""
        logs = self.jvm.org.apache.spark.sql.delta.DeltaLog
        logs.clearCache()
        return logs.forTable(self.spark._jsparkSession, str(path))

    def snapshot(self, path: str | Path, table_version: int | None = None) -> Any:
        """delta-spark's own Snapshot by py4j: the newest, or the one at a version."""
        log = self.delta_log(path)
        if table_version is None:
            return log.unsafeVolatileSnapshot()
        nothing = self.jvm.scala.Option.empty()
        return log.getSnapshotAt(table_version, nothing, nothing, False)

    def answer(self, question: Json) -> Json:
        """Its answer to one question of the recorded kinds: {"ok": value} or {"error": {...}}."""
        # The answering thread must find the session: delta-spark looks its features up in the active one.
        self.jvm.org.apache.spark.sql.SparkSession.setActiveSession(self.spark._jsparkSession)
        answered: Json = json.loads(self._ask(json.dumps(question)))
        return answered

    @functools.cached_property
    def _ask(self) -> Callable[[str], str]:
        """Our Scala program, loaded beside delta-spark's classes."""
        jvm, gateway = self.jvm, self.spark.sparkContext._gateway
        assert gateway is not None, "a running session has a gateway"
        urls = gateway.new_array(jvm.java.net.URL, 1)
        urls[0] = jvm.java.net.URI(compile_scala(RESOLVER_ANSWERS).as_uri()).toURL()
        parent = jvm.java.lang.Thread.currentThread().getContextClassLoader()
        program = jvm.java.net.URLClassLoader(urls, parent).loadClass(f"{PACKAGE}.ResolverAnswers")
        parameters = gateway.new_array(jvm.java.lang.Class, 1)
        parameters[0] = jvm.java.lang.Class.forName("java.lang.String")
        method = program.getMethod("answer", parameters)

        def ask(line: str) -> str:
            arguments = gateway.new_array(jvm.java.lang.Object, 1)
            arguments[0] = line
            return str(method.invoke(None, arguments))

        return ask


def table_name(path: str | Path) -> str:
    """The table at a path as SQL names it."""
    return f"delta.`{path}`"


@functools.cache
def start_delta_spark(light: bool = False, *, is_measured: bool = False) -> DeltaSpark:
    """The delta-spark of this process, started on the first call and stopped when the process ends.

    A `light` one is for thousands of statements over ten rows each: no code is generated, no program run for a file.
    One that `is_measured` has the JVM that Spark starts by itself, not the brief one of tests.

    Raises PeerUnavailableError where Java, pyspark or the JARs are missing, or where a session without
    delta-spark already runs in this process.
    """
    home = spark_home()
    java = find_java()
    from pyspark import SparkContext
    from pyspark.sql import SparkSession

    running = SparkSession.getActiveSession()
    if running is not None and running.conf.get("spark.sql.extensions", "") == DELTA_CONF["spark.sql.extensions"]:
        return DeltaSpark(running)
    if SparkContext._gateway is not None:
        raise PeerUnavailableError(
            "a JVM without delta-spark already runs in this process; run the tests marked peer in one of their own"
        )
    os.environ["SPARK_HOME"] = str(home)
    os.environ["JAVA_HOME"] = str(java.resolve().parent.parent)
    os.environ.pop("DELTA_TESTING", None)  # Delta registers test-only features when this is set.
    scratch = tempfile.mkdtemp(prefix="delta-spark-")
    spark = _session(SparkSession, scratch, {**({} if is_measured else TEST_CONF), **(_light_conf() if light else {})})
    atexit.register(_stop, spark, scratch)
    return DeltaSpark(spark)


def _light_conf() -> dict[str, str]:
    plain_files = str(compile_scala(PLAIN_FILES))
    return {**LIGHT_CONF, "spark.driver.extraClassPath": plain_files,
            "spark.sql.leafNodeDefaultParallelism": "1", "spark.broadcast.compress": "false",
            "spark.shuffle.compress": "false"}  # fmt: skip


def _session(session_class: "type[SparkSession]", scratch: str, more: Mapping[str, str]) -> "SparkSession":
    builder = session_class.builder.master("local[2]").appName("delta-spark peer")
    for key, value in {**DELTA_CONF, **more}.items():
        builder = builder.config(key, value)
    return (
        builder.config("spark.jars", ",".join(str(jar) for jar in get_delta_jars()))
        .config("spark.driver.memory", "2g")
        .config("spark.sql.warehouse.dir", f"{scratch}/warehouse")
        .config("spark.local.dir", f"{scratch}/local")
        .getOrCreate()
    )


def _stop(spark: "SparkSession", scratch: str) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        spark.stop()
    shutil.rmtree(scratch, ignore_errors=True)
