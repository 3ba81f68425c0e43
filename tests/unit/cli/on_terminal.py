"""Run the command line in front of a terminal."""

from __future__ import annotations

import fcntl
import os
import pty
import re
import struct
import subprocess
import termios
from pathlib import Path

from tests.unit.cli.running import COMMAND


def on_terminal(*arguments: str, stdin: str = "", columns: int = 80, folder: Path | None = None, **more: str) -> str:
    """What somebody at a terminal of this width sees."""
    master, terminal = pty.openpty()
    env = {**os.environ, "COLUMNS": str(columns), "TERM": "xterm-256color", "NO_COLOR": "", **more}
    fcntl.ioctl(terminal, termios.TIOCSWINSZ, struct.pack("HHHH", 24, columns, 0, 0))
    with subprocess.Popen(
        [*COMMAND, *arguments], stdin=subprocess.PIPE, stdout=terminal, stderr=terminal, env=env, cwd=folder
    ) as process:
        os.close(terminal)
        assert process.stdin is not None
        process.stdin.write(stdin.encode())
        process.stdin.close()
        seen = b""
        while True:
            try:
                part = os.read(master, 65536)
            except OSError:  # Linux says that the other side has closed by an error
                break
            if not part:
                break
            seen += part
    os.close(master)
    return seen.decode().replace("\r\n", "\n")


def without_colours(text: str) -> str:
    """The text alone."""
    return re.sub(r"\x1b\[[0-9;]*m", "", text)
