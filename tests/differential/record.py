"""The results of long runs: a JSON file that grows batch by batch, so that an interrupted run goes on."""

from __future__ import annotations

import json
import subprocess
from collections import Counter
from pathlib import Path
from typing import Any

import attrs

from tests.differential.runner import Outcome

HOME = Path(__file__).parent


@attrs.define
class Batch:
    """Programs that ran together, by their seeds."""

    first: int
    programs: int = 0
    versions: int = 0
    stopped: int = 0
    seconds: float = 0.0
    refusals: Counter[str] = attrs.Factory(Counter)
    failed: dict[int, str] = attrs.Factory(dict)
    """The kind of failure by seed."""

    def add(self, seed: int, outcome: Outcome) -> None:
        """One more program."""
        self.programs += 1
        self.versions += outcome.versions
        self.stopped += outcome.stopped
        self.seconds += outcome.seconds
        self.refusals += outcome.refusals
        if outcome.failure is not None:
            self.failed[seed] = outcome.failure.kind

    def to_json(self, commit: str) -> dict[str, Any]:
        """For the record."""
        shown = attrs.asdict(self)
        shown["seconds"] = round(self.seconds)
        shown["refusals"] = dict(sorted(self.refusals.items()))
        shown["failed"] = {str(seed): kind for seed, kind in self.failed.items()}
        return {**shown, "commit": commit}


@attrs.define
class Record:
    """Runs by mode, `oracle` and `peer`, and in how many programs bugs were found that were put in."""

    path: Path | None
    content: dict[str, Any]

    @classmethod
    def open(cls, path: Path | None) -> Record:
        """The record so far."""
        if path is not None and path.exists():
            return cls(path, json.loads(path.read_text(encoding="utf-8")))
        return cls(path, {"oracle": [], "peer": [], "planted": {}})

    def is_done(self, mode: str, seed: int) -> bool:
        """Whether the program of a seed ran already."""
        return any(each["first"] <= seed < each["first"] + each["programs"] for each in self.content.get(mode, []))

    def add(self, mode: str, batch: Batch) -> None:
        """One more batch is done."""
        if batch.programs:
            self.content.setdefault(mode, []).append(batch.to_json(commit_of(HOME)))
            self._save()

    def found(self, name: str, programs: int | None, kind: str) -> None:
        """A bug that was put in was found within so many programs, or not within them all."""
        self.content["planted"][name] = {"found_within": programs, "as": kind}
        self._save()

    def _save(self) -> None:
        if self.path is not None:
            lines = json.dumps(self.content, indent=1, sort_keys=True)
            self.path.write_text(lines + "\n", encoding="utf-8")


def commit_of(folder: Path) -> str:
    """The commit that is checked out."""
    command = ["git", "-C", str(folder), "rev-parse", "--short", "HEAD"]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    return done.stdout.strip() or "unknown"
