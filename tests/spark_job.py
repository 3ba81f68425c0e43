"""Programs that need a Spark of their own: how tests run them, and the settings they share.

Such a program is a module under `tests`, run with `python -m`; another release of Spark may come first on its path.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[1]
_MARK = "FOUND "
JVM_OPTIONS = "-XX:TieredStopAtLevel=1 -XX:ReservedCodeCacheSize=240m -XX:+UseSerialGC"
"""Tests run most code a few times: the second compiler took four tenths of their JVMs' time. Without it Java keeps a
fifth of the room for compiled code, which a session of many tests fills."""
QUIET = {
    "spark.driver.defaultJavaOptions": JVM_OPTIONS,
    "spark.ui.enabled": "false",
    "spark.ui.showConsoleProgress": "false",
    "spark.sql.shuffle.partitions": "2",
    # A busy machine takes its time to start Python.
    "spark.python.authenticate.socketTimeout": "120s",
    "spark.driver.host": "127.0.0.1",
}
"""Of any session, before it starts."""
SILENT = {**QUIET, "spark.log.level": "OFF"}
"""Of a session whose log nobody reads."""


def configure(builder: Any, settings: Mapping[str, str]) -> Any:
    """The session's builder with these settings."""
    for name, value in settings.items():
        builder = builder.config(name, value)
    return builder


def tell(found: object) -> None:
    """What a program has found, for the test that runs it."""
    print(_MARK + json.dumps(found))


def run_job(module: str, *arguments: object, environment: Mapping[str, str] | None = None) -> Any:
    """What the program tells; `environment` is its whole environment if given."""
    done = subprocess.run(
        [sys.executable, "-W", "ignore", "-m", module, *map(str, arguments)],
        cwd=ROOT,
        env=environment,
        capture_output=True,
        text=True,
        timeout=300,
        start_new_session=True,
        check=False,
    )
    lines = [line for line in done.stdout.splitlines() if line.startswith(_MARK)]
    assert lines, done.stdout[-2000:] + done.stderr[-4000:]
    return json.loads(lines[0].removeprefix(_MARK))


def with_path(folder: object, environment: Mapping[str, str] = os.environ) -> dict[str, str]:
    """The environment with a folder that Python looks into first."""
    return {**environment, "PYTHONPATH": os.pathsep.join(filter(None, [str(folder), environment.get("PYTHONPATH")]))}
