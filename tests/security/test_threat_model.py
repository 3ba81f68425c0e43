"""SECURITY.md names tests that exist, codes that are documented, and the limits that the code has."""

from __future__ import annotations

import re
from pathlib import Path

from deltaresolver.check.run import MAX_BYTES, MAX_SCRIPT_BYTES
from deltaresolver.check.sources.dbt import MAX_NODES
from deltaresolver.expressions.allowed import MAX_CHARACTERS
from deltaresolver.log.columnar.json_input import MAX_LINE_BYTES
from deltaresolver.log.deletion_vectors import MAX_ROWS
from deltaresolver.log.storage.bounded_answers import MAX_ENTRIES, MAX_LOG_ENTRIES


def test_every_test_and_code_that_is_named_exists(root: Path) -> None:
    page = (root / "SECURITY.md").read_text(encoding="utf-8")
    named = set(re.findall(r"`(tests/[\w/]+\.py)`", page))
    assert named == {name for name in named if (root / name).is_file()}
    here = {path.relative_to(root).as_posix() for path in (root / "tests/security").glob("test_*.py")}
    assert here - named == {"tests/security/test_threat_model.py"}
    codes = set(re.findall(r"DR\d{3}", page))
    assert codes == {code for code in codes if (root / f"docs/errors/{code}.md").is_file()}


def test_limits_are_as_stated(root: Path) -> None:
    page = (root / "SECURITY.md").read_text(encoding="utf-8")
    assert f"| {MAX_CHARACTERS:,} |" in page
    assert (MAX_LINE_BYTES, MAX_ROWS) == (1 << 30, 1 << 28)
    assert f"| {MAX_SCRIPT_BYTES:,} bytes; {MAX_BYTES:,} |" in page
    assert f"| {MAX_NODES:,} |" in page
    assert f"| {MAX_LOG_ENTRIES:,}; {MAX_ENTRIES:,} |" in page


def test_the_red_team_table_has_every_file(root: Path) -> None:
    page = (root / "tests/security/README.md").read_text(encoding="utf-8")
    rows = dict(re.findall(r"^\| .*\| `([\w/]+\.py)` \| (\d+) \|", page, re.MULTILINE))
    here = {file.name for file in (root / "tests/security").glob("test_*.py")}
    assert {name for name in rows if "/" not in name} == here
    assert sum(map(int, rows.values())) >= 200
