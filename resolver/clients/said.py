"""All claims about one act of one release, before any measurement is used."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from deltaresolver.clients.catalogue import ClientAtVersion
from deltaresolver.clients.claims import Statement
from deltaresolver.clients.client import Delegation
from deltaresolver.clients.evidence import Act, Outcome
from deltaresolver.clients.statements import Statements, worst

HandedOver = Callable[[ClientAtVersion, Act, Delegation, frozenset[str]], Statement | None]
"""Returns the statement of the library beside a release on the demands that the release leaves to it."""


class Said:
    """A release's statements with those of the library beside it; each distinct set of demands is judged once.

    All releases between two measured ones need the statements on those two, so they share this object.
    """

    def __init__(self, release: ClientAtVersion, act: Act, handed_over: HandedOver) -> None:
        self._release = release
        self._act = act
        self._own = Statements(release, act)
        self._handed_over = handed_over
        self._delegations = [one for one in release.client.delegations if one.holds(release.path, act, release.version)]
        self._on: dict[frozenset[str], tuple[Statement, ...]] = {}
        self._certain: dict[frozenset[str], Outcome | None] = {}

    def on(self, demands: frozenset[str]) -> tuple[Statement, ...]:
        """The statements on a table's demands; demands without one are left out."""
        found = self._on.get(demands)
        if found is None:
            found = self._own.on(demands)
            handed = tuple(self._from_library(demands))
            if handed:
                # The library decides on demands that the client itself leaves open.
                found = (*(one for one in found if one.outcome is not Outcome.UNKNOWN), *handed)
            self._on[demands] = found
        return found

    def _from_library(self, demands: frozenset[str]) -> Iterator[Statement]:
        whole = False
        for delegation in self._delegations:
            if delegation.demands:
                left = self._own.left_to_library(delegation.demands, demands)
            elif whole:
                continue
            else:
                left, whole = demands, True
            said = self._handed_over(self._release, self._act, delegation, left)
            if said is not None:
                yield said

    def certain(self, demands: frozenset[str]) -> Outcome | None:
        """The outcome by statements; None where they are not certain."""
        if demands not in self._certain:
            decisive = worst(self.on(demands))
            outcome = None if decisive is None else decisive.outcome
            self._certain[demands] = None if outcome is Outcome.UNKNOWN else outcome
        return self._certain[demands]

    def looks_at(self, demand: str) -> bool:
        """Whether any claim about the client itself depends on this demand."""
        return self._own.looks_at(demand)
