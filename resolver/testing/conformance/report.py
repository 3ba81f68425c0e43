"""The result of a conformance run: one type for every kind of run, so that one command can print them all."""

from __future__ import annotations

from typing import Any

import attrs


@attrs.frozen(slots=True)
class Failure:
    """One case whose answer differs from the recorded one; `detail` says how, in one line if possible."""

    id: str
    detail: str

    def to_json(self) -> dict[str, Any]:
        """The value as plain data for JSON."""
        return {"id": self.id, "detail": self.detail}


@attrs.frozen(slots=True)
class KnownDifference:
    """One case whose answer differs on purpose, with the reason for it."""

    id: str
    reason: str
    detail: str = ""

    def to_json(self) -> dict[str, Any]:
        """The value as plain data for JSON."""
        return {"id": self.id, "reason": self.reason, "detail": self.detail}


@attrs.frozen(slots=True)
class ConformanceReport:
    """The outcome of one run. Every case counts once: as passed, failed or known to differ."""

    kind: str
    passed: int
    failures: tuple[Failure, ...] = ()
    known_differences: tuple[KnownDifference, ...] = ()
    statements: int = 0
    """How many statements the cases have; 0 where a case is one question."""
    compared: int = 0
    """How many of them were carried out here and compared."""

    @property
    def is_success(self) -> bool:
        """Whether no case failed."""
        return not self.failures

    def summary(self) -> str:
        """`N passed, M failed`, and the known differences if there are any."""
        known = len(self.known_differences)
        text = f"{self.passed:,} passed, {len(self.failures):,} failed"
        text = f"{text}, {known:,} known to differ" if known else text
        return f"{text}; {self.compared:,} of {self.statements:,} statements compared" if self.statements else text

    def to_json(self) -> dict[str, Any]:
        """The value as plain data for JSON."""
        return {
            "kind": self.kind,
            "passed": self.passed,
            "failed": len(self.failures),
            "statements": self.statements,
            "compared": self.compared,
            "failures": [failure.to_json() for failure in self.failures],
            "known_differences": [difference.to_json() for difference in self.known_differences],
        }
