"""Which clients an audit asks about for which table: those named for all tables, and those a lake.toml requires."""

from __future__ import annotations

from collections.abc import Mapping

import attrs

from deltaresolver.audit.document.blockers import ACTS, Blockers
from deltaresolver.clients.asked import AskedClient, ask
from deltaresolver.clients.evidence import Act
from deltaresolver.clients.verdicts import ClientKnowledge
from deltaresolver.planning.advice import Adviser
from deltaresolver.planning.lake.lake import Lake, TablePlace


@attrs.frozen(slots=True, eq=False)
class AskedOfTable:
    """The clients to ask about for some tables, with the verdicts worked out for them."""

    blockers: Blockers
    adviser: Adviser


@attrs.define(eq=False)
class AskedOfTables:
    """Tables with the same clients to ask about share one object, and with it the verdicts."""

    knowledge: ClientKnowledge
    clients: tuple[str, ...] = ()
    lake: Lake | None = None
    storage: Mapping[str, str] = attrs.field(factory=dict, repr=False)
    _found: dict[tuple[str, ...], AskedOfTable] = attrs.field(factory=dict, init=False)

    def on(self, place: TablePlace) -> AskedOfTable:
        """The clients to ask about for a table."""
        required = () if self.lake is None else self.lake.required_texts(place)
        texts = tuple(dict.fromkeys((*self.clients, *required)))
        found = self._found.get(texts)
        if found is None:
            blockers = Blockers(self.knowledge, tuple(self._asked(text) for text in texts))
            found = self._found[texts] = AskedOfTable(blockers, Adviser(self.knowledge, texts, self.storage))
        return found

    def _asked(self, text: str) -> tuple[AskedClient, tuple[Act, ...]]:
        name, colon, act = text.rpartition(":")
        return (ask(name, self.knowledge), (Act(act),)) if colon else (ask(text, self.knowledge), ACTS)
