"""A commit policy: no commit may take an act on the table away from a client."""

from __future__ import annotations

from collections.abc import Iterator

import attrs

from deltaresolver.clients.evidence import Act
from deltaresolver.clients.shipped import default_knowledge
from deltaresolver.clients.table_needs import TableNeeds
from deltaresolver.clients.verdict import Verdict
from deltaresolver.clients.verdicts import ClientKnowledge
from deltaresolver.errors import PolicyRefusedError
from deltaresolver.planning.targets import ClientTarget, client_target
from deltaresolver.transaction.policies import Proposal


@attrs.frozen(slots=True, eq=False)
class KeepClients:
    """Refuses commits that lock out one of these clients: `trino@468` reads and appends, `trino@468:read` only reads.

    On a new table every act must work; on an existing one every act that worked must still work. An act with an
    unknown verdict counts as not working.
    """

    clients: tuple[str, ...]
    knowledge: ClientKnowledge | None = None
    named_in: str = "deltaresolver.guard.clients or of the policy"
    """Where the clients are written down, for the message."""

    @classmethod
    def named(cls, text: str) -> KeepClients:
        """For clients written with commas."""
        return cls(tuple(name.strip() for name in text.split(",") if name.strip()))

    def ensure_known(self) -> None:
        """Raise as `ClientCatalogue.parse` for an unknown client, and `PlanTargetError` for an unknown act."""
        self._targets()

    def check(self, proposal: Proposal) -> None:
        """Raise `PolicyRefusedError` if a client is locked out, and as `ensure_known`."""
        draft = proposal.draft
        before, catalog = draft.before, proposal.catalog
        after = TableNeeds.of(draft.protocol, draft.metadata, catalog=catalog)
        start = None if before.is_new else TableNeeds.of(before.protocol, before.metadata, catalog=catalog)
        if start == after:
            return
        lost = list(self._lost(start, after))
        if lost:
            raise self._refused(draft.operation.name, lost)

    def _lost(self, before: TableNeeds | None, after: TableNeeds) -> Iterator[tuple[ClientTarget, Act, Verdict]]:
        for target in self._targets():
            for act in target.acts:
                found = target.client.verdict(after, act)
                if not found.works and (before is None or target.client.verdict(before, act).works):
                    yield target, act, found

    def _targets(self) -> tuple[ClientTarget, ...]:
        return tuple(client_target(name, self._knowledge()) for name in self.clients)

    def _knowledge(self) -> ClientKnowledge:
        return default_knowledge() if self.knowledge is None else self.knowledge

    def _refused(self, operation: str, lost: list[tuple[ClientTarget, Act, Verdict]]) -> PolicyRefusedError:
        told = "; ".join(
            f"{target.client} could not {act.value} any more ({verdict.outcome.value}: {verdict.reason})"
            for target, act, verdict in lost
        )
        names = sorted({str(target.client) for target, _, _ in lost})
        return PolicyRefusedError(
            f"{operation} would lock out clients that this table is kept for: {told}.",
            fix=f"Leave out the change, or take {', '.join(names)} out of {self.named_in}.",
            details={
                "operation": operation,
                "clients": names,
                "lost": [{"client": str(t.client), "act": act.value, "verdict": v.to_json()} for t, act, v in lost],
            },
        )
