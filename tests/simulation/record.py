"""What a long run has done so far: a line of JSON for each part, so that an interrupted run goes on."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

import attrs


@attrs.define(slots=True, eq=False)
class Record:
    """The parts done, on disk if there is a path."""

    path: Path | None = None
    parts: dict[str, dict[str, Any]] = attrs.Factory(dict)

    @classmethod
    def open(cls, path: Path | None) -> Record:
        """The record so far; an empty one if there is none."""
        record = cls(path)
        if path is not None and path.exists():
            lines = [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]
            record.parts = {line["part"]: line for line in lines}
        return record

    def add(self, part: str, values: Mapping[str, Any]) -> None:
        """One more part is done."""
        self.parts[part] = {"part": part, **values}
        text = json.dumps(self.parts[part])
        print(text, flush=True)
        if self.path is not None:
            with self.path.open("a", encoding="utf-8") as file:
                file.write(text + "\n")


def total(records: Iterable[Record], kind: str) -> dict[str, Any]:
    """All parts whose name begins with `kind`, each counted once: numbers and counts added up, lists joined."""
    parts: dict[str, dict[str, Any]] = {}
    for record in records:
        parts.update({name: values for name, values in record.parts.items() if name.startswith(kind)})
    found: dict[str, Any] = {}
    for values in parts.values():
        for name, value in values.items():
            if isinstance(value, dict):
                found[name] = dict(sorted((Counter(found.get(name, {})) + Counter(value)).items()))
            elif isinstance(value, (int, list)):
                found[name] = found[name] + value if name in found else value
    return found
