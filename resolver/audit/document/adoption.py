"""How many tables supported each feature at the end of each month."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta

import attrs

from deltaresolver.audit.document.document import AdoptionPoint
from deltaresolver.model.audit_table import TableAudit

MONTHS_SHOWN = 60
_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)


@attrs.define(eq=False)
class AdoptionTally:
    """Counts, by month, in how many tables a feature was added and removed."""

    changes: dict[str, Counter[int]] = attrs.field(factory=lambda: defaultdict(Counter))

    def add(self, table: TableAudit) -> None:
        """Count one table's timeline."""
        for span in table.timeline:
            self.changes[span.feature][_month(span.since_ms)] += 1
            if span.until_ms is not None:
                self.changes[span.feature][_month(span.until_ms)] -= 1

    def points(self, when_ms: int) -> tuple[AdoptionPoint, ...]:
        """For each feature the last months up to that of the audit, sorted by feature and month."""
        last = _month(when_ms)
        every = [month for counts in self.changes.values() for month in counts]
        first = max(min(every, default=last), last - MONTHS_SHOWN + 1)
        return tuple(
            AdoptionPoint(feature, f"{month // 12:04}-{month % 12 + 1:02}", tables)
            for feature, counts in sorted(self.changes.items())
            for month, tables in _running(counts, first, last)
        )


def _running(counts: Counter[int], first: int, last: int) -> Iterator[tuple[int, int]]:
    tables = sum(count for month, count in counts.items() if month < first)
    for month in range(first, last + 1):
        tables += counts[month]
        yield month, tables


def _month(timestamp_ms: int) -> int:
    """Months since the year 0; 0 for a timestamp outside the calendar."""
    try:
        moment = _EPOCH + timedelta(milliseconds=timestamp_ms)
    except OverflowError:
        moment = _EPOCH
    return moment.year * 12 + moment.month - 1
