"""`deltaresolver restore`."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from deltaresolver.cli.main import run
from tests.logs import PROTOCOL, LogBuilder, add, metadata, remove


def table(folder: Path) -> str:
    LogBuilder.local(folder).commit(PROTOCOL, metadata(), add("a")).commit(remove("a"), add("b"))
    (folder / "a").write_bytes(b"x")
    return str(folder)


def test_a_version_is_restored(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = table(tmp_path)
    assert run(["restore", path, "--version", "0"]) == 0
    printed = capsys.readouterr().out
    assert "version 0" in printed
    assert "RESTORE as 2" in printed
    assert run(["restore", path, "--version", "0", "--json"]) == 0
    found = json.loads(capsys.readouterr().out)
    assert (found["version"], found["restored_version"], found["num_restored_files"]) == (3, 0, 0)


def test_the_latest_version_is_there_already(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = table(tmp_path)
    assert run(["restore", path, "--version", "1"]) == 0
    assert "nothing: it is the latest" in capsys.readouterr().out
    assert run(["restore", path, "--version", "1", "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["version"] is None


@pytest.mark.parametrize(
    ("arguments", "code"),
    [(["--version", "2"], "DR744"), ([], "DR105"), (["--version", "0", "--timestamp", "2020-01-01"], "DR105")],
)
def test_what_cannot_be_restored_is_an_error(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], arguments: list[str], code: str
) -> None:
    assert run(["restore", table(tmp_path), *arguments]) == 2
    assert code in capsys.readouterr().err


def test_missing_files_are_named(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = table(tmp_path)
    (tmp_path / "a").unlink()
    assert run(["restore", path, "--version", "0"]) == 2
    assert "DR743" in capsys.readouterr().err
