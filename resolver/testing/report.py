"""The outcome of a conformance run, the same shape for every kind of recorded answer."""

from __future__ import annotations

from typing import Any

import attrs


@attrs.frozen(slots=True)
class Failure:
    """One recorded case that was answered differently, and how."""

    id: str
    detail: str

    def to_json(self) -> dict[str, Any]:
        """As data."""
        return {"id": self.id, "detail": self.detail}


@attrs.frozen(slots=True)
class ConformanceReport:
    """How many cases of one kind passed, which failed, and which differ for a reason written down.

    A case in `known_differences` counts neither as passed nor as failed.
    """

    kind: str
    passed: int
    failures: tuple[Failure, ...] = ()
    known_differences: tuple[Failure, ...] = ()

    @property
    def ok(self) -> bool:
        """Whether nothing failed."""
        return not self.failures

    def to_json(self) -> dict[str, Any]:
        """As data."""
        return {
            "kind": self.kind,
            "passed": self.passed,
            "failed": len(self.failures),
            "failures": [failure.to_json() for failure in self.failures],
            "known_differences": [difference.to_json() for difference in self.known_differences],
        }
