"""What every known release can do with a table, worked out once for all tables with equal demands."""

from __future__ import annotations

import hashlib
from functools import cached_property

import attrs

from deltaresolver.audit.document.document import ClientProfile, LockedOut
from deltaresolver.audit.document.shared_profiles import SharedProfiles
from deltaresolver.clients.asked import ask_all
from deltaresolver.clients.catalogue import ClientAtVersion
from deltaresolver.clients.evidence import Act, Outcome
from deltaresolver.clients.measured.other_releases import known_releases
from deltaresolver.clients.table_needs import TableNeeds
from deltaresolver.clients.verdicts import ClientKnowledge

ACTS = (Act.READ, Act.APPEND)


@attrs.frozen(slots=True)
class CountedProfile:
    """The key of a profile, and how many releases are known to refuse something or to be silently wrong.

    Releases with an unknown verdict are not counted.
    """

    key: str
    locked_out_of_read: int
    locked_out_of_append: int


@attrs.define(eq=False, slots=False)
class ClientProfiles:
    """The profiles worked out so far, by the demands of tables; `shared` may hold those of other processes."""

    knowledge: ClientKnowledge
    asked: tuple[str, ...] = ()
    shared: SharedProfiles | None = None
    made: dict[str, ClientProfile] = attrs.field(factory=dict, init=False)
    _counted: dict[TableNeeds, CountedProfile] = attrs.field(factory=dict, init=False)

    @cached_property
    def releases(self) -> tuple[ClientAtVersion, ...]:
        """Every known release, with the client's usual path, and those asked about; in order."""
        found: dict[str, ClientAtVersion] = {}
        for client in self.knowledge.catalogue:
            newest = self.knowledge.catalogue.parse(client.id)
            versions = known_releases(client, newest.path, self.knowledge) or (newest.version,)
            for version in versions:
                release = ClientAtVersion(client, version, newest.path)
                found.setdefault(str(release), release)
        for named in ask_all(self.asked, self.knowledge):
            for release in named.releases:
                found.setdefault(str(release), release)
        places = {client.id: place for place, client in enumerate(self.knowledge.catalogue)}
        return tuple(sorted(found.values(), key=lambda one: (places[one.client.id], one.version.order)))

    def profile(self, needs: TableNeeds) -> CountedProfile:
        """The profile of all tables with these needs."""
        found = self._counted.get(needs)
        if found is None:
            key = profile_key(needs)
            made = self.made[key] = self._find(key) or self._make_and_share(key, needs)
            counts = (_count_locked_out(made, act) for act in ACTS)
            found = self._counted[needs] = CountedProfile(key, *counts)
        return found

    def _find(self, key: str) -> ClientProfile | None:
        return None if self.shared is None else self.shared.find(key)

    def _make_and_share(self, key: str, needs: TableNeeds) -> ClientProfile:
        made = self._make(key, needs)
        if self.shared is not None:
            self.shared.keep(made)
        return made

    def _make(self, key: str, needs: TableNeeds) -> ClientProfile:
        grouped: dict[tuple[str, str, str, str, str | None], list[str]] = {}
        for release in self.releases:
            name = str(release)
            for act in ACTS:
                verdict = self.knowledge.verdict(release, needs, act)
                if verdict.outcome is not Outcome.WORKS:
                    group = (release.client.id, act.value, verdict.outcome.value, verdict.reason, verdict.feature)
                    grouped.setdefault(group, []).append(name)
        locked_out = tuple(
            LockedOut(client, act, outcome, tuple(releases), reason, feature)
            for (client, act, outcome, reason, feature), releases in grouped.items()
        )
        return ClientProfile(key, tuple(sorted(needs.demands)), locked_out)


def profile_key(needs: TableNeeds) -> str:
    """A key that is equal for equal needs, in every process."""
    return hashlib.sha256("\n".join(sorted(needs.demands)).encode()).hexdigest()[:16]


def _count_locked_out(profile: ClientProfile, act: Act) -> int:
    unknown = Outcome.UNKNOWN.value
    return sum(len(one.releases) for one in profile.locked_out if one.act == act.value and one.outcome != unknown)
