"""Tables that are far from what is usual in this lake."""

from __future__ import annotations

import heapq
import random
from collections.abc import Callable, Mapping
from statistics import median

import attrs

from deltaresolver.audit.document.document import Outlier
from deltaresolver.model.audit_table import TableAudit

MEASURES: Mapping[str, tuple[Callable[[TableAudit], float], str, float]] = {
    "commits": (lambda table: table.health.commits, "commits in the log", 500),
    "commit bytes": (lambda table: table.health.commit_bytes, "bytes of commits", 50e6),
    "commits to replay": (lambda table: table.health.commits_since_checkpoint, "commits after a checkpoint", 100),
    "columns": (lambda table: table.column_count, "columns", 200),
    "properties": (lambda table: len(table.properties), "table properties", 30),
    "features": (lambda table: len(table.features), "supported features", 12),
    "protocol changes": (lambda table: len(table.history), "changes of the protocol", 8),
}
"""For each measure its function, its unit, and the value below which no table is an outlier."""

TIMES_TYPICAL = 10
SHOWN = 5
_SAMPLE = 5_000


@attrs.define(eq=False)
class _Measured:
    largest: list[tuple[float, str]] = attrs.field(factory=list)
    sample: list[float] = attrs.field(factory=list)
    seen: int = 0


@attrs.define(eq=False)
class OutlierTally:
    """The largest values of each measure, and a fair sample of all for what is typical."""

    measured: dict[str, _Measured] = attrs.field(factory=lambda: {name: _Measured() for name in MEASURES})
    # A fixed seed: the same lake gives the same report.
    random: random.Random = attrs.field(factory=lambda: random.Random(0))  # noqa: S311 - a sample, no secret

    def add(self, table: TableAudit) -> None:
        """Measure one table."""
        for name, (measure, _, floor) in MEASURES.items():
            kept, value = self.measured[name], measure(table)
            kept.seen += 1
            if len(kept.sample) < _SAMPLE:
                kept.sample.append(value)
            elif (place := self.random.randrange(kept.seen)) < _SAMPLE:
                kept.sample[place] = value
            if value >= floor:
                heapq.heappush(kept.largest, (value, table.location))
                if len(kept.largest) > SHOWN:
                    heapq.heappop(kept.largest)

    def outliers(self) -> tuple[Outlier, ...]:
        """The few largest of each measure that are many times the median."""
        found = []
        for name, (_, words, _) in MEASURES.items():
            kept = self.measured[name]
            typical = float(median(kept.sample)) if kept.sample else 0.0
            for value, location in sorted(kept.largest, reverse=True):
                if value >= TIMES_TYPICAL * typical:
                    message = f"It has {value:,.0f} {words}; {typical:,.0f} are usual here."
                    found.append(Outlier(location, name, value, typical, message))
        return tuple(found)
