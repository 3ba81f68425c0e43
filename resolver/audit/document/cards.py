"""Cards: each is one thing to do for many tables; the most urgent comes first.

A card is of one of four kinds, in this order: a client goes silently wrong; a client that was asked about is locked
out; something is damaged or soon will be; something can be gained cheaply. Cards with a command can be carried out
for all of their tables at once, `deltaresolver plan --from audit.json --card N --apply`. No client that was asked
about loses anything by a card: only such plans are looked for.
"""

from __future__ import annotations

import hashlib
import shlex
from collections import Counter
from collections.abc import Iterator
from functools import lru_cache

import attrs

from deltaresolver.audit.document.document import Card
from deltaresolver.audit.scan.rule_set import default_rules
from deltaresolver.model.audit_finding import SILENTLY_WRONG, Finding, Severity
from deltaresolver.model.audit_rule import AuditRule
from deltaresolver.model.audit_table import Blocked, NextStep, TableAudit
from deltaresolver.resolution.explain.phrases import counted, listing

SHOWN = 7
"""The number of cards on the first page: as many as a week has days."""
SHOWN_LOCATIONS = 20
_MAX_CARDS = 50
SILENT, LOCKED_OUT, DAMAGE, SAVING = "silent damage", "locked out", "damage to come", "saving"
_KINDS = (SILENT, LOCKED_OUT, DAMAGE, SAVING)
_OF_EACH = {SILENT: 2, LOCKED_OUT: 2, DAMAGE: 2, SAVING: 1}
_GRAVITY = {severity.value: place for place, severity in enumerate(Severity)}
_ABOUT_CLIENTS = frozenset({SILENTLY_WRONG, "client-locked-out"})
_SAVED_BY_WAY_DOWN = frozenset({"unused-feature"})


@attrs.frozen(slots=True)
class Entry:
    """One table's part of a card; entries of equal `key` are one card. `gains`: what clients can do afterwards."""

    kind: str
    title: str
    command: str | None = None
    gains: tuple[str, ...] = ()
    severity: str = Severity.WARNING.value
    link: str = ""
    files: int = 0
    bytes: int = 0
    truncates: bool = False
    is_plan: bool = False
    """Whether it is a plan or an upgrade, which have a price."""

    @property
    def key(self) -> str:
        """Equal for entries with the same action and the same result."""
        return hashlib.sha256("\n".join((self.kind, self.title, str(self.command is None))).encode()).hexdigest()[:12]


def entries_of(table: TableAudit) -> Iterator[Entry]:
    """The entries of a table for cards; each kind of remedy once."""
    for kind in (SILENT, LOCKED_OUT):
        blocked = [one for one in table.blocked if (one.outcome == "silently wrong") is (kind == SILENT)]
        yield from _about_clients(kind, [one for one in blocked if one.outcome != "unknown"])
    for name in table.silently_wrong:
        yield Entry(SILENT, f"Keep {name} away: it reads wrong rows or does damage, without an error.",
                    severity="info", link=f"rule={SILENTLY_WRONG}")  # fmt: skip
    seen: set[str] = set()
    for finding in table.findings:
        if finding.severity > Severity.INFO and finding.rule not in seen | _ABOUT_CLIENTS | _SAVED_BY_WAY_DOWN:
            seen.add(finding.rule)
            yield _of_finding(finding)
    if table.way_down is not None and table.way_down.command is not None:
        yield _of_way_down(table.way_down)


def _of_way_down(step: NextStep) -> Entry:
    return Entry(
        SAVING,
        f"{_without_price(step.title)}: nothing uses it.",
        step.command,
        step.gains,
        link="state=lower",
        files=step.files,
        bytes=step.bytes,
        truncates=step.truncates,
        is_plan=True,
    )


def _about_clients(kind: str, blocked: list[Blocked]) -> Iterator[Entry]:
    """The cheapest remedy for each client: a newer release, a plan, another path, or else not to use the table.

    Clients that the same plan helps share one entry.
    """
    planned: dict[tuple[str, ...], list[Blocked]] = {}
    for release in dict.fromkeys(one.release for one in blocked):
        acts = [one for one in blocked if one.release == release]
        link = f"client={release}&act={acts[0].act}"
        helped = [one for one in acts if one.command is not None]
        if all(one.upgrade is not None for one in acts):
            newest = acts[-1].upgrade
            client, _, now = release.partition("@")
            gains = (f"{client}@{newest} can {listing(one.act for one in acts)}",)
            yield Entry(kind, f"Upgrade {client} {now} to {newest}.", None, gains, "error", link, is_plan=True)
        elif helped:
            # A plan for appending makes reading possible too, so the one for reading is not needed.
            planned.setdefault(helped[-1].changes, []).extend(helped)
        elif all(one.works_on for one in acts):
            gains = (f"{release} can {listing(one.act for one in acts)}",)
            way = f"Use {release} by its path {' or '.join(acts[-1].works_on)}."
            yield Entry(kind, way, None, gains, "error", link)
        elif kind == SILENT:
            away = f"Keep {release} away: no plan makes these tables safe for it."
            yield Entry(kind, away, None, (), "error", link)
    for changes, helped in planned.items():
        yield _of_plan(kind, changes, helped)


