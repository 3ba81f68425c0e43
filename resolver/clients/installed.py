"""Knowledge about clients from installed packages: clients of their own, and facts that their features state."""

from __future__ import annotations

import logging
from collections.abc import Iterable, Iterator, Mapping, Sequence

import attrs

from deltaresolver.clients.catalogue import ClientCatalogue
from deltaresolver.clients.client import Client, FeatureClaim, SupportedReleases
from deltaresolver.clients.parsing import parse_clients
from deltaresolver.defaults import default_catalog, default_feature_sources, default_plugins
from deltaresolver.errors import ClientCatalogueInvalidError, ClientVersionUnreadableError, UnknownClientError
from deltaresolver.model.feature import NEVER, ClientFact, TableFeature
from deltaresolver.plugins import Plugin, PluginSource, offers
from deltaresolver.plugins.problems import is_writable

logger = logging.getLogger("deltaresolver.plugins")


def installed_clients(shipped: ClientCatalogue) -> ClientCatalogue:
    """The shipped clients and those of installed packages; packages whose clients are invalid are left out."""
    catalogue, mistakes = sound_declared_clients(shipped, default_plugins())
    catalogue, more = with_facts(catalogue, default_catalog(), default_feature_sources())
    for mistake in (*mistakes.values(), *more.values()):
        logger.warning("This is not used about clients: %s", "; ".join(mistake))
    return catalogue


def with_declared_clients(shipped: ClientCatalogue, plugins: Iterable[Plugin]) -> ClientCatalogue:
    """`shipped` with the clients that `plugins` declare; each names its plugin and package among its sources.

    A package never replaces a client that is known already: only a user's own file does.
    Raises `ClientCatalogueInvalidError` listing every problem of every package.
    """
    catalogue, found = sound_declared_clients(shipped, plugins)
    mistakes = [mistake for of_source in found.values() for mistake in of_source]
    if mistakes:
        raise ClientCatalogueInvalidError(
            f"Clients of installed packages cannot be used: {'; '.join(mistakes)}",
            fix="Correct or uninstall the packages named above.",
            details={"origin": "installed packages", "problems": mistakes},
        )
    return catalogue


def sound_declared_clients(
    shipped: ClientCatalogue, plugins: Iterable[Plugin]
) -> tuple[ClientCatalogue, dict[PluginSource, list[str]]]:
    """As `with_declared_clients`, but without the clients of plugins with mistakes; also returns the mistakes."""
    offered, problems = offers(plugins, "delta_client", Mapping)  # type: ignore[type-abstract]
    mistakes: dict[PluginSource, list[str]] = {}
    for problem in problems:
        mistakes.setdefault(problem.source, []).append(str(problem))
    declared: dict[str, tuple[Client, PluginSource]] = {}
    for value, source in offered:
        try:
            clients = parse_clients([value], str(source), features=default_catalog().names)
        except ClientCatalogueInvalidError as error:
            mistakes.setdefault(source, []).append(error.message)
            continue
        if not all(map(is_writable, _texts_in(value))):
            mistakes.setdefault(source, []).append(f"{clients[0].id} has a text that UTF-8 cannot write")
            continue
        for client in clients:
            if client.id in shipped or client.id in declared:
                first = f"by {declared[client.id][1]} " if client.id in declared else ""
                taken = f"{client.id} is declared by {source}, but there is such a client already {first}".rstrip()
                mistakes.setdefault(source, []).append(taken)
            else:
                known = attrs.evolve(client, sources=(*client.sources, str(source)))
                declared[client.id] = (known, source)
    return _catalogue_of(shipped, declared, mistakes), mistakes


def _texts_in(value: object) -> Iterator[str]:
    """Every text in a declaration; parsing has limited its depth."""
    if isinstance(value, str):
        yield value
    elif isinstance(value, Mapping):
        for key, inner in value.items():
            yield from _texts_in(key)
            yield from _texts_in(inner)
    elif isinstance(value, list | tuple):
        for inner in value:
            yield from _texts_in(inner)


def _catalogue_of(
    shipped: ClientCatalogue,
    declared: Mapping[str, tuple[Client, PluginSource]],
    mistakes: dict[PluginSource, list[str]],
) -> ClientCatalogue:
    """The shipped clients and those of sources without mistakes; an unknown delegate is added to the mistakes."""
    while True:
        sound = {name: one for name, one in declared.items() if one[1] not in mistakes}
        catalogue = shipped.with_clients(client for client, _ in sound.values())
        known = set(mistakes)
        for client, source in sound.values():
            unknown = unknown_delegates([client], catalogue)
            if unknown:
                mistakes.setdefault(source, []).extend(unknown)
        if known == set(mistakes):
            return catalogue


def unknown_delegates(clients: Sequence[Client], catalogue: ClientCatalogue) -> list[str]:
    """A sentence for every client that delegates an act to an unknown client."""
    return [
        f"{client.id}: it delegates to {delegation.client!r}, and there is no client of this name"
        for client in clients
        for delegation in client.delegations
        if delegation.client not in catalogue
    ]


# --- facts of features --------------------------------------------------------------------------


def with_facts(
    catalogue: ClientCatalogue, features: Iterable[TableFeature], sources: Mapping[str, PluginSource]
) -> tuple[ClientCatalogue, dict[PluginSource, list[str]]]:
    """The clients with the facts that features state about them, and by source the facts that cannot be used.

    What a client's own entry claims about a feature wins.
    """
    mistakes: dict[PluginSource, list[str]] = {}
    clients = {client.id: client for client in catalogue}
    for feature in features:
        for fact in feature.clients:
            source = sources[feature.name]
            try:
                client = clients[catalogue.get(fact.client).id]
                if feature.name not in client.features:
                    clients[client.id] = _with_claim(client, _claim(feature.name, fact, client, source))
            except (UnknownClientError, ClientVersionUnreadableError) as error:
                told = f"{feature.name}, in what it states of {fact.client}: {error.message}"
                mistakes.setdefault(source, []).append(told)
    changed = [client for client in clients.values() if client is not catalogue.get(client.id)]
    return (catalogue.with_clients(changed) if changed else catalogue), mistakes


def _with_claim(client: Client, claim: FeatureClaim) -> Client:
    return attrs.evolve(client, features={**client.features, claim.feature: claim})


def _claim(feature: str, fact: ClientFact, client: Client, source: PluginSource) -> FeatureClaim:
    said = f"as package {source.package} states{f', {fact.source}' if fact.source else ''}"
    return FeatureClaim(feature, _support(fact.reads, client), _support(fact.writes, client), note=said)


def _support(release: str | None, client: Client) -> SupportedReleases | None:
    if release is None:
        return None
    return SupportedReleases(never=True) if release == NEVER else SupportedReleases(since=client.version(release))
