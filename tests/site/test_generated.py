"""The reference is what the code is: pages made from it are compared with those on disk."""

from __future__ import annotations

import os
import re
from pathlib import Path

import pytest

from deltaresolver.cli.main import COMMANDS, EXIT_ERROR, EXIT_INTERRUPTED, EXIT_TERMINATED
from deltaresolver.defaults import built_in_catalog
from tests.site import cli_pages, feature_pages
from tests.site.generated import on_disk, pages, renew


def test_pages_made_from_the_code_are_current(root: Path) -> None:
    if os.environ.get("RENEW_SNAPSHOTS") == "1":
        renew(root)
    made, found = pages(), on_disk(root)
    stale = sorted(str(path) for path in {*made, *found} if made.get(path) != found.get(path))
    assert stale == [], "run RENEW_SNAPSHOTS=1 python -m pytest tests/site/test_generated.py"


def test_each_command_and_each_feature_has_its_page(root: Path) -> None:
    assert {file.stem for file in (root / cli_pages.FOLDER).glob("*.md")} == {*COMMANDS, "README"}
    assert {file.stem for file in (root / feature_pages.FOLDER).glob("*.md")} == {*built_in_catalog().names, "README"}


def test_the_exit_codes_of_the_page_are_those_of_the_command(root: Path) -> None:
    page = (root / "docs" / "command-line.md").read_text(encoding="utf-8")
    table = page.split("## Exit codes")[1].split("## ")[0]
    assert re.findall(r"^\| (\d+) \|", table, re.MULTILINE) == [
        "0",
        "1",
        *map(str, (EXIT_ERROR, EXIT_INTERRUPTED, EXIT_TERMINATED)),
    ]


@pytest.mark.parametrize("text", ["-x", ".TH", "'quoted", "a\\b"])
def test_no_line_of_the_manual_is_a_request(text: str) -> None:
    shown = cli_pages._roff(text)
    assert not shown.startswith((".", "'"))
    assert "\\b" not in shown


def test_the_manual_can_be_formatted(root: Path) -> None:
    manual = (root / cli_pages.MANUAL).read_text(encoding="utf-8")
    requests = {line.split()[0] for line in manual.splitlines() if line.startswith(".")}
    assert requests == {".TH", ".SH", ".TP", ".nf", ".fi"}
    assert manual.count(".nf") == manual.count(".fi") == len(list(cli_pages.contexts()))
