"""Ctrl-C during an audit: workers stay silent, and the command shows how to go on."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

import pytest

from deltaresolver.audit.scan.runners import Processes

INTERRUPTED = """
import sys
from pathlib import Path
import deltaresolver.audit.audit_lake as lake
from deltaresolver.cli.main import main

def interrupted(request, runner, work, target, progress):
    Path(work).mkdir()
    raise KeyboardInterrupt

lake.audit_lake = interrupted
main(sys.argv[1:])
"""


def interrupted(*arguments: str, folder: Path) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-c", INTERRUPTED, "audit", ".", *arguments]
    return subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False)


def test_an_interrupted_audit_with_a_document_shows_how_to_go_on(tmp_path: Path) -> None:
    done = interrupted("--json", "audit.json", folder=tmp_path)
    assert done.returncode == 130
    told = "interrupted; audit.json.work has what is done, and the same command goes on from there"
    assert done.stderr == f"note: {told}\n"


@pytest.mark.parametrize("arguments", [(), ("--json", "-")])
def test_an_interrupted_audit_without_a_document_reports_that_nothing_is_kept(
    arguments: tuple[str, ...], tmp_path: Path
) -> None:
    done = interrupted(*arguments, folder=tmp_path)
    assert done.returncode == 130
    assert "nothing is kept; with --json FILE" in done.stderr


def whether_ctrl_c_is_blocked(locations: Sequence[str]) -> bytes:
    """A task: the process it ran in, and whether Ctrl-C would reach that."""
    blocked = signal.SIGINT in signal.pthread_sigmask(signal.SIG_BLOCK, [])
    return f"{os.getpid()} {blocked}".encode()


@pytest.mark.skipif(not hasattr(signal, "pthread_sigmask"), reason="the platform has no signal masks")
def test_ctrl_c_reaches_this_process_alone() -> None:
    results = Processes(2).run(whether_ctrl_c_is_blocked, [(number, ["x"]) for number in range(400)])
    seen = {tuple(result.decode().split()) for _, result in results}
    assert (str(os.getpid()), "False") in seen
    assert {blocked for pid, blocked in seen if pid != str(os.getpid())} <= {"True"}