def _of_plan(kind: str, changes: tuple[str, ...], helped: list[Blocked]) -> Entry:
    """A plan that helps several acts, of one client or of several."""
    last = helped[-1]
    acts: dict[str, list[str]] = {}
    for one in helped:
        acts.setdefault(one.release, []).append(one.act)
    gains = tuple(f"{release} can {listing(found)}" for release, found in acts.items())
    link = f"client={helped[0].release}&act={helped[0].act}"
    price = (last.files, last.bytes, last.truncates)
    return Entry(kind, f"{_sentence(changes)}.", last.command, gains, "error", link, *price, is_plan=True)


def _of_finding(finding: Finding) -> Entry:
    rule = _rules().get(finding.rule)
    title = finding.remedy if rule is None else f"{rule.title}. {rule.remedy}"
    return Entry(DAMAGE, title, finding.command, severity=finding.severity.value, link=f"rule={finding.rule}")


@lru_cache(maxsize=1)
def _rules() -> dict[str, AuditRule]:
    return {rule.name: rule for rule in default_rules().rules}


def _without_price(title: str) -> str:
    return title.rpartition(" (")[0] or title.rstrip(".")


def _sentence(changes: tuple[str, ...]) -> str:
    told = listing(changes)
    return f"{told[:1].upper()}{told[1:]}"


@attrs.define(eq=False)
class _Heap:
    """The tables of one card."""

    first: Entry
    tables: int = 0
    files: int = 0
    bytes: int = 0
    truncated: int = 0
    severity: str = "info"
    gains: Counter[str] = attrs.field(factory=Counter)
    owners: Counter[str] = attrs.field(factory=Counter)
    locations: list[str] = attrs.field(factory=list)

    def add(self, entry: Entry, table: TableAudit) -> None:
        self.tables += 1
        self.files += entry.files
        self.bytes += entry.bytes
        self.truncated += entry.truncates
        self.severity = max(self.severity, entry.severity, key=_GRAVITY.__getitem__)
        self.gains.update(entry.gains)
        if table.owner is not None:
            self.owners[table.owner] += 1
        if len(self.locations) < SHOWN_LOCATIONS:
            self.locations.append(table.location)

    def price(self) -> str:
        if not self.first.is_plan:
            return ""
        if self.first.command is None:
            return "0 bytes, no table is touched"
        told = "metadata only, 0 bytes"
        if self.files:
            told = f"rewrites {counted(self.files, 'file')}, {self.bytes:,} bytes"
        if not self.truncated:
            return f"{told}, history stays"
        cut = counted(self.truncated, "table")
        return f"{told}; the history of {cut} is lost, after a wait of 24 hours (unless set otherwise)"


@attrs.define(eq=False)
class CardTally:
    """Add every table once, then ask; what is kept grows with the kinds of things to do."""

    _heaps: dict[str, _Heap] = attrs.field(factory=dict, init=False)

    def add(self, table: TableAudit) -> None:
        """Count one table; a card counts it once."""
        found = {entry.key: entry for entry in entries_of(table)}
        for key, entry in found.items():
            self._heaps.setdefault(key, _Heap(entry)).add(entry, table)

    def cards(self, file: str | None) -> tuple[Card, ...]:
        """The cards, the first to be done first; `file` is where the audit is kept."""
        heaps = sorted(self._heaps.items(), key=lambda item: _urgency(*item))
        chosen = _first_page(heaps)
        rest = [item for item in heaps if item not in chosen]
        return tuple(
            _card(place, key, heap, file) for place, (key, heap) in enumerate((*chosen, *rest)[:_MAX_CARDS], start=1)
        )


def _first_page(heaps: list[tuple[str, _Heap]]) -> list[tuple[str, _Heap]]:
    """At most `SHOWN`: a few of each kind, so that no kind hides the others, then the most urgent of the rest."""
    taken: Counter[str] = Counter()
    chosen = []
    for item in heaps:
        kind = item[1].first.kind
        if taken[kind] < _OF_EACH[kind]:
            taken[kind] += 1
            chosen.append(item)
    chosen += [item for item in heaps if item not in chosen][: SHOWN - len(chosen)]
    return sorted(chosen, key=lambda item: _urgency(*item))


def _urgency(key: str, heap: _Heap) -> tuple[object, ...]:
    kind = heap.first.kind
    # Cards about clients that nobody named come after those about clients that were asked about.
    place = _KINDS.index(LOCKED_OUT) + 0.5 if kind == SILENT and heap.severity == "info" else _KINDS.index(kind)
    return place, -_GRAVITY[heap.severity], -heap.tables, key


def _card(place: int, key: str, heap: _Heap, file: str | None) -> Card:
    command = heap.first.command
    if command is not None and heap.tables > 1:
        command = f"deltaresolver plan --from {shlex.quote(file or 'audit.json')} --card {place} --apply"
    gains = (f"{gain} ({counted(tables, 'table')})" for gain, tables in heap.gains.most_common(5))
    owners = (f"{owner} ({tables:,})" for owner, tables in heap.owners.most_common(5))
    return Card(
        place,
        key,
        heap.first.kind,
        heap.severity,
        heap.first.title,
        heap.tables,
        heap.price(),
        tuple(gains),
        tuple(owners),
        tuple(heap.locations),
        command,
        heap.first.link,
    )
