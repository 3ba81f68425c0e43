"""Commands run in folders of strangers, whose files are called like modules: none of them is imported."""

from __future__ import annotations

import subprocess
import sys
import venv
from collections.abc import Sequence
from pathlib import Path

import pytest

from deltaresolver.audit.scan.runners import Processes
from deltaresolver.clients.probe import environment
from tests.security.tables import log_of

MODULES = (
    "multiprocessing", "concurrent", "json", "socket", "pickle", "runpy", "attrs", "pyarrow", "msgspec", "sqlglot",
    "deltaresolver", "pip", "venv", "ensurepip", "sitecustomize", "usercustomize",
)  # fmt: skip
WAS_HERE = "import pathlib\npathlib.Path({!r}).touch()\n"


def task(locations: Sequence[str]) -> bytes:
    """What an audit does with tables: here nothing."""
    return b"".join(location.encode() for location in locations)


def plant(folder: Path) -> Path:
    """Modules in a folder that leave a mark where they are imported; the mark."""
    mark = folder / "was-here"
    for name in MODULES:
        (folder / f"{name}.py").write_text(WAS_HERE.format(str(mark)), encoding="utf-8")
    return mark


@pytest.mark.slow
def test_other_processes_import_nothing_from_the_working_directory(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    mark = plant(tmp_path)
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("PYTHONSAFEPATH", raising=False)
    done = dict(Processes(2).run(task, ((number, []) for number in range(8))))
    assert done == dict.fromkeys(range(8), b"")
    assert not mark.exists()


@pytest.mark.slow
@pytest.mark.parametrize(
    "command", [("explain", "t"), ("audit", "."), ("verify", "t"), ("check", "a.sql")], ids=" ".join
)
def test_no_command_imports_from_the_working_directory(command: tuple[str, ...], tmp_path: Path) -> None:
    mark = plant(tmp_path)
    log_of(tmp_path / "t")
    (tmp_path / "a.sql").write_text("SELECT 1;")
    script = Path(sys.executable).with_name("deltaresolver")
    done = subprocess.run([script, *command], cwd=tmp_path, capture_output=True, text=True, timeout=120, check=False)
    assert done.returncode in (0, 1), done.stderr
    assert not mark.exists()


def test_pip_is_not_looked_for_in_the_working_directory(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    mark = plant(tmp_path)
    asked: list[list[str]] = []
    run = subprocess.run

    def help_instead(command: list[str], **options: object) -> object:
        asked.append(command)
        # As it is started, but without a network.
        return run([*command[: command.index("install")], "--version"], **options)  # type: ignore[call-overload]

    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(venv, "create", lambda folder, **_: folder.mkdir(exist_ok=True))
    monkeypatch.setattr(subprocess, "run", help_instead)
    folder = tmp_path / "environment"
    (folder / "bin").mkdir(parents=True)
    (folder / "bin/python").symlink_to(sys.executable)
    environment.make_environment(folder, ["polars==1"])
    assert asked
    assert not mark.exists()
