"""A standalone cluster on this machine, from the classes of the pyspark package: a master and two workers.

    with run_cluster(folder) as master:
        SparkSession.builder.master(master)

The workers call themselves by two addresses of the loopback range, so that Spark takes them for two hosts: it starts a
task a second time on another host only.
"""

from __future__ import annotations

import contextlib
import os
import re
import shutil
import subprocess
import time
from collections.abc import Iterator
from pathlib import Path

HOSTS = ("127.0.0.1", "127.0.0.2")
START_SECONDS = 100
_SCALA = re.compile(r"scala-library-(\d+\.\d+)")
_MASTER, _WORKER = "org.apache.spark.deploy.master.Master", "org.apache.spark.deploy.worker.Worker"


@contextlib.contextmanager
def run_cluster(folder: Path) -> Iterator[str]:
    """Start the cluster, with its logs in `folder`, and give the master's address; it ends with the block."""
    import pyspark

    home = Path(pyspark.__file__).parent
    folder.mkdir(parents=True, exist_ok=True)
    with contextlib.ExitStack() as stack:
        first = folder / "master.log"
        stack.enter_context(_process(home, first, _MASTER, "--host", HOSTS[0], "--port", "0", "--webui-port", "0"))
        master = _await(first, r"Starting Spark master at (spark://\S+)")
        for host in HOSTS:
            options = ("--host", host, "--webui-port", "0", "--cores", "1", "--memory", "1g")
            place = ("--work-dir", str(folder / f"work {host}"))
            stack.enter_context(_process(home, folder / f"{host}.log", _WORKER, *options, *place, master))
        for host in HOSTS:
            _await(folder / f"{host}.log", r"(Successfully registered) with master")
        yield master


@contextlib.contextmanager
def _process(home: Path, log: Path, name: str, *arguments: str) -> Iterator[None]:
    java = Path(os.environ["JAVA_HOME"], "bin", "java") if os.environ.get("JAVA_HOME") else shutil.which("java")
    # Small and short-lived: a second compiler would not pay.
    flags = ("-XX:TieredStopAtLevel=1", "-XX:+UseSerialGC", "-Xmx256m", "--add-modules=jdk.incubator.vector")
    opened = [f"--add-opens=java.base/{package}=ALL-UNNAMED" for package in ("java.lang", "java.nio", "sun.nio.ch")]
    command = [str(java), *flags, *opened, "-cp", f"{home / 'jars'}/*", name, *arguments]
    # Spark's scripts tell workers so, which ask for it when they start an executor.
    (scala,) = {found[1] for jar in (home / "jars").iterdir() if (found := _SCALA.match(jar.name))}
    environment = {**os.environ, "SPARK_HOME": str(home), "SPARK_SCALA_VERSION": scala}
    with (
        log.open("wb") as out,
        subprocess.Popen(command, env=environment, stdout=out, stderr=subprocess.STDOUT) as process,
    ):
        try:
            yield
        finally:
            process.terminate()
            try:
                process.wait(20)
            except subprocess.TimeoutExpired:
                process.kill()


def _await(log: Path, pattern: str) -> str:
    end = time.monotonic() + START_SECONDS
    while time.monotonic() < end:
        found = re.search(pattern, log.read_text(encoding="utf-8", errors="replace"))
        if found is not None:
            return found[1]
        time.sleep(0.05)
    raise RuntimeError(f"not seen within {START_SECONDS} seconds in {log}: {pattern}")
