"""docs/transactions.md: its examples run, one after another."""

from __future__ import annotations

import re
from pathlib import Path

import pytest


def test_the_examples_run(tmp_path: Path, root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    blocks = re.findall(r"```python\n(.*?)```", (root / "docs" / "transactions.md").read_text(), re.DOTALL)
    monkeypatch.chdir(tmp_path)
    known: dict[str, object] = {}
    for block in blocks:
        exec(block, known)
    assert len(blocks) > 4
