"""docs/spec-map.md: every file it names exists, and every row works or has a reason why it differs."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

ROWS = [
    line.strip("|").split(" | ")
    for line in (Path(__file__).parents[2] / "docs" / "spec-map.md").read_text(encoding="utf-8").splitlines()
    if line.startswith("| ") and not line.startswith("| what ")
]


@pytest.mark.parametrize("row", ROWS, ids=lambda row: row[0].strip()[:60])
def test_a_row_names_files_that_exist(row: list[str], root: Path) -> None:
    what, verdict, where, shown = (cell.strip() for cell in row)
    assert what
    code, tests = re.findall(r"`([^`]+)`", where), re.findall(r"`([^`]+)`", shown)
    assert code, "a row names where it is done"
    assert tests, "and what shows it"
    assert [path for path in (*code, *tests) if not (root / path).exists()] == []
    assert all(path.startswith("tests/") for path in tests)
    kind, _, reason = verdict.partition(" ") if verdict.startswith("works") else verdict.partition(": ")
    assert kind.rstrip(",;:") in ("works", "different", "different, as in document 1")
    assert reason or kind != "different", "a difference has its reason"


def test_every_document_has_its_rows() -> None:
    page = (Path(__file__).parents[2] / "docs" / "spec-map.md").read_text(encoding="utf-8")
    assert re.findall(r"^## (\d)\.", page, re.MULTILINE) == ["1", "2", "3", "4", "5"]
    assert len(ROWS) > 60
