"""What came of each test and example, noted as soon as it is known, so that a run that was stopped goes on."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path

import attrs

PASSED = "passed"
EXPECTED = Path(__file__).with_name("expected.json")
KINDS = ("classic", "connect", "examples")


@attrs.frozen(slots=True)
class Record:
    """A file of JSON lines: a name and its outcome each, the last of a name counting. Without a file in memory only."""

    path: Path | None
    known: dict[str, str] = attrs.field(factory=dict)

    @classmethod
    def at(cls, path: Path | None) -> Record:
        """What was noted before."""
        lines = path.read_text().splitlines() if path is not None and path.exists() else []
        found: dict[str, str] = {}
        for line in lines:
            found.update(json.loads(line))
        return cls(path, found)

    def note(self, name: str, outcome: str) -> None:
        """Note one outcome at once."""
        self.known[name] = outcome
        if self.path is not None:
            with self.path.open("a") as file:
                file.write(json.dumps({name: outcome}) + "\n")


@attrs.frozen(slots=True)
class Expected:
    """How many tests there are of a kind, and which of them fail, with the reason."""

    count: int
    fails: Mapping[str, str]

    @classmethod
    def of(cls, kind: str) -> Expected:
        """What is recorded in the repository."""
        found = json.loads(EXPECTED.read_text())[kind]
        return cls(found["count"], found["fails"])

    def differences(self, found: Mapping[str, str], asked: Iterable[str] = ()) -> Iterator[str]:
        """What is otherwise than recorded; with `asked`, only of these names."""
        names = set(asked)
        if not names and len(found) != self.count:
            yield f"{len(found)} ran, and {self.count} are recorded"
        for name, outcome in sorted(found.items()):
            if names and name not in names:
                continue
            if outcome == PASSED and name in self.fails:
                yield f"{name} passes: take it off the list"
            if outcome != PASSED and name not in self.fails:
                yield f"{name} fails: {outcome}"
        for name in sorted(set(self.fails) - set(found)):
            if not names or name in names:
                yield f"{name} is on the list, and there is no such test"
