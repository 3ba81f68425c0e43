"""Clients that installed packages declare through the hook `delta_client`, checked like those of a TOML file."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

import attrs

from deltaresolver.clients.catalogue import ClientCatalogue
from deltaresolver.clients.client import Client
from deltaresolver.clients.parsing import parse_clients
from deltaresolver.defaults import default_catalog, default_plugins
from deltaresolver.errors import ClientCatalogueInvalidError
from deltaresolver.plugins import Plugin, offers


def installed_clients(shipped: ClientCatalogue) -> ClientCatalogue:
    """The shipped clients with those of installed packages. Raises `ClientCatalogueInvalidError`."""
    return with_declared_clients(shipped, default_plugins()[0])


def with_declared_clients(shipped: ClientCatalogue, plugins: Iterable[Plugin]) -> ClientCatalogue:
    """`shipped` with the clients that `plugins` declare; each names its plugin and package among its sources.

    A package never replaces a client that is known already: only a user's own file does.
    Raises `ClientCatalogueInvalidError` listing every problem of every package.
    """
    offered, problems = offers(plugins, "delta_client", Mapping)  # type: ignore[type-abstract]
    mistakes = [str(problem) for problem in problems]
    declared: dict[str, list[Client]] = {}
    for value, source in offered:
        try:
            clients = parse_clients([value], str(source), features=default_catalog().names)
        except ClientCatalogueInvalidError as error:
            mistakes.append(error.message)
            continue
        for client in clients:
            declared.setdefault(client.id, []).append(attrs.evolve(client, sources=(*client.sources, str(source))))
    for name, same in declared.items():
        if name in shipped or len(same) > 1:
            mistakes.append(f"{name} is declared by {same[-1].sources[-1]}, but there is such a client already")
    catalogue = shipped.with_clients(same[0] for same in declared.values())
    mistakes += unknown_delegates([same[0] for same in declared.values()], catalogue)
    if mistakes:
        raise ClientCatalogueInvalidError(
            f"Clients of installed packages cannot be used: {'; '.join(mistakes)}",
            fix="Correct or uninstall the packages named above.",
            details={"origin": "installed packages", "problems": mistakes},
        )
    return catalogue


def unknown_delegates(clients: Sequence[Client], catalogue: ClientCatalogue) -> list[str]:
    """A sentence for every client that hands an act to one that nobody knows."""
    return [
        f"{client.id}: it delegates to {delegation.client!r}, which no client is called"
        for client in clients
        for delegation in client.delegations
        if delegation.client not in catalogue
    ]
