"""Work in a fork that shares the JVM of its parent, and may be killed."""

from __future__ import annotations

import os
import signal
import sys
import threading
import time
from collections import deque
from collections.abc import Callable
from typing import TYPE_CHECKING

from deltaresolver.errors import DeltaResolverError

if TYPE_CHECKING:
    from pyspark.sql import SparkSession


def run_forked(spark: SparkSession, act: Callable[[], object], kill_after: float | None) -> tuple[float, int]:
    """Run in a fork with connections of its own to the JVM; how long it lived, and its exit code (negative: killed)."""
    started = time.monotonic()
    child = os.fork()
    if child == 0:
        code = 1
        try:
            _connect_anew(spark)
            act()
            code = 0
        except DeltaResolverError as error:
            sys.stderr.write(f"{error}\n")
        finally:
            os._exit(code)
    if kill_after is not None:
        time.sleep(kill_after)
        os.kill(child, signal.SIGKILL)
    status = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
    return time.monotonic() - started, status


_KEPT: list[object] = []


def _connect_anew(spark: SparkSession) -> None:
    """The parent's sockets stay the parent's: closing them here would end its session."""
    gateway = spark.sparkContext._gateway
    assert gateway is not None, "a classic session"
    client = gateway._gateway_client
    _KEPT.extend((client.thread_connection, client.deque))
    client.thread_connection, client.deque = threading.local(), deque()
