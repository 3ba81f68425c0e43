"""For a release asked about by name: whether it can use a table, and the plan after which it can."""

from __future__ import annotations

from collections.abc import Iterator

import attrs
import msgspec

from deltaresolver.audit.scan.table_advice import TableAdvice
from deltaresolver.clients.asked import AskedClient, newest_of_all
from deltaresolver.clients.evidence import Act, Outcome
from deltaresolver.clients.table_needs import TableNeeds
from deltaresolver.clients.verdicts import ClientKnowledge
from deltaresolver.model.audit_table import Blocked
from deltaresolver.planning.advice import newer_release_that_works

ACTS = (Act.READ, Act.APPEND)


@attrs.define(eq=False)
class Blockers:
    """Verdicts on the clients asked about, each worked out once for all tables with equal demands."""

    knowledge: ClientKnowledge
    asked: tuple[tuple[AskedClient, tuple[Act, ...]], ...] = ()
    _found: dict[TableNeeds, tuple[Blocked, ...]] = attrs.field(factory=dict, init=False)
    _wrong: dict[TableNeeds, tuple[str, ...]] = attrs.field(factory=dict, init=False)
    _others: tuple[AskedClient, ...] = attrs.field(init=False)

    def __attrs_post_init__(self) -> None:
        names = {str(client) for client, _ in self.asked}
        self._others = tuple(one for one in newest_of_all(self.knowledge) if str(one) not in names)

    def blocked(self, needs: TableNeeds, advice: TableAdvice) -> Iterator[Blocked]:
        """One entry for each act that a client is not certain to do right, with a way out where there is one."""
        found = self._found.get(needs)
        if found is None:
            every = (self._ask(needs, client, act) for client, acts in self.asked for act in acts)
            found = self._found[needs] = tuple(one for one in every if one is not None)
        for one in found:
            yield _with_plan(one, advice)

    def silently_wrong(self, needs: TableNeeds) -> tuple[str, ...]:
        """Of the clients nobody asked about, the newest releases that are silently wrong."""
        found = self._wrong.get(needs)
        if found is None:
            wrong = (
                client
                for client in self._others
                if any(client.verdict(needs, act).outcome is Outcome.SILENTLY_WRONG for act in ACTS)
            )
            found = self._wrong[needs] = tuple(map(str, wrong))
        return found

    def _ask(self, needs: TableNeeds, client: AskedClient, act: Act) -> Blocked | None:
        verdict = client.verdict(needs, act)
        if verdict.works:
            return None
        several = len(client.by_path(act)) > 1
        return Blocked(
            str(client),
            act.value,
            verdict.outcome.value,
            verdict.reason,
            path=verdict.path if several else None,
            works_on=client.working_paths(needs, act),
            upgrade=newer_release_that_works(client, needs, act),
        )


def _with_plan(blocked: Blocked, advice: TableAdvice) -> Blocked:
    found = advice.open_to(blocked.release, Act(blocked.act))
    if found is None:
        return blocked
    start, end, cost = found.plan.start, found.plan.end, found.plan.cost
    return msgspec.structs.replace(
        blocked,
        drops=tuple(sorted(start.supported - end.supported)),
        advice=found.title,
        command=found.command,
        changes=found.changes,
        files=cost.files,
        bytes=cost.bytes,
        truncates=cost.truncations > 0,
    )
