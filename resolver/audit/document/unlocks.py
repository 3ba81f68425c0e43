"""The few changes after which a client can use most tables: a newer release of it, or steps, the best first."""

from __future__ import annotations

import shlex
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator

import attrs

from deltaresolver.audit.document.document import Unlock, UnlockStep
from deltaresolver.model.audit_table import Blocked, TableAudit
from deltaresolver.resolution.explain.phrases import counted, listing

MAX_STEPS = 8
SHOWN_LOCATIONS = 20
_Asked = tuple[str, str]
_Changes = frozenset[str]


@attrs.define(eq=False)
class _Waiting:
    """Tables that a client can use after the same plan, and its cost for all of them."""

    changes: tuple[str, ...]
    tables: int = 0
    truncated: int = 0
    files: int = 0
    bytes: int = 0
    locations: list[str] = attrs.field(factory=list)
    command: str | None = None
    """The command of the first table, with `{table}` for its name; it names the clients that must keep their acts."""

    def add(self, one: Blocked, location: str) -> None:
        self.tables += 1
        self.truncated += one.truncates
        self.files += one.files
        self.bytes += one.bytes
        if self.command is None and one.command is not None:
            self.command = one.command.replace(shlex.quote(location), "{table}", 1)
        if len(self.locations) < SHOWN_LOCATIONS:
            self.locations.append(location)


@attrs.define(eq=False)
class UnlockTally:
    """For each release and act asked about, the tables it cannot use yet, grouped by the plan that changes that."""

    readable: Counter[_Asked] = attrs.field(factory=Counter)
    """The number of readable tables for which this act of the release was asked about."""
    locked_out: Counter[_Asked] = attrs.field(factory=Counter)
    waiting: dict[_Asked, dict[_Changes, _Waiting]] = attrs.field(factory=lambda: defaultdict(dict))
    upgrades: dict[_Asked, dict[str, _Waiting]] = attrs.field(factory=lambda: defaultdict(dict))

    def add(self, table: TableAudit, asked_of: Iterable[_Asked]) -> None:
        """Count one table, with the releases and acts asked about for it."""
        self.readable.update(asked_of)
        for one in table.blocked:
            asked = (one.release, one.act)
            self.locked_out[asked] += 1
            if one.command is not None:
                group = self.waiting[asked].setdefault(frozenset(one.changes), _Waiting(one.changes))
                group.add(one, table.location)
            if one.upgrade is not None:
                self.upgrades[asked].setdefault(one.upgrade, _Waiting(())).add(Blocked("", "", "", ""), table.location)

    def unlocks(self, releases: tuple[str, ...]) -> tuple[Unlock, ...]:
        """For each release and act asked about, reading first."""
        every = ((release, act) for release in releases for act in ("read", "append"))
        return tuple(self._unlock(asked) for asked in every if self.readable[asked])

    def _unlock(self, asked: _Asked) -> Unlock:
        readable = self.readable[asked]
        locked_out = self.locked_out[asked]
        steps = tuple(self._steps(asked))
        opened = steps[-1].unlocked_so_far if steps else 0
        return Unlock(*asked, readable - locked_out, locked_out, steps, locked_out - opened, self._upgrade(asked))

    def _upgrade(self, asked: _Asked) -> UnlockStep | None:
        found = self.upgrades.get(asked)
        if not found:
            return None
        version, group = max(found.items(), key=lambda item: item[1].tables)
        client, _, now = asked[0].partition("@")
        return UnlockStep(
            title=f"Upgrade {client} {now} to {version}.".replace("  ", " "),
            tables=0,
            unlocked=group.tables,
            unlocked_so_far=group.tables,
            locations=tuple(group.locations),
            price="0 bytes",
        )

    def _steps(self, asked: _Asked) -> Iterator[UnlockStep]:
        """Greedy: each step takes the changes that make the most tables usable per change."""
        left = dict(self.waiting.get(asked, {}))
        done: _Changes = frozenset()
        so_far = 0
        for _ in range(MAX_STEPS):
            if not left:
                return
            more = _best(left, done)
            done |= more
            groups = [left.pop(changes) for changes in list(left) if changes <= done]
            so_far += sum(group.tables for group in groups)
            yield _step(groups, so_far)


def _step(groups: list[_Waiting], so_far: int) -> UnlockStep:
    """Make the step from its groups of tables; one of the groups has every change of the step."""
    largest = max(groups, key=lambda group: len(group.changes))
    opened = sum(group.tables for group in groups)
    told = listing(largest.changes)
    dropped = [change.removeprefix("drop ") for change in largest.changes if change.startswith("drop ")]
    return UnlockStep(
        title=f"{told[:1].upper()}{told[1:]}.",
        tables=opened,
        unlocked=opened,
        unlocked_so_far=so_far,
        command=largest.command,
        feature=dropped[0] if len(largest.changes) == len(dropped) == 1 else None,
        locations=tuple(location for group in groups for location in group.locations)[:SHOWN_LOCATIONS],
        price=_price(groups),
    )


def _price(groups: list[_Waiting]) -> str:
    files, size = sum(one.files for one in groups), sum(one.bytes for one in groups)
    truncated = sum(one.truncated for one in groups)
    told = [f"rewrites {counted(files, 'file')}, {size:,} bytes" if files else "0 bytes"]
    if truncated:
        told.append(
            f"the history of {counted(truncated, 'table')} is lost, after a wait of 24 hours (unless set otherwise)"
        )
    return ", ".join(told)


def _best(left: dict[_Changes, _Waiting], done: _Changes) -> _Changes:
    return min(left, key=lambda one: (-_opened(left, done | one) / len(one - done), sorted(one)))


def _opened(left: dict[_Changes, _Waiting], done: _Changes) -> int:
    return sum(group.tables for changes, group in left.items() if changes <= done)
