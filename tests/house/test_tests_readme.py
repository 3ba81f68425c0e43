"""tests/README.md names every folder of tests, and no other."""

from __future__ import annotations

import re
from pathlib import Path


def test_every_folder_of_tests_has_its_line(root: Path) -> None:
    text = (root / "tests" / "README.md").read_text(encoding="utf-8")
    named = set(re.findall(r"^\| `(\w+)/` \|", text, re.MULTILINE))
    folders = {path.name for path in (root / "tests").iterdir() if path.is_dir() and path.name != "__pycache__"}
    assert named == folders


def test_markers_are_those_of_the_project(root: Path) -> None:
    text = (root / "tests" / "README.md").read_text(encoding="utf-8")
    settings = (root / "pyproject.toml").read_text(encoding="utf-8")
    markers = set(re.findall(r'^    "(\w+): ', settings.split("markers = [")[1].split("]")[0], re.MULTILINE))
    assert set(re.findall(r"^\| `(\w+)` \|", text, re.MULTILINE)) == markers
