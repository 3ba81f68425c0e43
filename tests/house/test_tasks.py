"""The steps of script/test are listed once: whatever runs some of them elsewhere calls script/test."""

from __future__ import annotations

import os
import shutil
import subprocess
from pathlib import Path

import pytest

LINT = ["ruff check", "ruff format", "mypy (source)", "mypy (tests)", "import-linter"]
TESTS = ["pytest (fast)", "docs", "pytest (JVM, servers, crowds)"]
STUB = """#!/usr/bin/env bash
printf '%s\\n' "$(basename "$0") $*" >>calls
case "$(basename "$0") $*" in *"$(cat failing 2>/dev/null || echo nothing)"*) exit 1 ;; esac
"""


@pytest.fixture
def clone(root: Path, tmp_path: Path) -> Path:
    """A folder with script/test and stand-ins for all that it calls."""
    (tmp_path / "script").mkdir()
    (tmp_path / ".venv" / "bin").mkdir(parents=True)
    (tmp_path / ".venv" / "environment.sh").touch()
    shutil.copy(root / "script" / "test", tmp_path / "script" / "test")
    for name in (
        "script/bootstrap",
        "script/docs",
        *(f".venv/bin/{tool}" for tool in ("python", "ruff", "mypy", "lint-imports")),
    ):
        (tmp_path / name).write_text(STUB)
        (tmp_path / name).chmod(0o755)
    return tmp_path


def run(clone: Path, *arguments: str, failing: str = "nothing") -> tuple[int, list[str], str]:
    """The exit code, the steps that ran, and what stands on stderr."""
    (clone / "failing").write_text(failing)
    done = subprocess.run(["script/test", *arguments], cwd=clone, capture_output=True, text=True, check=False)
    steps = [line.removeprefix("== ") for line in done.stdout.splitlines() if line.startswith("== ")]
    return done.returncode, steps, done.stderr


@pytest.mark.parametrize(
    ("arguments", "steps"),
    [
        ((), LINT + TESTS),
        (("fast",), LINT + TESTS[:1]),
        (("lint",), LINT),
        (("--only", "mypy"), LINT[2:4]),
        (("--only", "docs"), TESTS[1:2]),
        (("--only", "pytest (fast)", "-k", "commit"), TESTS[:1]),
    ],
)
def test_the_steps_that_were_asked_for_run(clone: Path, arguments: tuple[str, ...], steps: list[str]) -> None:
    assert run(clone, *arguments)[:2] == (0, steps)


def test_a_failed_step_is_named_after_all_have_run(clone: Path) -> None:
    code, steps, errors = run(clone, "lint", failing="mypy tests")
    assert (code, steps) == (1, LINT)
    assert "mypy (tests)" in errors
    assert "import-linter" not in errors


@pytest.mark.parametrize("arguments", [("--only",), ("--only", "nothing of this name")])
def test_an_unknown_step_is_an_error(clone: Path, arguments: tuple[str, ...]) -> None:
    code, steps, errors = run(clone, *arguments)
    assert code != 0
    assert not steps
    assert errors


def test_the_list_runs_nothing(clone: Path) -> None:
    listed = subprocess.run(["script/test", "--list"], cwd=clone, capture_output=True, text=True, check=True).stdout
    assert [line.partition("\t")[0] for line in listed.splitlines()] == LINT + TESTS
    assert not (clone / "calls").exists()


def test_the_fast_tests_write_to_memory_and_leave_nothing_there(clone: Path) -> None:
    python = clone / ".venv" / "bin" / "python"
    python.write_text(STUB + 'printf "%s" "${TMPDIR:-}" >place\n')
    elsewhere = {name: value for name, value in os.environ.items() if name != "TMPDIR"}
    subprocess.run(["script/test", "fast"], cwd=clone, capture_output=True, check=True, env=elsewhere)
    place = (clone / "place").read_text(encoding="utf-8")
    assert place.startswith("/dev/shm/") or not has_room(Path("/dev/shm"))
    assert place == "" or not Path(place).exists()
    chosen = {**elsewhere, "TMPDIR": str(clone)}
    subprocess.run(["script/test", "fast"], cwd=clone, capture_output=True, check=True, env=chosen)
    assert (clone / "place").read_text(encoding="utf-8") == str(clone)


def has_room(folder: Path) -> bool:
    return folder.is_dir() and os.access(folder, os.W_OK) and shutil.disk_usage(folder).free > 1_100_000_000


def test_pre_commit_runs_the_lint_steps_by_calling_them(root: Path) -> None:
    entries = [
        line.partition("entry:")[2].strip()
        for line in (root / ".pre-commit-config.yaml").read_text(encoding="utf-8").splitlines()
        if "entry:" in line
    ]
    assert entries == ["script/test lint"]
