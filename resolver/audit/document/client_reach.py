"""How many tables of the lake each release reads and appends to."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping

from deltaresolver.audit.document.document import ClientProfile, ClientReach
from deltaresolver.clients.catalogue import ClientAtVersion
from deltaresolver.clients.evidence import Act, Outcome


def client_reach(
    profiles: Mapping[str, ClientProfile], tables: Counter[str], releases: tuple[ClientAtVersion, ...]
) -> tuple[ClientReach, ...]:
    """One entry for each release, in the catalogue's order. `tables` counts the readable ones of each profile."""
    lost: Counter[tuple[str, str, str]] = Counter()
    for key, count in tables.items():
        for one in profiles[key].locked_out:
            for release in one.releases:
                lost[release, one.act, one.outcome] += count
    total = tables.total()
    return tuple(_reach(release, lost, total) for release in releases)


def _reach(release: ClientAtVersion, lost: Counter[tuple[str, str, str]], total: int) -> ClientReach:
    name = str(release)

    def count(act: Act, outcome: Outcome) -> int:
        return lost[name, act.value, outcome.value]

    def works(act: Act) -> int:
        return total - sum(count(act, outcome) for outcome in Outcome)

    return ClientReach(
        release=name,
        client=release.client.id,
        client_name=release.client.name,
        version=str(release.version),
        reads=works(Act.READ),
        reads_unknown=count(Act.READ, Outcome.UNKNOWN),
        appends=works(Act.APPEND),
        appends_unknown=count(Act.APPEND, Outcome.UNKNOWN),
        silently_wrong=max(count(act, Outcome.SILENTLY_WRONG) for act in (Act.READ, Act.APPEND)),
    )
