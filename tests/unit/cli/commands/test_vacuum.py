"""`deltaresolver vacuum`."""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest

from deltaresolver.cli.main import run
from tests.logs import PROTOCOL, LogBuilder, add, metadata


def table(folder: Path) -> str:
    LogBuilder.local(folder).commit(PROTOCOL, metadata(), add("live"))
    for name in ("live", "orphan"):
        (folder / name).write_bytes(b"rows")
        os.utime(folder / name, (1, 1))
    (folder / "link").symlink_to("/")
    return str(folder)


def test_a_dry_run_prints_the_files_and_deletes_none(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["vacuum", table(tmp_path), "--dry-run"]) == 0
    printed = capsys.readouterr()
    assert printed.out == "orphan\n"
    assert "1 file, 4 bytes, would be deleted" in printed.err
    assert "link is a link and was left alone" in printed.err
    assert (tmp_path / "orphan").exists()


def test_a_vacuum_prints_what_it_deleted(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = table(tmp_path)
    assert run(["vacuum", path, "--retain", "200"]) == 0
    assert "1 file, 4 bytes" in capsys.readouterr().out
    assert {file.name for file in tmp_path.iterdir()} == {"_delta_log", "live", "link"}
    assert run(["vacuum", path, "--lite", "--json"]) == 0
    found = json.loads(capsys.readouterr().out)
    assert (found["kind"], found["deleted_files"], found["version"]) == ("LITE", 0, 4)


def test_too_short_a_retention_ends_with_an_error(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["vacuum", table(tmp_path), "--retain", "1"]) == 2
    assert "DR741" in capsys.readouterr().err
    assert (tmp_path / "orphan").exists()
