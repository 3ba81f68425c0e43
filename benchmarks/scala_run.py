"""Run one of our Scala programs together with delta-spark, with the settings of a user's session."""

from __future__ import annotations

import subprocess
import tempfile
from pathlib import Path

from tests.peers.jars import get_delta_jars, spark_program
from tests.peers.scala_program import DELTA_CONF, DRIVER_MEMORY, PACKAGE, compile_scala, peer_environment


def run_scala(program: str, sources: tuple[Path, ...], *arguments: object) -> None:
    """Run the main method of an object of our Scala package, in a Spark driver of its own.

    Raises PeerUnavailableError where delta-spark cannot run, and RuntimeError with the end of the output where the
    program fails.
    """
    compiled = compile_scala(*sources)
    command = [str(spark_program("spark-submit")), "--master", "local[1]", "--driver-memory", DRIVER_MEMORY]
    for key, value in DELTA_CONF.items():
        command += ["--conf", f"{key}={value}"]
    jars = ",".join(str(jar) for jar in get_delta_jars())
    with tempfile.TemporaryDirectory(prefix="measured-") as scratch:
        command += ["--conf", f"spark.sql.warehouse.dir={scratch}/warehouse", "--jars", jars]
        command += ["--class", f"{PACKAGE}.{program}", str(compiled), *map(str, arguments)]
        done = subprocess.run(command, capture_output=True, text=True, check=False, env=peer_environment())
    if done.returncode:
        printed = f"{done.stdout}\n{done.stderr}".strip()[-3000:]
        raise RuntimeError(f"{program} ended with exit code {done.returncode}:\n{printed}")
