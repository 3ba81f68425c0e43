"""The impact of a change of a table's demands: the clients that lose an act, and those that gain one."""

from __future__ import annotations

import enum
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

import attrs

from deltaresolver.clients.catalogue import ClientAtVersion
from deltaresolver.clients.evidence import Act, Outcome
from deltaresolver.clients.measured.other_releases import releases_that_work
from deltaresolver.clients.shipped import default_knowledge
from deltaresolver.clients.table_facts import NOTHING_KNOWN, TableFacts, facts_after
from deltaresolver.clients.table_needs import TableNeeds
from deltaresolver.clients.verdict import Verdict
from deltaresolver.clients.verdicts import ClientKnowledge
from deltaresolver.defaults import default_catalog
from deltaresolver.model.catalog import FeatureCatalog
from deltaresolver.model.metadata import Metadata
from deltaresolver.model.protocol import Protocol
from deltaresolver.resolution.instructions import without_instructions
from deltaresolver.transaction.alter.announce import announce_upgrade
from deltaresolver.value import Value


class Direction(enum.Enum):
    """Whether a client is worse or better off."""

    LOSS = "loss"
    GAIN = "gain"


@attrs.frozen(slots=True)
class Change(Value):
    """One act of one client with different verdicts before and after.

    `would_do` names releases of the same client that work on the table with the worse verdict, nearest first.
    """

    client: str
    act: Act
    direction: Direction
    better: Verdict
    worse: Verdict
    would_do: tuple[str, ...] = ()

    @property
    def before(self) -> Verdict:
        """The verdict before the change."""
        return self.better if self.direction is Direction.LOSS else self.worse

    @property
    def after(self) -> Verdict:
        """The verdict after the change."""
        return self.worse if self.direction is Direction.LOSS else self.better

    @property
    def feature(self) -> str | None:
        """The feature that makes the difference, if there is one."""
        return self.worse.feature

    def to_json(self) -> dict[str, Any]:
        """The value as plain data for JSON."""
        return {
            "client": self.client,
            "act": self.act.value,
            "direction": self.direction.value,
            "before": self.before.to_json(),
            "after": self.after.to_json(),
            "feature": self.feature,
            "would_do": list(self.would_do),
        }


@attrs.frozen(slots=True)
class Impact(Value):
    """All changes, the most dangerous first, and the clients that were asked about."""

    changes: tuple[Change, ...]
    clients: tuple[str, ...] = ()
    still_wrong: tuple[tuple[str, Verdict], ...] = ()
    """Clients that are silently wrong both before and after, which is not a change, with the verdict."""

    @property
    def losses(self) -> tuple[Change, ...]:
        """The changes for the worse."""
        return tuple(change for change in self.changes if change.direction is Direction.LOSS)

    @property
    def gains(self) -> tuple[Change, ...]:
        """The changes for the better."""
        return tuple(change for change in self.changes if change.direction is Direction.GAIN)

    @property
    def silently_wrong(self) -> tuple[Change, ...]:
        """The losses that give no error: the client will be silently wrong."""
        return tuple(change for change in self.losses if change.worse.outcome is Outcome.SILENTLY_WRONG)

    def broken(self, required: Iterable[str]) -> tuple[Change, ...]:
        """The losses of these clients, named such as `trino@468`, with or without a path."""
        wanted = set(required)
        return tuple(change for change in self.losses if wanted & {change.client, _without_path(change.client)})

    def to_json(self) -> dict[str, Any]:
        """The value as plain data for JSON, in the form that `--json` prints."""
        return {
            "clients": list(self.clients),
            "silently_wrong": [change.to_json() for change in self.silently_wrong],
            "losses": [change.to_json() for change in self.losses],
            "gains": [change.to_json() for change in self.gains],
            "still_wrong": [verdict.to_json() for _, verdict in self.still_wrong],
        }


def _without_path(name: str) -> str:
    client, at, version = name.partition("@")
    return client.partition("/")[0] + at + version


def impact(
    before: TableNeeds,
    after: TableNeeds,
    clients: Iterable[str | ClientAtVersion] | None = None,
    knowledge: ClientKnowledge | None = None,
    *,
    find_releases: bool = True,
) -> Impact:
    """Which acts of which clients get worse or better; every known client's newest release unless named.

    `find_releases` also looks for releases that work, which takes longer than all the rest.
    Raises what `ClientCatalogue.parse` raises for a client written as text.
    """
    known = default_knowledge() if knowledge is None else knowledge
    releases = chosen_clients(clients, known)
    changes = [
        _with_releases(change, release, before, after, known) if find_releases else change
        for release in releases
        for change in _changes(release, before, after, known)
    ]
    still = ((str(one), wrong) for one in releases for wrong in _still_wrong(one, before, after, known))
    return Impact(tuple(sorted(changes, key=_danger)), tuple(str(release) for release in releases), tuple(still))


