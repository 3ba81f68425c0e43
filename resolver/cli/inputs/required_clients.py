"""Clients that must be able to read and write a table: what `--require` says, and whether it is met."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

import attrs

from deltaresolver.clients.asked import AskedClient, ask
from deltaresolver.clients.evidence import Act, Outcome
from deltaresolver.clients.table_needs import TableNeeds
from deltaresolver.clients.verdict import Verdict
from deltaresolver.clients.verdicts import ClientKnowledge
from deltaresolver.errors import CommandUsageError
from deltaresolver.value import Value

WORDS = {Act.READ: "read", Act.APPEND: "write"}
_ACTS = {"read": (Act.READ,), "write": (Act.APPEND,), "append": (Act.APPEND,)}


@attrs.frozen(slots=True)
class Requirement(Value):
    """One act that one client must be able to do, with the verdicts before and after the change."""

    client: str
    act: Act
    before: Verdict
    after: Verdict

    @property
    def is_met(self) -> bool:
        """Whether the act is known to work after the change; what nobody knows is not relied on."""
        return self.after.works

    @property
    def is_lost(self) -> bool:
        """Whether it worked before."""
        return self.before.works and not self.after.works

    def to_json(self) -> dict[str, Any]:
        """As data."""
        return {
            "client": self.client,
            "act": self.act.value,
            "met": self.is_met,
            "lost": self.is_lost,
            "before": self.before.to_json(),
            "after": self.after.to_json(),
        }


def read_requirement(text: str, knowledge: ClientKnowledge) -> tuple[AskedClient, tuple[Act, ...]]:
    """`trino@468` by all its paths, or one act: `trino@468:read`.

    Raises `CommandUsageError` and what `ClientCatalogue.parse` raises.
    """
    name, colon, act = text.rpartition(":")
    if not colon:
        return ask(text, knowledge), tuple(WORDS)
    if act not in _ACTS:
        raise CommandUsageError(
            f"{act!r} is not something that a client can be required to do.",
            fix=f"Write {name}:read or {name}:write, or {name} for both.",
            details={"required": text, "act": act},
        )
    return ask(name, knowledge), _ACTS[act]


def check_requirements(
    asked: Iterable[tuple[AskedClient, tuple[Act, ...]]], before: TableNeeds, after: TableNeeds
) -> tuple[Requirement, ...]:
    """Each act of each required client."""
    return tuple(
        Requirement(str(client), act, client.verdict(before, act), client.verdict(after, act))
        for client, acts in asked
        for act in acts
    )


def in_words(requirements: Iterable[Requirement]) -> Iterator[tuple[bool, str]]:
    """Whether it is met, and a sentence, for each requirement."""
    for one in requirements:
        verdict, word = one.after, WORDS[one.act]
        known = "not established" if verdict.outcome is Outcome.UNKNOWN else verdict.evidence.rank.value
        sure = f"[{known}{f'; {verdict.warning}' if verdict.warning else ''}]"
        if one.is_met:
            yield True, f"{one.client} can {word} {sure}"
        else:
            said = f"{one.client} loses {word}" if one.is_lost else f"{one.client} has no {word}"
            yield False, f"{said}: {verdict.outcome.value}, {verdict.reason} {sure}"
