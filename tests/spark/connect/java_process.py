"""Programs in the JARs of the pyspark package, each in a JVM of its own that ends with a block."""

from __future__ import annotations

import contextlib
import os
import re
import shutil
import subprocess
import time
from collections.abc import Iterator, Mapping
from pathlib import Path

from tests.spark_job import JVM_OPTIONS

START_SECONDS = 100
_SCALA = re.compile(r"scala-library-(\d+\.\d+)")
_FLAGS = (
    *(*JVM_OPTIONS.split(), "--add-modules=jdk.incubator.vector"),
    *(f"--add-opens=java.base/{package}=ALL-UNNAMED" for package in ("java.lang", "java.nio", "sun.nio.ch")),
)


@contextlib.contextmanager
def run_java(
    log: Path,
    program: str,
    *arguments: str,
    memory: str = "256m",
    home: Path | None = None,
    variables: Mapping[str, str] | None = None,
) -> Iterator[None]:
    """Run a class with these arguments; what it says goes to `log`.

    `home` is the folder of another pyspark than the one that is installed here, `variables` the program's environment.
    """
    if home is None:
        import pyspark

        home = Path(pyspark.__file__).parent
    java = Path(os.environ["JAVA_HOME"], "bin", "java") if os.environ.get("JAVA_HOME") else shutil.which("java")
    command = [str(java), *_FLAGS, f"-Xmx{memory}", "-cp", f"{home / 'jars'}/*", program, *arguments]
    # Spark's scripts tell workers so, which ask for it when they start an executor.
    (scala,) = {found[1] for jar in (home / "jars").iterdir() if (found := _SCALA.match(jar.name))}
    environment = {
        **(os.environ if variables is None else variables),
        "SPARK_HOME": str(home),
        "SPARK_SCALA_VERSION": scala,
    }
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


def wait_for(log: Path, pattern: str) -> str:
    """What the pattern's group holds, as soon as the log has it. Raises `RuntimeError`."""
    end = time.monotonic() + START_SECONDS
    while time.monotonic() < end:
        found = re.search(pattern, log.read_text(encoding="utf-8", errors="replace"))
        if found is not None:
            return found[1]
        time.sleep(0.05)
    raise RuntimeError(f"not seen within {START_SECONDS} seconds in {log}: {pattern}")
