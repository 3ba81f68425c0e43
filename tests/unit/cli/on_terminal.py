"""Run the command line in front of a terminal."""

from __future__ import annotations

import os
import re
from pathlib import Path

from tests.unit.cli.running import run


def on_terminal(*arguments: str, stdin: str = "", columns: int = 80, folder: Path | None = None, **more: str) -> str:
    """What somebody at a terminal of this width sees."""
    env = {**os.environ, "COLUMNS": str(columns), "TERM": "xterm-256color", "NO_COLOR": "", **more}
    return run(*arguments, stdin=stdin, env=env, folder=folder, columns=columns).out.replace("\r\n", "\n")


def without_colours(text: str) -> str:
    """The text alone."""
    return re.sub(r"\x1b\[[0-9;]*m", "", text)
