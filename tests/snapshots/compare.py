"""Compare rendered text with the file that holds what it should be."""

from __future__ import annotations

import os
from pathlib import Path

FOLDER = Path(__file__).parent


def assert_matches_snapshot(name: str, text: str) -> None:
    """The text is what the snapshot file holds; with RENEW_SNAPSHOTS=1 the file is written instead."""
    file = FOLDER / name
    if os.environ.get("RENEW_SNAPSHOTS") == "1":
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text, encoding="utf-8")
    assert file.is_file(), f"{file} is missing; see tests/snapshots/README.md"
    assert text == file.read_text(encoding="utf-8")
