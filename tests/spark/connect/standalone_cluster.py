"""A standalone cluster on this machine, from the classes of the pyspark package: a master and two workers.

    with run_cluster(folder) as master:
        SparkSession.builder.master(master)

The workers call themselves by two addresses of the loopback range, so that Spark takes them for two hosts: it starts a
task a second time on another host only.
"""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from pathlib import Path

from tests.spark.connect.java_process import run_java, wait_for

HOSTS = ("127.0.0.1", "127.0.0.2")
_MASTER, _WORKER = "org.apache.spark.deploy.master.Master", "org.apache.spark.deploy.worker.Worker"


@contextlib.contextmanager
def run_cluster(folder: Path) -> Iterator[str]:
    """Start the cluster, with its logs in `folder`, and give the master's address; it ends with the block."""
    folder.mkdir(parents=True, exist_ok=True)
    with contextlib.ExitStack() as stack:
        first = folder / "master.log"
        stack.enter_context(run_java(first, _MASTER, "--host", HOSTS[0], "--port", "0", "--webui-port", "0"))
        master = wait_for(first, r"Starting Spark master at (spark://\S+)")
        for host in HOSTS:
            options = ("--host", host, "--webui-port", "0", "--cores", "1", "--memory", "1g")
            place = ("--work-dir", str(folder / f"work {host}"))
            stack.enter_context(run_java(folder / f"{host}.log", _WORKER, *options, *place, master))
        for host in HOSTS:
            wait_for(folder / f"{host}.log", r"(Successfully registered) with master")
        yield master
