"""Advice: a plan made for one table, at no step of which a client that matters loses anything.

The clients that matter are those somebody named; where nobody named any, the newest known release of every client,
each on all its paths. Advice that would take an act from one of them is not given, and neither is advice that cannot
be carried out.
"""

from __future__ import annotations

import shlex
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import partial

import attrs

from deltaresolver.clients.asked import AskedClient
from deltaresolver.clients.evidence import Act
from deltaresolver.clients.measured.other_releases import known_releases
from deltaresolver.clients.table_facts import facts_after
from deltaresolver.clients.table_needs import TableNeeds
from deltaresolver.clients.verdicts import ClientKnowledge
from deltaresolver.errors import DeltaResolverError
from deltaresolver.model.protocol import Protocol
from deltaresolver.planning.commits import guarded_clients
from deltaresolver.planning.kept_acts import NEWEST, KeptActs, kept_clients
from deltaresolver.planning.lake.storage_words import storage_words
from deltaresolver.planning.plan import Plan
from deltaresolver.planning.search import Limits
from deltaresolver.planning.state import PlanState
from deltaresolver.planning.steps import Cost, StepKind
from deltaresolver.planning.targets import Target, WithoutFeature, client_target
from deltaresolver.planning.ways import Ways
from deltaresolver.resolution.explain.phrases import counted, listing, pair
from deltaresolver.resolution.prepared import prepare
from deltaresolver.table import Table
from deltaresolver.value import Printable

QUICK = Limits(states=2_000, seconds=2.0)
"""An audit asks for many plans; one that takes longer to find is not offered."""
_WORDS = {
    StepKind.UNSET: "unset",
    StepKind.ADD: "add",
    StepKind.DROP: "drop",
    StepKind.DROP_TRUNCATING: "drop",
    StepKind.DROP_REWRITING: "drop",
}


@attrs.frozen(slots=True, eq=False)
class Advice(Printable):
    """A plan that takes nothing from a client that matters, and the command that carries it out."""

    plan: Plan
    command: str

    @property
    def changes(self) -> tuple[str, ...]:
        """Its steps without their prices, such as `drop v2Checkpoint`."""
        return tuple(
            f"{_WORDS[step.kind]} {', '.join(step.names)}" if step.kind in _WORDS else step.title
            for step in self.plan.steps
        )

    @property
    def title(self) -> str:
        """The steps in one sentence, with their price."""
        told = listing(self.changes)
        return f"{told[:1].upper()}{told[1:]} ({', '.join(self.price)})."

    @property
    def price(self) -> tuple[str, ...]:
        """What it costs, in words."""
        return price_of(self.plan.cost, rewrites=any(step.kind.rewrites for step in self.plan.steps))

    @property
    def protocol(self) -> Protocol:
        """The protocol after the plan."""
        return self.plan.end.protocol


def price_of(cost: Cost, *, rewrites: bool) -> tuple[str, ...]:
    """The cost of all steps together, in words."""
    told = [f"rewrites {counted(cost.files, 'file')}, {cost.bytes:,} bytes"] if rewrites else []
    if cost.truncations:
        told.append("the history before it is lost, after a wait of 24 hours or what the table sets")
    return tuple(told) or ("metadata only, 0 bytes, history stays",)


