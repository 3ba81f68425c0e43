"""A client that a user named: one release, with the path that was named, else with every path that people use."""

from __future__ import annotations

from collections.abc import Iterable

import attrs

from deltaresolver.clients.catalogue import ClientAtVersion
from deltaresolver.clients.evidence import Act
from deltaresolver.clients.table_needs import TableNeeds
from deltaresolver.clients.verdict import Verdict
from deltaresolver.clients.verdicts import ClientKnowledge
from deltaresolver.value import Printable

PLAIN_TABLE = TableNeeds(frozenset({"writer:2"}))
"""The demands of a table without any feature in use."""


@attrs.frozen(slots=True, eq=False)
class AskedClient(Printable):
    """One release; `releases` has one entry for each path that counts, the preferred first."""

    releases: tuple[ClientAtVersion, ...]
    knowledge: ClientKnowledge

    @property
    def release(self) -> ClientAtVersion:
        """The release with its preferred path."""
        return self.releases[0]

    def by_path(self, act: Act) -> tuple[ClientAtVersion, ...]:
        """The release with each path that can do this act.

        A path that refuses even a plain table does not have the act at all: that of Arrow tables, say, only reads.
        """
        if len(self.releases) == 1:
            return self.releases
        found = tuple(one for one in self.releases if self.knowledge.verdict(one, PLAIN_TABLE, act).works)
        return found or self.releases[:1]

    def verdict(self, needs: TableNeeds, act: Act) -> Verdict:
        """The worst verdict of all paths, since a job may use any of them."""
        verdicts = [self.knowledge.verdict(release, needs, act) for release in self.by_path(act)]
        return max(verdicts, key=lambda one: one.outcome)

    def working_paths(self, needs: TableNeeds, act: Act) -> tuple[str, ...]:
        """The paths on which the act works, where it does not work on all of them."""
        ways = self.by_path(act)
        works = [one.path for one in ways if self.knowledge.verdict(one, needs, act).works]
        return tuple(works) if len(works) < len(ways) else ()

    def __str__(self) -> str:
        release = self.release
        if len(self.releases) == 1 and len(release.client.paths) > 1:
            return f"{release.client.id}/{release.path}@{release.version}"
        return str(release)


def ask(text: str, knowledge: ClientKnowledge) -> AskedClient:
    """`trino@468`, or `delta-rs-python/native@1.6.6` for one path alone. Raises what `ClientCatalogue.parse` raises."""
    usual = knowledge.catalogue.parse(text)
    if "/" in text.partition("@")[0]:
        return AskedClient((usual,), knowledge)
    others = (attrs.evolve(usual, path=path) for path in usual.client.paths if path != usual.path)
    return AskedClient((usual, *others), knowledge)


def newest_of_all(knowledge: ClientKnowledge) -> tuple[AskedClient, ...]:
    """The newest known release of every client."""
    return tuple(ask(name, knowledge) for name in knowledge.catalogue.clients)


def ask_all(texts: Iterable[str], knowledge: ClientKnowledge) -> tuple[AskedClient, ...]:
    """Several clients. Raises as `ask`."""
    return tuple(ask(text, knowledge) for text in texts)
