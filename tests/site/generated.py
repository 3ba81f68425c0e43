"""All pages of the reference that are made from the code, and the nav of the site."""

from __future__ import annotations

import shutil
from collections.abc import Mapping
from pathlib import Path

from tests.site import api_pages, cli_pages, feature_pages, json_answers, rule_pages

ROOMS = (api_pages, cli_pages, feature_pages, json_answers, rule_pages)


def pages() -> dict[Path, str]:
    """Every page by its path."""
    return {path: text for room in ROOMS for path, text in room.pages()}


def renew(root: Path) -> None:
    """Write every page anew."""
    for room in ROOMS:
        shutil.rmtree(root / room.FOLDER, ignore_errors=True)
    for path, text in pages().items():
        (root / path).parent.mkdir(parents=True, exist_ok=True)
        (root / path).write_text(text, encoding="utf-8")


def on_disk(root: Path) -> Mapping[Path, str]:
    """The generated pages as they are."""
    files = [file for room in ROOMS for file in (root / room.FOLDER).glob("*.*")]
    files.append(root / cli_pages.MANUAL)
    return {file.relative_to(root): file.read_text(encoding="utf-8") for file in files if file.is_file()}
