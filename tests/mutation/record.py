"""What became of each mutant: a JSON file that grows with every mutant, so that an interrupted run goes on."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import attrs

KILLED = "killed"
SURVIVED = "survived"


@attrs.define
class Record:
    """Verdicts by room and by the name of the mutant; for survivors also why they may live, where somebody said so."""

    path: Path | None
    content: dict[str, Any]

    @classmethod
    def open(cls, path: Path | None) -> Record:
        """The record so far."""
        stored = json.loads(path.read_text(encoding="utf-8")) if path is not None and path.exists() else {}
        return cls(path, {"rooms": {}, **stored})

    def room(self, name: str) -> dict[str, Any]:
        """What is known of a room."""
        empty = {"mutants": 0, "seed": 0, KILLED: {}, SURVIVED: {}}
        room: dict[str, Any] = self.content["rooms"].setdefault(name, empty)
        return room

    def knows(self, room: str, mutant: str) -> bool:
        """Whether the mutant was judged."""
        return mutant in self.room(room)[KILLED] or mutant in self.room(room)[SURVIVED]

    def add(self, room: str, mutant: str, killer: str | None) -> None:
        """One more mutant, and the first test that failed; a reason why it may live stays as long as it does."""
        place = self.room(room)
        reason = place[SURVIVED].pop(mutant, "")
        if killer is None:
            place[SURVIVED][mutant] = reason
        else:
            place[KILLED][mutant] = killer.partition("[")[0]
        self.save()

    def save(self) -> None:
        """Write it, sorted, so that two runs can be compared."""
        if self.path is not None:
            text = json.dumps(self.content, indent=1, ensure_ascii=False, sort_keys=True)
            self.path.write_text(f"{text}\n", encoding="utf-8")

    def summary(self) -> list[str]:
        """A line for each room."""
        lines = []
        for name, room in sorted(self.content["rooms"].items()):
            killed, survived = len(room[KILLED]), room[SURVIVED]
            equal = sum(bool(reason) for reason in survived.values())
            asked = killed + len(survived)
            share = killed / asked if asked else 0.0
            told = f"{killed} of {asked} killed ({share:.0%}), {equal} survivors explained"
            lines.append(f"{name}: {told}; {room['mutants']} in all")
        return lines
