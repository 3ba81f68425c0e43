"""Compiles our Scala programs with the compiler inside pyspark, to be run beside delta-spark.

The class files are cached by what they were made from, so that only a changed source is compiled again.
"""

import hashlib
import os
import subprocess
import tempfile
from pathlib import Path

from tests.peers.jars import (
    COORDINATES,
    SPARK_VERSION,
    cache_folder,
    find_java,
    get_delta_jars,
    spark_environment,
    spark_home,
    spark_program,
)
from tests.spark_job import JVM_OPTIONS

ROOT = Path(__file__).resolve().parents[2]
RESOLVER_ANSWERS = ROOT / "tests/peers/resolver_answers.scala"
CONFLICT_ANSWERS = ROOT / "tests/peers/conflict_answers.scala"
DDL_ANSWERS = ROOT / "tests/peers/ddl_answers.scala"
LOCAL_SNAPSHOT = ROOT / "tests/peers/local_snapshot.scala"
PLAIN_FILES = ROOT / "tests/peers/plain_files.scala"
LIVE_ANSWERS = ROOT / "tests/peers/live_answers.scala"
PACKAGE = "org.apache.spark.sql.delta.peer"
DELTA_CONF = {
    "spark.sql.extensions": "io.delta.sql.DeltaSparkSessionExtension",
    "spark.sql.catalog.spark_catalog": "org.apache.spark.sql.delta.catalog.DeltaCatalog",
    "spark.sql.session.timeZone": "UTC",
    "spark.sql.shuffle.partitions": "2",
    "spark.databricks.delta.snapshotPartitions": "2",
    "spark.ui.enabled": "false",
    "spark.ui.showConsoleProgress": "false",
    "spark.log.level": "ERROR",
    "spark.driver.host": "127.0.0.1",
    "spark.driver.bindAddress": "127.0.0.1",
    "spark.driver.extraJavaOptions": "-Duser.timezone=UTC",
}
TEST_CONF = {"spark.driver.defaultJavaOptions": JVM_OPTIONS}
"""For tests alone: what is measured needs both of Java's compilers."""
LIGHT_CONF = {
    # For programs that run a small job for each of many questions: no code is generated.
    "spark.sql.codegen.wholeStage": "false",
    "spark.sql.codegen.factoryMode": "NO_CODEGEN",
    "spark.sql.adaptive.enabled": "false",
    "spark.sql.shuffle.partitions": "1",
    "spark.databricks.delta.snapshotPartitions": "1",
    "spark.sql.ui.explainMode": "simple",
    # VACUUM lists folders in so many tasks, 10,000 if nobody says otherwise.
    "spark.sql.sources.parallelPartitionDiscovery.parallelism": "2",
    # What ran is remembered for a page that nobody looks at: plans of a thousand queries fill the memory.
    "spark.sql.ui.retainedExecutions": "1",
    "spark.ui.retainedJobs": "1",
    "spark.ui.retainedStages": "1",
    "spark.ui.retainedTasks": "1",
    "spark.ui.liveUpdate.period": "-1",
    "spark.hadoop.fs.file.impl": f"{PACKAGE}.PlainFileSystem",
    "spark.hadoop.fs.AbstractFileSystem.file.impl": f"{PACKAGE}.PlainFiles",
}
DRIVER_MEMORY = "1g"
"""For a JVM that only answers questions; one with a session may run beside it."""


def compile_scala(*sources: Path) -> Path:
    """A JAR with the classes of the sources, compiled against Spark and delta-spark.

    Raises PeerUnavailableError without Java or the JARs, and RuntimeError with the compiler's words.
    """
    compiled = cache_folder() / "classes" / f"{_fingerprint(sources)}.jar"
    if compiled.is_file():
        return compiled
    spark_jars = sorted((spark_home() / "jars").glob("*.jar"))
    class_path = os.pathsep.join(str(jar) for jar in [*spark_jars, *get_delta_jars()])
    compiled.parent.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(dir=compiled.parent) as scratch:
        made = Path(scratch) / "made.jar"
        compiler = [str(find_java()), "-Xmx1g", "-cp", str(spark_home() / "jars" / "*"), "scala.tools.nsc.Main"]
        command = [*compiler, "-classpath", class_path, "-d", str(made), *map(str, sources)]
        _run(command, "the Scala compiler", {**os.environ})
        made.replace(compiled)
    return compiled


def spark_command(program: str, compiled: Path, scratch: str, jvm_options: str) -> list[str]:
    """What starts a Spark driver with delta-spark that runs the main method of an object of our Scala package."""
    command = [str(spark_program("spark-submit")), "--master", "local[1]", "--driver-memory", DRIVER_MEMORY]
    options = f"{DELTA_CONF['spark.driver.extraJavaOptions']} {jvm_options}".strip()
    for key, value in {**DELTA_CONF, **TEST_CONF, **LIGHT_CONF, "spark.driver.extraJavaOptions": options}.items():
        command += ["--conf", f"{key}={value}"]
    jars = os.pathsep.join(map(str, (compiled, *get_delta_jars())))
    command += ["--conf", f"spark.sql.warehouse.dir={scratch}/warehouse", "--driver-class-path", jars]
    return [*command, "--class", f"{PACKAGE}.{program}", str(compiled)]


def peer_environment() -> dict[str, str]:
    """The environment of this process, and what a launcher of Spark needs."""
    # Delta registers test-only features when this is set.
    inherited = {key: value for key, value in os.environ.items() if key != "DELTA_TESTING"}
    return {**inherited, **spark_environment()}


def _fingerprint(sources: tuple[Path, ...]) -> str:
    digest = hashlib.sha256(" ".join((SPARK_VERSION, *COORDINATES)).encode())
    for source in sources:
        digest.update(source.read_bytes())
    return digest.hexdigest()[:32]


def _run(command: list[str], name: str, environment: dict[str, str]) -> None:
    done = subprocess.run(command, capture_output=True, text=True, check=False, env=environment)
    if done.returncode:
        printed = f"{done.stdout}\n{done.stderr}".strip()[-3000:]
        raise RuntimeError(f"{name} ended with exit code {done.returncode}:\n{printed}")
