"""A command that gets Ctrl-C or SIGTERM ends by it, wherever it is at that moment."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

from tests.security.tables import log_of


@pytest.mark.slow
@pytest.mark.parametrize(
    "command",
    [
        ("--every", "500", "explain"),
        ("--every", "500", "verify"),
        ("--every", "1500", "--signal", "SIGTERM", "audit"),
        ("--every", "1500", "--signal", "SIGTERM", "alter", "--set", "a=b"),
    ],
    ids=" ".join,
)
def test_a_signal_at_any_call_ends_a_command(command: tuple[str, ...], tmp_path: Path, root: Path) -> None:
    log_of(tmp_path / "t")
    done = subprocess.run(
        [sys.executable, "-m", "tests.interrupted_anywhere", *command, str(tmp_path / "t")],
        cwd=root,
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
    )
    found = json.loads(done.stdout)
    assert found["wrong"] == []
    assert found["forks"] > 100
