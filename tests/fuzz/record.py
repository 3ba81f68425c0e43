"""The results of fuzzing: a JSON file by target, from which an interrupted run goes on."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import attrs

from tests.differential.record import commit_of


@attrs.define
class Record:
    """For each target: cases, seconds, the next seed, and the first seed of each breach."""

    path: Path | None
    content: dict[str, Any] = attrs.Factory(dict)

    @classmethod
    def open(cls, path: Path | None) -> Record:
        """The record so far."""
        return cls(path, json.loads(path.read_text(encoding="utf-8")) if path is not None and path.exists() else {})

    def of(self, target: str, seed: int) -> dict[str, Any]:
        """A target's part, which begins at `seed`."""
        new = {
            "cases": 0,
            "seconds": 0.0,
            "next_seed": seed,
            "breaches": {},
            "commit": commit_of(Path(__file__).parent),
        }
        found: dict[str, Any] = self.content.setdefault(target, new)
        return found

    def save(self) -> None:
        """Write it down."""
        if self.path is not None:
            self.path.write_text(json.dumps(self.content, indent=1, sort_keys=True) + "\n", encoding="utf-8")
