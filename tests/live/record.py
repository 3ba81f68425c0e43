"""What live runs came to: a JSON file that grows batch by batch, so that an interrupted run goes on."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import attrs

from deltaresolver.testing.conformance.report import ConformanceReport

MOST_TOLD = 50
"""Of the differences of a batch: more of them are the same mistake."""


@attrs.frozen
class Record:
    """The batches of each kind by their seed."""

    path: Path | None
    content: dict[str, dict[str, Any]]

    @classmethod
    def open(cls, path: Path | None) -> Record:
        """The record so far."""
        found = json.loads(path.read_text(encoding="utf-8")) if path is not None and path.exists() else {}
        return cls(path, found)

    def has(self, kind: str, seed: int, count: int) -> bool:
        """Whether as many cases of this seed have been asked."""
        batch = self.content.get(kind, {}).get(str(seed))
        return batch is not None and batch["cases"] >= count

    def add(
        self, kind: str, seed: int, count: int, report: ConformanceReport, reached: Mapping[str, int], seconds: float
    ) -> None:
        """One more batch, written at once."""
        self.content.setdefault(kind, {})[str(seed)] = {
            "cases": count,
            "passed": report.passed,
            "known": dict(sorted(Counter(one.reason for one in report.known_differences).items())),
            "failed": {one.id: one.detail[:500] for one in report.failures[:MOST_TOLD]},
            "failures": len(report.failures),
            "statements": report.statements,
            "compared": report.compared,
            "reached": dict(sorted(reached.items())),
            "seconds": round(seconds),
        }
        if self.path is not None:
            self.path.write_text(json.dumps(self.content, indent=1) + "\n", encoding="utf-8")

    def totals(self, kind: str) -> dict[str, int]:
        """All batches of a kind together."""
        batches = self.content.get(kind, {}).values()
        keys = ("cases", "passed", "failures", "statements", "compared", "seconds")
        return {key: sum(batch[key] for batch in batches) for key in keys} | {
            "known": sum(sum(batch["known"].values()) for batch in batches),
            "answers": len({answer for batch in batches for answer in batch["reached"]}),
        }
