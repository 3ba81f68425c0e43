"""Commands on hostile tables, within a budget of time and memory."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from tests.unit.cli.running import Outcome
from tests.unit.cli.running import run as run_command

SECONDS = 60
"""Far more than a command takes on a busy machine, and far less than any attack here took."""
MEGABYTES = 4096
"""Of address space, most of which no command touches."""


def run(*arguments: str | Path, environment: Mapping[str, str] | None = None, **settings: Any) -> Outcome:
    """The command, which must end by itself within its budget and without a raw exception."""
    done = run_command(
        *map(str, arguments),
        env=environment,
        only_env=environment is not None,
        megabytes=MEGABYTES,
        seconds=SECONDS,
        **settings,
    )
    assert done.code >= 0, f"ended by signal {-done.code}: {done.err}"
    assert "Traceback" not in done.err, done.err
    assert "DR999" not in done.out + done.err, done.out + done.err
    return done
