"""Commands on hostile tables, within a budget of time and memory."""

from __future__ import annotations

import json
import resource
import subprocess
import sys
from pathlib import Path
from typing import Any

import attrs

SECONDS = 60
"""Far more than a command takes on a busy machine, and far less than any attack here took."""
MEGABYTES = 4096
"""Of address space, most of which no command touches."""


@attrs.frozen
class Ended:
    """How a command ended."""

    code: int
    out: str
    err: str

    @property
    def data(self) -> Any:
        return json.loads(self.out)


def run(*arguments: str | Path, environment: dict[str, str] | None = None) -> Ended:
    """The command, which must end by itself within its budget and without a raw exception."""

    def limit() -> None:
        resource.setrlimit(resource.RLIMIT_AS, (MEGABYTES << 20, MEGABYTES << 20))

    done = subprocess.run(
        [sys.executable, "-m", "deltaresolver", *map(str, arguments)],
        capture_output=True,
        text=True,
        timeout=SECONDS,
        check=False,
        preexec_fn=limit,
        env=environment,
    )
    assert "Traceback" not in done.stderr, done.stderr
    assert "DR999" not in done.stdout + done.stderr, done.stdout + done.stderr
    return Ended(done.returncode, done.stdout, done.stderr)