def chosen_clients(
    clients: Iterable[str | ClientAtVersion] | None, knowledge: ClientKnowledge
) -> tuple[ClientAtVersion, ...]:
    """The releases of these clients; without any, the newest known release of every client.

    A client without a path counts with each of its paths, because a job may use another than the usual one.
    """
    asked = knowledge.catalogue.clients if clients is None else clients
    found = (
        release
        for client in asked
        for release in (_by_every_path(client, knowledge) if isinstance(client, str) else (client,))
    )
    return tuple({str(release): release for release in found}.values())


def _by_every_path(spec: str, knowledge: ClientKnowledge) -> Iterator[ClientAtVersion]:
    usual = knowledge.catalogue.parse(spec)
    yield usual
    if "/" not in spec.partition("@")[0]:
        yield from (attrs.evolve(usual, path=path) for path in usual.client.paths if path != usual.path)


def _changes(
    release: ClientAtVersion, before: TableNeeds, after: TableNeeds, knowledge: ClientKnowledge
) -> Iterable[Change]:
    for act in Act:
        asked = knowledge.inquiry(release, act)
        was, will_be = asked.verdict(before.demands), asked.verdict(after.demands)
        if was.outcome is will_be.outcome:
            continue
        loss = was.outcome < will_be.outcome
        worse, better = (will_be, was) if loss else (was, will_be)
        yield Change(str(release), act, Direction.LOSS if loss else Direction.GAIN, better, worse)


def _still_wrong(
    release: ClientAtVersion, before: TableNeeds, after: TableNeeds, knowledge: ClientKnowledge
) -> Iterator[Verdict]:
    for act in Act:
        asked = knowledge.inquiry(release, act)
        will_be = asked.verdict(after.demands)
        wrong = will_be.outcome is Outcome.SILENTLY_WRONG
        if wrong and asked.verdict(before.demands).outcome is Outcome.SILENTLY_WRONG:
            yield will_be


def _with_releases(
    change: Change, release: ClientAtVersion, before: TableNeeds, after: TableNeeds, knowledge: ClientKnowledge
) -> Change:
    """The change with the releases that work on the table with the worse verdict."""
    if change.worse.outcome is Outcome.UNKNOWN:
        return change
    needs = after if change.direction is Direction.LOSS else before
    return attrs.evolve(change, would_do=releases_that_work(release, needs, change.act, knowledge))


def _danger(change: Change) -> tuple[Any, ...]:
    severity = (Outcome.SILENTLY_WRONG, Outcome.REFUSES, Outcome.UNKNOWN, Outcome.WORKS).index(change.worse.outcome)
    return change.direction is Direction.GAIN, severity, change.client, list(Act).index(change.act)


def needs_after_setting(
    protocol: Protocol,
    metadata: Metadata,
    properties: Mapping[str, str],
    facts: TableFacts = NOTHING_KNOWN,
    catalog: FeatureCatalog | None = None,
) -> TableNeeds:
    """The needs of a table after `ALTER TABLE ... SET TBLPROPERTIES` with these properties.

    Raises what `announce_upgrade` raises.
    """
    known = default_catalog() if catalog is None else catalog
    asked = metadata.with_configuration({**metadata.configuration, **properties})
    resolution = announce_upgrade(metadata, asked, protocol, known)
    kept = asked.with_configuration(without_instructions(asked.configuration))
    held = facts_after(facts, protocol, resolution.protocol, metadata, kept)
    return TableNeeds.of(resolution.protocol, kept, held, known)


@attrs.frozen(slots=True)
class LakeImpact(Value):
    """The impact on many tables: each distinct impact once, with the number of tables it applies to."""

    tables: int
    impacts: tuple[tuple[Impact, int], ...]

    def losing_tables(self) -> Mapping[tuple[str, Act, Outcome], int]:
        """The number of tables that each client can no longer open, read or append to, by act and outcome."""
        found: Counter[tuple[str, Act, Outcome]] = Counter()
        for one, tables in self.impacts:
            for change in one.losses:
                found[change.client, change.act, change.worse.outcome] += tables
        return found


def impact_over(
    tables: Iterable[tuple[TableNeeds, TableNeeds]],
    clients: Iterable[str | ClientAtVersion] | None = None,
    knowledge: ClientKnowledge | None = None,
) -> LakeImpact:
    """The impact on many tables, given the needs of each before and after; equal needs are judged once.

    Releases that work are not looked for; `impact` finds them for single tables.
    """
    known = default_knowledge() if knowledge is None else knowledge
    releases = chosen_clients(clients, known)
    counted = Counter(tables)
    impacts = tuple((impact(*pair, releases, known, find_releases=False), count) for pair, count in counted.items())
    return LakeImpact(sum(counted.values()), impacts)
