"""The targets of plans: a client that works, a protocol not to exceed, features to drop, or several of these."""

from __future__ import annotations

import re
from typing import Any

import attrs

from deltaresolver.clients.asked import AskedClient, ask
from deltaresolver.clients.catalogue import ClientAtVersion
from deltaresolver.clients.evidence import Act
from deltaresolver.clients.verdict import Verdict
from deltaresolver.clients.verdicts import ClientKnowledge
from deltaresolver.errors import PlanTargetError
from deltaresolver.model.catalog import FeatureCatalog
from deltaresolver.model.protocol import (
    READER_VERSION_WITH_FEATURE_LIST,
    WRITER_VERSION_WITH_FEATURE_LIST,
    Protocol,
)
from deltaresolver.planning.state import PlanState
from deltaresolver.resolution.prepared import prepare
from deltaresolver.value import Printable, Value

_ACTS = {
    "open": (Act.OPEN,),
    "read": (Act.READ,),
    "append": (Act.READ, Act.APPEND),
    "write": (Act.READ, Act.APPEND),
}
_HIGHEST = (READER_VERSION_WITH_FEATURE_LIST, WRITER_VERSION_WITH_FEATURE_LIST)
_PROTOCOL = re.compile(r"\(?\s*(\d+)\s*,\s*(\d+)\s*\)?")


@attrs.frozen(slots=True, eq=False)
class ClientTarget(Printable):
    """A client must be able to do its acts on every path that counts for it; to append, it must also read."""

    client: AskedClient
    acts: tuple[Act, ...]

    @property
    def release(self) -> ClientAtVersion:
        """Its release, with the preferred path."""
        return self.client.release

    def verdicts(self, state: PlanState) -> tuple[Verdict, ...]:
        """The verdicts of the release on a table in this state, act by act."""
        needs = state.needs
        return tuple(self.client.verdict(needs, act) for act in self.acts)

    def is_met(self, state: PlanState) -> bool:
        """Whether the verdict on every act is that it works."""
        return all(verdict.works for verdict in self.verdicts(state))

    def __str__(self) -> str:
        return f"{self.client} can {self.acts[-1].value}"


@attrs.frozen(slots=True)
class ProtocolTarget(Value):
    """A protocol not to exceed: every client that can use a table with it can use this one."""

    protocol: Protocol

    def is_met(self, state: PlanState) -> bool:
        """Whether no version is higher, and the protocol supports every feature of the table."""
        mine, wanted = state.protocol, self.protocol
        return (
            mine.min_reader_version <= wanted.min_reader_version
            and mine.min_writer_version <= wanted.min_writer_version
            and not self.beside(state)
        )

    def beside(self, state: PlanState) -> frozenset[str]:
        """The features that the table supports and the protocol does not."""
        mine, wanted = state.protocol, self.protocol
        supported = prepare(state.catalog).supported
        beside = (supported(mine) | mine.listed_features) - supported(wanted) - wanted.listed_features
        unread = (
            mine.reader_feature_names - wanted.reader_feature_names if wanted.lists_reader_features else frozenset()
        )
        return beside | unread

    def __str__(self) -> str:
        return f"protocol {self.protocol} at most"


@attrs.frozen(slots=True)
class WithoutFeature(Value):
    """The table no longer supports a feature."""

    feature: str

    def is_met(self, state: PlanState) -> bool:
        """Whether the feature is not supported."""
        return self.feature not in state.supported

    def __str__(self) -> str:
        return f"without {self.feature}"


@attrs.frozen(slots=True)
class Purged(Value):
    """No file has a deletion vector; later commits may add some again."""

    def is_met(self, state: PlanState) -> bool:
        """Whether no file has one."""
        return not any(file.deletion_vector is not None for file in state.examples)

    def __str__(self) -> str:
        return PURGED


PURGED = "purged"
Goal = ClientTarget | ProtocolTarget | WithoutFeature | Purged


@attrs.frozen(slots=True)
class Target(Value):
    """Goals that must all be met."""

    goals: tuple[Goal, ...]

    def is_met(self, state: PlanState) -> bool:
        """Whether every goal is met."""
        return all(goal.is_met(state) for goal in self.goals)

    def __str__(self) -> str:
        return ", ".join(map(str, self.goals))


