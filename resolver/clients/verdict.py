"""The verdict: what a release will do with a table of given demands."""

from __future__ import annotations

from typing import Any

import attrs

from deltaresolver.clients.evidence import Act, Evidence, Outcome, Rank
from deltaresolver.value import Value


@attrs.frozen(slots=True)
class Verdict(Value):
    """What a client will do with a table, why, and the evidence.

    feature   the table feature at fault, where one is
    demand    the demand at fault
    warning   a reason not to rely on the verdict; empty without one
    """

    client: str
    version: str
    path: str
    act: Act
    outcome: Outcome
    reason: str
    evidence: Evidence
    feature: str | None = None
    demand: str | None = None
    warning: str = ""

    @property
    def works(self) -> bool:
        """Whether the act succeeds, as far as is known."""
        return self.outcome is Outcome.WORKS

    def to_json(self) -> dict[str, Any]:
        """The value as plain data for JSON."""
        return {
            "client": self.client,
            "version": self.version,
            "path": self.path,
            "act": self.act.value,
            "outcome": self.outcome.value,
            "reason": self.reason,
            "evidence": {
                "rank": self.evidence.rank.value,
                "basis": self.evidence.basis,
                "source": self.evidence.source,
            },
            "feature": self.feature,
            "demand": self.demand,
            "warning": self.warning,
        }


@attrs.frozen(slots=True)
class Judgement(Value):
    """An outcome with its evidence, from which a verdict is made."""

    outcome: Outcome
    rank: Rank
    basis: str
    demand: str | None = None
    why: str = ""
    warning: str = ""
    source: str = ""
