"""The few changes that would open most tables to a client: one greedy step after the other."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterator

import attrs

from deltaresolver.audit.document.document import Unlock, UnlockStep
from deltaresolver.model.audit_table import TableAudit

MAX_STEPS = 8
SHOWN_LOCATIONS = 20
_Asked = tuple[str, str]
_Drops = frozenset[str]


@attrs.define(eq=False)
class UnlockTally:
    """For each release and act asked about: how many tables wait for which features to go."""

    waiting: dict[_Asked, Counter[_Drops]] = attrs.field(factory=lambda: defaultdict(Counter))
    locations: dict[tuple[_Asked, _Drops], list[str]] = attrs.field(factory=lambda: defaultdict(list))

    def add(self, table: TableAudit) -> None:
        """Count one table."""
        for one in table.blocked:
            asked, drops = (one.release, one.act), frozenset(one.drops)
            self.waiting[asked][drops] += 1
            shown = self.locations[asked, drops]
            if len(shown) < SHOWN_LOCATIONS:
                shown.append(table.location)

    def unlocks(self, releases: tuple[str, ...], readable: int) -> tuple[Unlock, ...]:
        """For each release asked about, reading first; `readable` is how many tables there are to use at all."""
        return tuple(self._unlock((release, act), readable) for release in releases for act in ("read", "append"))

    def _unlock(self, asked: _Asked, readable: int) -> Unlock:
        waiting = self.waiting.get(asked, Counter())
        locked_out = waiting.total()
        steps = tuple(self._steps(asked))
        opened = steps[-1].unlocked_so_far if steps else 0
        return Unlock(*asked, readable - locked_out, locked_out, steps, locked_out - opened)

    def _steps(self, asked: _Asked) -> Iterator[UnlockStep]:
        """At each step drop the features that open most tables for each feature dropped."""
        left = {drops: count for drops, count in self.waiting.get(asked, Counter()).items() if drops}
        dropped: frozenset[str] = frozenset()
        so_far = 0
        for _ in range(MAX_STEPS):
            if not left:
                return
            more = _best(left, dropped) - dropped
            dropped |= more
            opened = [drops for drops in left if drops <= dropped]
            tables = sum(left.pop(drops) for drops in opened)
            so_far += tables
            yield self._step(asked, more, opened, tables, so_far)

    def _step(self, asked: _Asked, more: _Drops, opened: list[_Drops], tables: int, so_far: int) -> UnlockStep:
        names = sorted(more)
        shown = [location for drops in opened for location in self.locations[asked, drops]][:SHOWN_LOCATIONS]
        return UnlockStep(
            title=f"Drop {'feature' if len(names) == 1 else 'features'} {' and '.join(names)}.",
            tables=tables,
            unlocked=tables,
            unlocked_so_far=so_far,
            # A plan also knows the order: what depends on a feature goes before it.
            command=f"deltaresolver plan {{table}} --client {asked[0]}:{asked[1]} --apply",
            feature=names[0] if len(names) == 1 else None,
            locations=tuple(shown),
        )


def _best(left: dict[_Drops, int], dropped: frozenset[str]) -> _Drops:
    return min(left, key=lambda one: (-_opened(left, dropped | one) / len(one - dropped), sorted(one)))


def _opened(left: dict[_Drops, int], dropped: frozenset[str]) -> int:
    return sum(count for drops, count in left.items() if drops <= dropped)