@attrs.frozen(slots=True, eq=False)
class Adviser(Printable):
    """Finds advice. `clients` are those somebody named, as `--keep` of `deltaresolver plan` takes them.

    `storage` are the options with which tables are reached; commands name those that are not secret.
    """

    knowledge: ClientKnowledge
    clients: tuple[str, ...] = ()
    storage: Mapping[str, str] = attrs.field(factory=dict, repr=False)
    _kept_on: dict[tuple[TableNeeds, tuple[str, ...]], KeptActs] = attrs.field(factory=dict, init=False)
    _plain_changes: set[tuple[object, ...]] = attrs.field(factory=set, init=False)
    _ways: Ways = attrs.field(init=False)

    @_ways.default
    def _no_ways_yet(self) -> Ways:
        return Ways(QUICK)

    @property
    def keep(self) -> tuple[str, ...]:
        """The clients that matter."""
        return self.clients or (NEWEST,)

    def needs_files(self, state: PlanState) -> bool:
        """Whether advice on a table may depend on its files; `state` is the table without them."""
        return self._ways.needs_files(state)

    def without(self, state: PlanState, features: Iterable[str]) -> Advice | None:
        """A plan that drops these features."""
        names = sorted(features)
        if not names:
            return None
        target = Target(tuple(WithoutFeature(name) for name in names))
        return self._advice(state, target, *_dropping(names))

    def open_to(self, state: PlanState, client: str, act: Act) -> Advice | None:
        """A plan for a client to read a table, or read and append. Raises what `ClientCatalogue.parse` raises."""
        target = client_target(f"{client}:{act.value}", self.knowledge)
        if not self._ways.may_be_met(state, Target((target,))):
            return None
        asked = f"--client {shlex.quote(f'{client}:{act.value}')}"
        found = self._advice(state, Target((target,)), asked)
        if found is None:
            return None
        # The features to drop are named: a plan made again half-way might choose others that suit the client as well.
        gone = sorted(state.supported - found.plan.end.supported)
        return attrs.evolve(found, command=self._command(state, asked, *_dropping(gone))) if gone else found

    def lower(
        self,
        state: PlanState,
        unused: Iterable[str],
        without: Callable[[Iterable[str]], Advice | None] | None = None,
    ) -> Advice | None:
        """A plan that drops as many unused features as possible, so that the protocol becomes lower.

        `without` returns the plans for this state, where the caller has kept them.
        """
        without = without or partial(self.without, state)
        names = sorted(set(unused) & state.supported)
        found = without(names)
        if found is None:
            gone: list[str] = []
            for name in names:
                more = without([*gone, name])
                gone, found = ([*gone, name], more) if more is not None else (gone, found)
        return found if found is not None and is_lower(found.protocol, state) else None

    def down(self, state: PlanState) -> Advice | None:
        """The plan to the lowest protocol that can be reached, also by unsetting properties that enable features."""
        removable = [name for name in sorted(state.supported) if _is_removable(state, name)]
        return self.lower(state, removable)

    def asking(self, found: Advice) -> str:
        """The command that shows a plan found by `down` without carrying it out."""
        path, keep = shlex.quote(found.plan.start.location or "PATH"), " ".join(f"--keep {name}" for name in self.keep)
        keep += storage_words(found.plan.start.location, self.storage)
        protocol = found.protocol
        if protocol.lists_writer_features:
            gone = sorted(found.plan.start.supported - found.plan.end.supported)
            return f"deltaresolver plan {path} {' '.join(_dropping(gone))} {keep}"
        return (
            f"deltaresolver plan {path} --protocol {protocol.min_reader_version},{protocol.min_writer_version} {keep}"
        )

    def altered(
        self,
        table: Callable[[], Table],
        state: PlanState,
        to_set: Mapping[str, str],
        unset: Iterable[str],
        add: Iterable[str],
        *,
        is_sound: bool = False,
    ) -> str | None:
        """The command that changes properties or adds features, if that can be done and takes nothing from a client.

        `is_sound`: nothing in the table's log is damaged, so that an answer for a similar table holds for it too.
        """
        unset, add = tuple(unset), tuple(add)
        kind = (*state.kind, frozenset(to_set.items()), unset, add)
        if not is_sound or kind not in self._plain_changes:
            try:
                outcome = table().alter(to_set, unset, add, dry_run=True)
            except DeltaResolverError:
                return None
            if unset and not to_set and not add and outcome.after != outcome.before:
                return None  # a command that unsets properties must not change the protocol
            metadata = state.metadata.with_configuration(outcome.properties_after)
            facts = facts_after(state.facts, outcome.before, outcome.after, state.metadata, metadata)
            after = TableNeeds.of(outcome.after, metadata, facts, state.catalog)
            if any(self._kept(state).losses(after)):
                return None
            if outcome.before == outcome.after and len(outcome.commits) == 1:
                # It enables nothing, so the table's files do not matter.
                self._plain_changes.add(kind)
        words = [f"--set {shlex.quote(f'{key}={value}')}" for key, value in to_set.items()]
        words += [f"--unset {shlex.quote(key)}" for key in unset]
        words += [f"--add-feature {shlex.quote(name)}" for name in add]
        reached = storage_words(state.location, self.storage)
        return f"deltaresolver alter {shlex.quote(state.location or 'PATH')} {' '.join(words)}{reached}"

    def unsetting(self, location: str, table: Table, keys: Sequence[str]) -> str | None:
        """The command that unsets properties that make it impossible to work out a table's demands.

        None where it cannot be done, or would change the protocol.
        """
        try:
            outcome = table.alter({}, keys, dry_run=True)
        except DeltaResolverError:
            return None
        if outcome.after != outcome.before:
            return None
        words = " ".join(f"--unset {shlex.quote(key)}" for key in keys)
        return f"deltaresolver alter {shlex.quote(location)} {words}{storage_words(location, self.storage)}"

    def gains(self, found: Advice, client: AskedClient) -> tuple[str, ...]:
        """The acts that a client can do afterwards and could not do before."""
        before, after = found.plan.start.needs, found.plan.end.needs
        acts = (act for act in (Act.READ, Act.APPEND) if not client.verdict(before, act).works)
        return tuple(f"{client} can {act.value}" for act in acts if client.verdict(after, act).works)

    def _kept(self, state: PlanState) -> KeptActs:
        needs, guarded = state.needs, guarded_clients(state.metadata)
        found = self._kept_on.get((needs, guarded))
        if found is None:
            kept = kept_clients((*self.keep, *guarded), self.knowledge).on(needs)
            found = self._kept_on[needs, guarded] = kept
        return found

    def _advice(self, state: PlanState, target: Target, *options: str) -> Advice | None:
        way = self._ways.find(state, target, self._kept(state))
        if way is None or not way.steps:
            return None
        return Advice(Plan(target, state, way.end, way.steps), self._command(state, *options))

    def _command(self, state: PlanState, *options: str) -> str:
        keep = (f"--keep {shlex.quote(name)}" for name in self.keep)
        told = " ".join(("deltaresolver plan", shlex.quote(state.location or "PATH"), *options, *keep, "--apply"))
        return told + storage_words(state.location, self.storage)


