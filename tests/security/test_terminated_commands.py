"""SIGTERM somewhere in a command that writes: it ends by it, and does its work when it is run again."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest


@pytest.mark.slow
def test_a_command_that_was_asked_to_end_can_be_run_again(root: Path) -> None:
    commands = ("plan --apply", "alter", "vacuum", "new-feature")
    done = subprocess.run(
        [sys.executable, "-m", "tests.terminated_commands", "--places", "1", "--seed", "7", *commands],
        cwd=root, capture_output=True, text=True, timeout=300, check=False,
    )  # fmt: skip
    found = [json.loads(line) for line in done.stdout.splitlines()]
    assert [one["command"] for one in found] == list(commands), done.stderr
    assert [one["wrong"] for one in found] == [{}] * len(commands)


@pytest.mark.slow
def test_the_page_ends_by_the_signal_that_it_gets(tmp_path: Path) -> None:
    script = Path(sys.executable).with_name("deltaresolver")
    server = subprocess.Popen([script, "ui", "--no-open"], cwd=tmp_path, stdout=subprocess.PIPE, text=True)
    try:
        assert server.stdout is not None
        while "Ctrl-C" not in server.stdout.readline():
            assert server.poll() is None
        server.terminate()
        assert server.wait(60) == 143
    finally:
        server.kill()
        server.wait()
        server.stdout.close()  # type: ignore[union-attr]
