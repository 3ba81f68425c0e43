"""docs/architecture.md names files that exist, and every room."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

PLACE = re.compile(r"`((?:[a-z_]+/)+(?:[a-z_]+\.(?:py|md|toml))?)`")
PAGES = ("docs/architecture.md", "CONTRIBUTING.md")


@pytest.mark.parametrize("page", PAGES)
def test_every_place_named_exists(root: Path, page: str) -> None:
    named = PLACE.findall((root / page).read_text(encoding="utf-8"))
    missing = [name for name in named if not (root / name).exists() and not (root / "resolver" / name).exists()]
    assert named
    assert missing == []


def test_every_room_is_drawn(root: Path) -> None:
    drawing = (root / "docs" / "architecture.md").read_text(encoding="utf-8").split("```")[1]
    drawn = set(re.findall(r"^([a-z]+) {2,}", drawing, re.MULTILINE))
    rooms = {path.stem for path in (root / "resolver").iterdir() if path.is_dir() or path.suffix == ".py"}
    assert drawn == rooms - {"__init__", "__main__", "__pycache__", "lazy_names"}


def rows(root: Path) -> dict[str, list[str]]:
    """What the table of changes names, by change: files and folders, from the root, in the order they stand there."""
    table = (root / "docs" / "architecture.md").read_text(encoding="utf-8").partition("## Where a change goes")[2]
    cells = [line.strip("| ").split(" | ") for line in table.splitlines() if line.startswith("|")][2:]
    return {change: resolved(root, re.findall(r"`([^`]*[/.][^`]*)`", places)) for change, places in cells}


def resolved(root: Path, named: list[str]) -> list[str]:
    """Names as the page has them, a bare one in the folder of the one before it, as paths from the root."""
    found: list[str] = []
    for name in named:
        if "/" not in name:
            before = Path(found[-1])
            found.append(str((before.parent if before.suffix else before) / name))
        else:
            found.append(str(Path(name if (root / name).exists() else f"resolver/{name}")))
    return found


def test_each_kind_of_change_names_places_that_exist(root: Path) -> None:
    changes = rows(root)
    assert len(changes) >= 10
    assert {change: places for change, places in changes.items() if not places} == {}
    assert [place for places in changes.values() for place in places if not (root / place).exists()] == []


def test_no_kind_of_change_takes_more_than_three_rooms(root: Path) -> None:
    for change, places in rows(root).items():
        rooms = {Path(place).parts[place.startswith("resolver")] for place in places} - {"docs"}
        assert 1 <= len(rooms) <= 3, change