def _dropping(names: Iterable[str]) -> Iterator[str]:
    return (f"--drop-feature {shlex.quote(name)}" for name in names)


def is_lower(protocol: Protocol, state: PlanState) -> bool:
    """Whether a protocol demands less than that of a state: no version is higher, and a version or feature is gone."""
    now = state.protocol
    higher = (
        protocol.min_reader_version > now.min_reader_version or protocol.min_writer_version > now.min_writer_version
    )
    supported = prepare(state.catalog).supported
    return not higher and protocol != now and (supported(protocol) | protocol.listed_features) <= state.supported


def newer_release_that_works(client: AskedClient, needs: TableNeeds, act: Act) -> str | None:
    """The newest known release of a client, if it is newer and the act works on every path for such a table."""
    versions = known_releases(client.release.client, client.release.path, client.knowledge)
    newest = max(versions, default=client.release.version)
    if not client.release.version < newest:
        return None
    newer = AskedClient(tuple(attrs.evolve(one, version=newest) for one in client.releases), client.knowledge)
    return str(newest) if newer.verdict(needs, act).works else None


def way_down(found: Advice) -> str:
    """One sentence: from where to where, by which steps, at what price."""
    return way_of(found.plan)


def way_of(found: Plan) -> str:
    """One sentence about a way: from where to where, by which steps, at what price."""
    advice = Advice(found, "")
    start, end = pair(found.start.protocol), pair(found.end.protocol)
    return f"{start} -> {end}: {listing(advice.changes)} ({', '.join(advice.price)})"


def _is_removable(state: PlanState, name: str) -> bool:
    feature = state.catalog.find(name)
    return feature is not None and feature.is_removable
