"""A real Hive metastore in a process of its own, on loopback, over an embedded Derby; Spark's JARs have all of it."""

from __future__ import annotations

import contextlib
import socket
import subprocess
import time
from collections.abc import Iterator
from pathlib import Path

from tests.peers.jars import find_java, spark_home

SECONDS = 120
_OPENED = ("java.lang", "java.lang.reflect", "java.util", "java.util.concurrent", "java.net", "java.nio", "java.io")


@contextlib.contextmanager
def run_metastore(folder: Path) -> Iterator[str]:
    """Start a metastore that keeps its data in `folder`; it ends with the block. PeerUnavailableError without Java."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    with (folder / "metastore.log").open("w") as log:
        process = subprocess.Popen(_command(folder, port), cwd=folder, stdout=log, stderr=subprocess.STDOUT)
        try:
            yield f"thrift://127.0.0.1:{port}"
        finally:
            process.terminate()
            process.wait(timeout=30)


def wait_for(uri: str) -> None:
    """Until it answers, which takes some seconds in which others can start too."""
    host, port = uri.removeprefix("thrift://").split(":")
    end = time.monotonic() + SECONDS
    while time.monotonic() < end:
        with contextlib.suppress(OSError):
            socket.create_connection((host, int(port)), 1).close()
            return
        time.sleep(0.2)
    raise TimeoutError(f"the metastore did not answer within {SECONDS} seconds")


def _command(folder: Path, port: int) -> list[str]:
    settings = {
        "javax.jdo.option.ConnectionURL": f"jdbc:derby:;databaseName={folder}/metastore;create=true",
        "datanucleus.schema.autoCreateAll": "true",
        "hive.metastore.schema.verification": "false",
        "hive.metastore.warehouse.dir": str(folder / "warehouse"),
        "hive.metastore.uris": "",
        # What that takes is not among Spark's JARs.
        "hive.async.log.enabled": "false",
    }
    opened = [word for name in _OPENED for word in ("--add-opens", f"java.base/{name}=ALL-UNNAMED")]
    told = [word for key, value in settings.items() for word in ("--hiveconf", f"{key}={value}")]
    start = [str(find_java()), *opened, f"-Dderby.stream.error.file={folder}/derby.log", "-cp"]
    jars = f"{spark_home()}/jars/*"
    return [*start, jars, "org.apache.hadoop.hive.metastore.HiveMetaStore", "-p", str(port), *told]