def read_target(target: Any, catalog: FeatureCatalog, knowledge: ClientKnowledge) -> Target:
    """Read what a user wrote: `trino@468`, `trino@468:read`, `1,2`, (1, 2), a Protocol, `-deletionVectors`, or several.

    `purged` wants files without deletion vectors. A feature's bare name drops it too. Raises `PlanTargetError`, and for
    clients what `ClientCatalogue.parse` raises.
    """
    if isinstance(target, Target):
        return target
    if isinstance(target, (list, tuple)) and not _is_pair(target):
        goals = tuple(goal for one in target for goal in read_target(one, catalog, knowledge).goals)
        if not goals:
            raise PlanTargetError("No target was given.", fix="Name a client, a protocol or a feature to drop.")
        _ensure_consistent(goals, catalog)
        return Target(goals)
    return Target((_goal(target, catalog, knowledge),))


def _is_pair(target: Any) -> bool:
    return isinstance(target, tuple) and len(target) == 2 and all(isinstance(one, int) for one in target)


def _goal(target: Any, catalog: FeatureCatalog, knowledge: ClientKnowledge) -> Goal:
    if isinstance(target, (ClientTarget, ProtocolTarget, WithoutFeature, Purged)):
        return target
    if isinstance(target, Protocol):
        return _protocol_target(target)
    if isinstance(target, tuple):
        return _protocol_target(Protocol.of(*target))
    if not isinstance(target, str) or not target.strip():
        raise PlanTargetError(
            f"{target!r} is not a valid target of a plan.",
            fix="Name a client, a protocol such as 1,2, or a feature to drop.",
        )
    text = target.strip()
    if text == PURGED:
        return Purged()
    pair = _PROTOCOL.fullmatch(text)
    if pair:
        return _protocol_target(Protocol.of(int(pair[1]), int(pair[2])))
    feature = catalog.find(text.removeprefix("-"))
    if text.startswith("-") or (feature is not None and "@" not in text):
        return without_feature(text.removeprefix("-"), catalog)
    return client_target(text, knowledge)


def _protocol_target(protocol: Protocol) -> ProtocolTarget:
    """The target not to exceed a protocol. Raises `PlanTargetError` for versions that do not exist."""
    reader, writer = protocol.min_reader_version, protocol.min_writer_version
    if not (1 <= reader <= _HIGHEST[0] and 1 <= writer <= _HIGHEST[1]):
        raise PlanTargetError(
            f"There is no protocol ({reader}, {writer}): reader versions end at {_HIGHEST[0]}, writer versions at "
            f"{_HIGHEST[1]}.",
            fix="Name the reader and the writer version not to exceed, such as 1,2.",
            details={"reader_version": reader, "writer_version": writer},
        )
    return ProtocolTarget(protocol)


def without_feature(name: str, catalog: FeatureCatalog) -> WithoutFeature:
    """The target of dropping a feature. Raises `PlanTargetError` for one that nothing declares."""
    feature = catalog.find(name)
    if feature is not None:
        return WithoutFeature(feature.name)
    near = catalog.closest(name)
    raise PlanTargetError(
        f"No feature is called {name!r}, so it cannot be dropped.",
        fix=f"Did you mean {near}?" if near else "List the known ones with `deltaresolver features`.",
        details={"feature": name, "closest": near},
    )


def client_target(text: str, knowledge: ClientKnowledge) -> ClientTarget:
    """`trino@468` appends, `trino@468:read` only reads. Raises what `ClientCatalogue.parse` raises."""
    name, colon, act = text.rpartition(":")
    if not colon:
        name, act = text, "append"
    if act not in _ACTS:
        raise PlanTargetError(
            f"{act!r} is not something that a client does with a table.",
            fix=f"Write {name}:read, {name}:append or {name}:open.",
            details={"act": act},
        )
    return ClientTarget(ask(name, knowledge), _ACTS[act])


def _ensure_consistent(goals: tuple[Goal, ...], catalog: FeatureCatalog) -> None:
    """Raise `PlanTargetError` if one goal requires what another forbids."""
    gone = {goal.feature for goal in goals if isinstance(goal, WithoutFeature)}
    prepared = prepare(catalog)
    protocols = [goal.protocol for goal in goals if isinstance(goal, ProtocolTarget)]
    if len(set(protocols)) > 1:
        told = " and ".join(map(str, protocols))
        raise PlanTargetError(
            f"A table has one protocol, not {told}.",
            fix="Name the protocol that you want.",
            details={"protocols": [protocol.to_json() for protocol in protocols]},
        )
    for protocol in protocols:
        both = sorted(gone & prepared.known(protocol.listed_features))
        if both:
            raise PlanTargetError(
                f"{', '.join(both)} cannot be both dropped and part of the protocol you asked for.",
                fix="Choose one of the two.",
                details={"features": both},
            )
