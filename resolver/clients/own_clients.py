"""The shipped clients together with users' own, from files in the form that docs/clients-toml.md describes."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from deltaresolver.clients.catalogue import ClientCatalogue
from deltaresolver.clients.client import Client
from deltaresolver.clients.installed import unknown_delegates
from deltaresolver.clients.shipped import default_knowledge, load_clients_toml
from deltaresolver.clients.verdicts import ClientKnowledge
from deltaresolver.errors import ClientCatalogueInvalidError


def knowledge_with(files: Iterable[str]) -> ClientKnowledge:
    """The shipped knowledge with the clients of these files. Raises `ClientCatalogueInvalidError`."""
    shipped = default_knowledge()
    own = [client for file in files for client in _clients_of(file)]
    if not own:
        return shipped
    catalogue = shipped.catalogue.with_clients(own)
    _ensure_delegates_exist(own, catalogue)
    return ClientKnowledge(catalogue, shipped.measurements)


def _ensure_delegates_exist(own: Sequence[Client], catalogue: ClientCatalogue) -> None:
    """Check that every client with a delegated act is known. Raises `ClientCatalogueInvalidError`."""
    problems = unknown_delegates(own, catalogue)
    if problems:
        raise ClientCatalogueInvalidError(
            f"The clients files do not fit together: {'; '.join(problems)}.",
            fix="Name a client that `deltaresolver clients` lists, or one of these files.",
            details={"problems": problems},
        )


def _clients_of(file: str) -> tuple[Client, ...]:
    try:
        return load_clients_toml(file)
    except (OSError, UnicodeDecodeError) as error:
        reason = error.strerror if isinstance(error, OSError) else "it is not UTF-8"
        raise ClientCatalogueInvalidError(
            f"{file} cannot be read: {reason}.",
            fix="Give the path of a TOML file with one [[client]] table for each client.",
            details={"origin": file, "problems": [str(error)]},
        ) from error
