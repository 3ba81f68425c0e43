"""Other releases of a client that work where one does not."""

from __future__ import annotations

from collections.abc import Iterator

from deltaresolver.clients.catalogue import ClientAtVersion
from deltaresolver.clients.client import Client, SupportedReleases
from deltaresolver.clients.evidence import Act, Outcome
from deltaresolver.clients.table_needs import TableNeeds
from deltaresolver.clients.verdicts import ClientKnowledge
from deltaresolver.clients.versions import ClientVersion


def releases_that_work(
    release: ClientAtVersion, needs: TableNeeds, act: Act, knowledge: ClientKnowledge
) -> tuple[str, ...]:
    """The next newer and the next older known release that works; the newer one first."""
    known = known_releases(release.client, release.path, knowledge)
    newer = [version for version in known if release.version < version]
    older = [version for version in reversed(known) if version < release.version]
    found = (_first_that_works(release, versions, needs, act, knowledge) for versions in (newer, older))
    return tuple(version for version in found if version is not None)


def known_releases(client: Client, path: str, knowledge: ClientKnowledge) -> tuple[ClientVersion, ...]:
    """Every release that has a claim or a measurement, in order."""
    cached = knowledge.releases_known.get((client.id, path))
    if cached is not None:
        return cached
    measured = (release.version for release in knowledge.measurements.releases.get((client.id, path), ()))
    found = {version.order: version for version in (*_said_about(client), *measured)}
    known = knowledge.releases_known[client.id, path] = tuple(found[order] for order in sorted(found))
    return known


def _said_about(client: Client) -> Iterator[ClientVersion]:
    for step in client.legacy:
        yield step.since
    for version in (client.reader_lists_since, client.writer_lists_since, client.latest_seen):
        if version is not None:
            yield version
    for claim in client.features.values():
        for support in (claim.read, claim.write, claim.read_if_unused, claim.write_if_unused):
            yield from _bounds(support)
    for gate in client.gates:
        yield from (bound for bound in (gate.versions.first, gate.versions.last) if bound is not None)


def _bounds(support: SupportedReleases | None) -> Iterator[ClientVersion]:
    if support is None:
        return
    yield from (bound for bound in (support.since, support.until) if bound is not None)


def _first_that_works(
    release: ClientAtVersion,
    versions: list[ClientVersion],
    needs: TableNeeds,
    act: Act,
    knowledge: ClientKnowledge,
) -> str | None:
    for version in versions:
        other = ClientAtVersion(release.client, version, release.path)
        if knowledge.verdict(other, needs, act).outcome is Outcome.WORKS:
            return str(version)
    return None
