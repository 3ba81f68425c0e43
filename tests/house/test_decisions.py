"""Decisions are numbered without a gap, and dated."""

from __future__ import annotations

import re
from itertools import pairwise
from pathlib import Path


def test_decisions_are_numbered_and_dated(root: Path) -> None:
    lines = (root / "docs" / "decisions.md").read_text(encoding="utf-8").splitlines()
    headings = [(number, line) for number, line in enumerate(lines) if line.startswith("## ")]
    assert len(headings) > 50
    found = [re.match(r"## D-(\d+) \S", line) for _, line in headings]
    assert [int(each[1]) if each else line for each, (_, line) in zip(found, headings, strict=True)] == list(
        range(1, len(headings) + 1)
    )
    undated = [line for number, line in headings if not re.fullmatch(r"\*\d{4}-\d\d-\d\d\*", lines[number + 2])]
    assert undated == []
    dates = [lines[number + 2] for number, _ in headings]
    assert all(one <= other for one, other in pairwise(dates)), "newest last"
