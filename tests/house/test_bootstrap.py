"""The environment that script/bootstrap makes."""

from __future__ import annotations

import importlib.metadata
import os
import subprocess
import sys
import time
from pathlib import Path

import pytest

import deltaresolver
import deltaresolver.features
import deltaresolver.plugins

NO_OP_SECONDS = 1.0


@pytest.fixture
def bootstrapped(root: Path) -> Path:
    """The repository, if its own environment runs this test. Skips in any other one."""
    if Path(sys.prefix).resolve() != root / ".venv" or not (root / ".venv" / "bootstrap.stamp").is_file():
        pytest.skip("this Python is not the one script/bootstrap made: run script/test")
    return root


def test_the_second_run_is_immediate_and_silent(bootstrapped: Path) -> None:
    before = time.perf_counter()
    done = subprocess.run(
        [bootstrapped / "script" / "bootstrap", "--java-optional"], capture_output=True, text=True, check=True
    )
    spent = time.perf_counter() - before
    if "no Java" not in done.stderr:  # without one it looks again each time, and says so
        assert (done.stdout, done.stderr) == ("", "")
        assert spent < NO_OP_SECONDS


def test_every_folder_is_imported_from_the_clone_itself(bootstrapped: Path) -> None:
    # A folder of links would miss a new file; a link to the folder cannot.
    assert Path(deltaresolver.__path__[0]).resolve() == bootstrapped / "resolver"
    assert Path(deltaresolver.features.__path__[0]).resolve() == bootstrapped / "features"
    assert Path(deltaresolver.plugins.__path__[0]).resolve() == bootstrapped / "plugins"


def test_the_project_is_installed_with_its_command(bootstrapped: Path) -> None:
    installed = importlib.metadata.distribution("deltaresolver")
    assert {entry.name for entry in installed.entry_points if entry.group == "console_scripts"} == {"deltaresolver"}
    assert (bootstrapped / ".venv" / "bin" / "deltaresolver").is_file()
    # Uninstalling removes what is listed here, so nothing of the source may be.
    assert not [file for file in installed.files or [] if str(file).startswith("deltaresolver/")]


def test_an_unknown_argument_is_refused_with_a_fix(root: Path) -> None:
    done = subprocess.run([root / "script" / "bootstrap", "--sudo"], capture_output=True, text=True, check=False)
    assert done.returncode == 1
    assert "--sudo" in done.stderr
    assert "fix:" in done.stderr


@pytest.mark.parametrize("name", ["script/bootstrap", "script/test", "script/demo", ".ci/run"])
def test_a_command_can_be_started(root: Path, name: str) -> None:
    assert os.access(root / name, os.X_OK)
    assert (root / name).read_text(encoding="utf-8").startswith("#!/usr/bin/env bash\n")
    subprocess.run(["bash", "-n", root / name], check=True)
