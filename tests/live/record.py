"""The results of live runs: a JSON file that grows batch by batch, so that an interrupted run goes on."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import attrs

from deltaresolver.testing.conformance.report import ConformanceReport

MAX_LENGTH = 50
"""Of the differences of a batch: more of them are the same mistake."""


@attrs.frozen
class Record:
    """By kind: its batches by seed, and how often each answer came."""

    path: Path | None
    content: dict[str, dict[str, Any]]

    @classmethod
    def open(cls, path: Path | None) -> Record:
        """The record so far."""
        found = json.loads(path.read_text(encoding="utf-8")) if path is not None and path.exists() else {}
        return cls(path, found)

    def has(self, kind: str, seed: int, count: int) -> bool:
        """Whether as many cases of this seed have been asked, and all agreed: what differed is asked again."""
        batch = self._batches(kind).get(str(seed))
        return batch is not None and batch["asked"] >= count and not batch["failures"]

    def add(
        self, kind: str, seed: int, count: int, report: ConformanceReport, reached: Mapping[str, int], seconds: float
    ) -> None:
        """One more batch, or a batch again, written at once."""
        of_kind = self.content.setdefault(kind, {"batches": {}, "reached": {}})
        before = of_kind["batches"].get(str(seed))
        batch: dict[str, Any] = {
            "asked": count,
            "cases": report.passed + len(report.known_differences) + len(report.failures),
            "passed": report.passed,
            "known": dict(sorted(Counter(one.reason for one in report.known_differences).items())),
            "failures": len(report.failures),
            "statements": report.statements,
            "compared": report.compared,
            "seconds": round(max(seconds, before["seconds"] if before else 0), 1),
        }
        if report.failures:
            batch["failed"] = {one.id: one.detail[:500] for one in report.failures[:MAX_LENGTH]}
        of_kind["batches"][str(seed)] = {key: value for key, value in batch.items() if value or key in _ALWAYS}
        if before is None:
            _count(of_kind["reached"], reached)
        if self.path is not None:
            self.path.write_text(json.dumps(self.content, indent=1) + "\n", encoding="utf-8")

    def totals(self, kind: str) -> dict[str, int]:
        """All batches of a kind together."""
        batches = self._batches(kind).values()
        keys = ("asked", "cases", "passed", "failures", "statements", "compared", "seconds")
        found = {key: round(sum(batch.get(key, 0) for batch in batches)) for key in keys}
        known = sum(sum(batch.get("known", {}).values()) for batch in batches)
        return found | {"known": known, "answers": len(self.content.get(kind, {}).get("reached", {}))}

    def table(self) -> str:
        """The totals of every kind, as Markdown."""
        lines = ["| kind | seeds | cases | agree | known to differ | differ | statements compared | minutes |",
                 "|---|---|---|---|---|---|---|---|"]  # fmt: skip
        for kind in self.content:
            total, seeds = self.totals(kind), [int(seed) for seed in self._batches(kind)]
            counts = [f"{total[key]:,}" for key in ("cases", "passed", "known", "failures")]
            compared = f"{total['compared']:,} of {total['statements']:,}" if total["statements"] else ""
            cells = [kind, f"{min(seeds)} to {max(seeds)}", *counts, compared, f"{total['seconds'] / 60:.0f}"]
            lines.append(f"| {' | '.join(cells)} |")
        return "\n".join(lines)

    def _batches(self, kind: str) -> dict[str, Any]:
        found: dict[str, Any] = self.content.get(kind, {}).get("batches", {})
        return found


_ALWAYS = ("asked", "cases", "passed", "failures", "seconds")


def _count(counts: dict[str, int], more: Mapping[str, int]) -> None:
    """Adds counts, in the order of their names."""
    added = dict(sorted((Counter(counts) + Counter(more)).items()))
    counts.clear()
    counts.update(added)
