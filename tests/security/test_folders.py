"""A search for tables visits each folder once and is silent about none."""

from __future__ import annotations

import os
import re
import time
from pathlib import Path
from typing import Any

import pytest

from deltaresolver.audit.audit_lake import AuditRequest, audit_lake
from deltaresolver.audit.scan.discovery import SearchBelow, find_tables, found_below
from deltaresolver.audit.scan.runners import InProcess
from tests.security.budget import run
from tests.security.tables import log_of

FOLDERS = 12


def linked_lake(folder: Path) -> Path:
    """Folders each of which has a table and a link to every other one."""
    for number in range(FOLDERS):
        log_of(folder / f"f{number}/t")
    for number in range(FOLDERS):
        for other in range(FOLDERS):
            if other != number:
                (folder / f"f{number}/to_f{other}").symlink_to(folder / f"f{other}")
    return folder


def test_folders_that_link_to_each_other_are_searched_once(tmp_path: Path) -> None:
    began = time.monotonic()
    found = sorted(find_tables(str(linked_lake(tmp_path))))
    assert found == sorted(f"{tmp_path}/f{number}/t" for number in range(FOLDERS))
    assert time.monotonic() - began < 10


def test_folders_that_link_to_each_other_are_searched_once_where_a_runner_searches(tmp_path: Path) -> None:
    lake = linked_lake(tmp_path)
    found = sorted(found_below(SearchBelow(str(lake))([f"f{number}" for number in range(FOLDERS)])))
    assert {Path(each).resolve() for each in found} == {lake / f"f{number}/t" for number in range(FOLDERS)}
    assert len(found) <= 2 * FOLDERS


def test_an_audit_of_them_ends_within_its_budget(tmp_path: Path) -> None:
    ended = run("audit", linked_lake(tmp_path), "--workers", "1")
    assert re.search(rf"^tables +{FOLDERS}$", ended.out, re.MULTILINE)


def test_a_table_that_many_links_lead_to_is_found_once(tmp_path: Path) -> None:
    log_of(tmp_path / "elsewhere/t")
    (tmp_path / "lake").mkdir()
    for number in range(50):
        (tmp_path / f"lake/l{number}").symlink_to(tmp_path / "elsewhere")
    (tmp_path / "lake/dangling").symlink_to(tmp_path / "nowhere")
    (tmp_path / "lake/self").symlink_to(tmp_path / "lake/self")
    assert list(find_tables(str(tmp_path / "lake"))) == [f"{tmp_path}/lake/l0/t"]


def test_a_folder_that_cannot_be_listed_is_in_the_document(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    log_of(tmp_path / "lake/open/t")
    log_of(tmp_path / "lake/closed/t")
    list_folder = os.scandir

    def scandir(path: Any) -> Any:
        if str(path).endswith("/closed"):
            raise PermissionError(13, "Permission denied", path)
        return list_folder(path)

    monkeypatch.setattr(os, "scandir", scandir)
    request = AuditRequest(roots=(str(tmp_path / "lake"),), budget=None)
    audited = audit_lake(request, InProcess(), tmp_path / "work", tmp_path / "audit.json")
    (root,) = audited.document.head.roots
    assert root.tables == 1
    assert root.error is not None
    assert root.error.startswith("DR405")
    assert "lake/closed" in root.error


def odd_folder(folder: Path, name: bytes) -> Path:
    """A table in a folder whose name is not UTF-8."""
    return log_of(Path(os.fsdecode(os.fsencode(folder) + b"/" + name))).parent


@pytest.mark.parametrize("name", [b"t\xff", b"\xfe/below/t", b"t\xed\xa0\x80"])
def test_a_name_that_is_not_utf8_ends_no_audit(name: bytes, tmp_path: Path) -> None:
    log_of(tmp_path / "lake/good")
    odd_folder(tmp_path / "lake", name)
    ended = run("audit", tmp_path / "lake", "--json", tmp_path / "audit.json")
    assert (ended.code, "DR405" in ended.err, "names that are not UTF-8" in ended.err) == (2, True, True)
    assert b"lake/good" in (tmp_path / "audit.json").read_bytes()


def test_a_root_whose_name_is_not_utf8_is_refused(tmp_path: Path) -> None:
    table = odd_folder(tmp_path, b"t\xff")
    for ended in (run("audit", table), run("audit", ".", folder=table), run("ui", table, "--no-open")):
        assert (ended.code, "DR406" in ended.err) == (2, True)
        assert ended.err.isascii()
