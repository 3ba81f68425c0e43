"""docs/architecture.md names files that are there, and every room."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

PLACE = re.compile(r"`((?:[a-z_]+/)+(?:[a-z_]+\.(?:py|md|toml))?)`")
PAGES = ("docs/architecture.md", "CONTRIBUTING.md")


@pytest.mark.parametrize("page", PAGES)
def test_every_place_named_is_there(root: Path, page: str) -> None:
    named = PLACE.findall((root / page).read_text(encoding="utf-8"))
    missing = [name for name in named if not (root / name).exists() and not (root / "resolver" / name).exists()]
    assert named
    assert missing == []


def test_every_room_is_drawn(root: Path) -> None:
    drawing = (root / "docs" / "architecture.md").read_text(encoding="utf-8").split("```")[1]
    drawn = set(re.findall(r"^([a-z]+) {2,}", drawing, re.MULTILINE))
    rooms = {path.stem for path in (root / "resolver").iterdir() if path.is_dir() or path.suffix == ".py"}
    assert drawn == rooms - {"__init__", "__main__", "__pycache__", "lazy_names"}
