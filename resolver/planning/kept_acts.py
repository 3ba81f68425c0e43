"""The acts that named clients can do with a table; no step of a plan may take one away."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

import attrs

from deltaresolver.clients.asked import AskedClient, ask, newest_of_all
from deltaresolver.clients.evidence import Act, Outcome
from deltaresolver.clients.table_needs import TableNeeds
from deltaresolver.clients.verdict import Verdict
from deltaresolver.clients.verdicts import ClientKnowledge
from deltaresolver.errors import PlanTargetError
from deltaresolver.planning.state import PlanState
from deltaresolver.value import Printable

NEWEST = "newest"
"""Stands for the newest known release of every client."""
_ACTS = {"read": (Act.READ,), "append": (Act.APPEND,), "write": (Act.APPEND,)}
_EVERY_ACT = (Act.READ, Act.APPEND)


@attrs.frozen(slots=True, eq=False)
class KeptClients(Printable):
    """Clients, each with the acts that it must not lose."""

    clients: tuple[tuple[AskedClient, tuple[Act, ...]], ...]

    def on(self, before: TableNeeds) -> KeptActs:
        """The verdicts on a table with these needs, to compare later ones with."""
        now = [(client, act, client.verdict(before, act).outcome) for client, acts in self.clients for act in acts]
        return KeptActs(tuple(now))


@attrs.frozen(slots=True, eq=False)
class KeptActs(Printable):
    """The verdict on each act of each client for a table as it is."""

    outcomes: tuple[tuple[AskedClient, Act, Outcome], ...]
    _answers: dict[TableNeeds, bool] = attrs.field(factory=dict, init=False)

    def losses(self, after: TableNeeds) -> Iterator[tuple[AskedClient, Act, Verdict]]:
        """The acts that worked and would not any more, and those that would become silently wrong."""
        for client, act, was in self.outcomes:
            if was is Outcome.SILENTLY_WRONG:
                continue
            verdict = client.verdict(after, act)
            lost = was is Outcome.WORKS and not verdict.works
            if lost or verdict.outcome is Outcome.SILENTLY_WRONG:
                yield client, act, verdict

    def gains(self, after: TableNeeds) -> Iterator[tuple[AskedClient, Act]]:
        """The acts that work afterwards and did not before."""
        for client, act, was in self.outcomes:
            if was is not Outcome.WORKS and client.verdict(after, act).works:
                yield client, act

    def allow(self, state: PlanState) -> bool:
        """Whether no client loses an act in a state."""
        needs = state.needs
        found = self._answers.get(needs)
        if found is None:
            found = self._answers[needs] = next(self.losses(needs), None) is None
        return found


def kept_clients(texts: Iterable[str], knowledge: ClientKnowledge) -> KeptClients:
    """`trino@468`, `trino@468:read`, or `newest` for the newest release of every client.

    Raises `PlanTargetError`, and what `ClientCatalogue.parse` raises.
    """
    found: list[tuple[AskedClient, tuple[Act, ...]]] = []
    for text in texts:
        if text == NEWEST:
            found += [(client, _EVERY_ACT) for client in newest_of_all(knowledge)]
            continue
        name, colon, act = text.rpartition(":")
        if colon and act not in _ACTS:
            raise PlanTargetError(
                f"{act!r} in {text!r} is not something that a client does with a table.",
                fix=f"Write {name}:read, {name}:append, {name} for both, or {NEWEST}.",
                details={"keep": text, "act": act},
            )
        found.append((ask(name if colon else text, knowledge), _ACTS[act] if colon else _EVERY_ACT))
    return KeptClients(tuple(found))
