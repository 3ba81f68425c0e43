"""Nothing in the shipped catalogue is dead: every rule and every claim decides something about some table."""

from __future__ import annotations

from collections.abc import Iterator

import attrs
import pytest

from deltaresolver.clients.catalogue import NEWEST, ClientAtVersion
from deltaresolver.clients.claims import Claims
from deltaresolver.clients.client import Client, Gate, SupportedReleases
from deltaresolver.clients.evidence import Act
from deltaresolver.clients.measured.other_releases import known_releases
from deltaresolver.clients.shipped import default_clients, default_knowledge
from deltaresolver.clients.statements import judge
from deltaresolver.clients.table_needs import READS, WRITES

CLIENTS = list(default_clients())


def releases_of(client: Client) -> Iterator[ClientAtVersion]:
    bounds = [bound for gate in client.gates for bound in (gate.library.first, gate.library.last) if bound is not None]
    for path in client.paths or ("",):
        for version in (*known_releases(client, path, default_knowledge()), NEWEST):
            yield ClientAtVersion(client, version, path)
            yield from (ClientAtVersion(client, attrs.evolve(version, library=library), path) for library in bounds)


def demands_of(gate: Gate) -> frozenset[str]:
    return frozenset(demand.replace("*", "a-feature-nobody-named") for demand in gate.demands)


@pytest.mark.parametrize("client", [client for client in CLIENTS if client.gates], ids=lambda client: client.id)
def test_every_rule_decides_for_some_release(client: Client) -> None:
    releases = list(releases_of(client))
    dead = [
        gate
        for gate in client.gates
        if not any(
            (gate.outcome, gate.why) in [(said.outcome, said.why) for said in judge(release, act, demands_of(gate))]
            for release in releases
            if gate.path in ("", release.path) and gate.holds(release.version)
            for act in gate.acts
        )
    ]
    assert dead == []


@pytest.mark.parametrize("client", CLIENTS, ids=lambda client: client.id)
def test_every_claim_is_answered_with(client: Client) -> None:
    version = client.latest_seen or NEWEST
    for feature, claim in client.features.items():
        for prefix, act, support in ((READS, Act.READ, claim.read), (WRITES, Act.APPEND, claim.write)):
            said = Claims(client, version, act).on(prefix + feature, frozenset({prefix + feature}))
            assert said is not None
            assert feature in said.why
            if isinstance(support, SupportedReleases):
                assert said.rank is claim.rank(client.knowledge)
